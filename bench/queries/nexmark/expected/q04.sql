WITH sale AS (
  SELECT id, category, expires, max(price) AS price
  FROM auction JOIN bid ON bid.auction = id AND bid.ts >= auction.ts AND bid.ts <= expires
  GROUP BY id, category, expires),
moment AS (
  SELECT category, expires, sum(price) AS total, count(*) AS n FROM sale GROUP BY category, expires)
SELECT category, (sum(total) OVER so_far)::DOUBLE / (sum(n) OVER so_far), expires,
       lead(expires) OVER (PARTITION BY category ORDER BY expires)
FROM moment
WINDOW so_far AS (PARTITION BY category ORDER BY expires ROWS UNBOUNDED PRECEDING)
