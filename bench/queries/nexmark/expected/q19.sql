-- When those bids were there that are higher than a bid: the ten first of these moments.
WITH pressed AS (
  SELECT b.auction, b.bidder, b.price, b.ts,
         min(greatest(b.ts, h.ts), 10) FILTER (WHERE h.ts IS NOT NULL) AS moments
  FROM bid b LEFT JOIN bid h
    ON h.auction = b.auction AND (h.price > b.price OR h.price = b.price AND h.ts < b.ts)
  GROUP BY b.auction, b.bidder, b.price, b.ts),
ranked AS (
  SELECT *, rank, CASE WHEN rank = 1 THEN ts ELSE moments[rank - 1] END AS since,
         moments[rank] AS til
  FROM pressed, range(1, 11) AS ranks(rank))
SELECT auction, bidder, price, rank, since, til FROM ranked
WHERE since IS NOT NULL AND (til IS NULL OR since < til)
