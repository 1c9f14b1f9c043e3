WITH sale AS (
  SELECT id, seller, expires, max(price) AS price
  FROM auction JOIN bid ON bid.auction = id AND bid.ts >= auction.ts AND bid.ts <= expires
  GROUP BY id, seller, expires),
ten AS (
  SELECT id, seller, expires, sum(price) OVER w AS total, count(*) OVER w AS n
  FROM sale
  WINDOW w AS (PARTITION BY seller ORDER BY expires, id ROWS BETWEEN 9 PRECEDING AND CURRENT ROW)),
-- Of auctions that close together the last one has all of them before it.
moment AS (
  SELECT * FROM ten QUALIFY row_number() OVER (PARTITION BY seller, expires ORDER BY id DESC) = 1)
SELECT seller, total::DOUBLE / n, expires, lead(expires) OVER (PARTITION BY seller ORDER BY expires)
FROM moment
