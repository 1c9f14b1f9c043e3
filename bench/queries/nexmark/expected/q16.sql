-- So many different ones there are as have come for the first time.
WITH dated AS (
  SELECT *, ts::DATE AS day, CASE WHEN price < 10000 THEN 1 WHEN price < 1000000 THEN 2 ELSE 3 END AS rank
  FROM bid),
marked AS (
  SELECT *,
         row_number() OVER (PARTITION BY channel, day, bidder ORDER BY ts) = 1 AS new_bidder,
         row_number() OVER (PARTITION BY channel, day, bidder, rank ORDER BY ts) = 1 AS ranked_bidder,
         row_number() OVER (PARTITION BY channel, day, auction ORDER BY ts) = 1 AS new_auction,
         row_number() OVER (PARTITION BY channel, day, auction, rank ORDER BY ts) = 1 AS ranked_auction
  FROM dated)
SELECT channel, day::VARCHAR,
       strftime(ts, '%H:%M'),
       count(*) OVER so_far,
       count(*) FILTER (WHERE rank = 1) OVER so_far,
       count(*) FILTER (WHERE rank = 2) OVER so_far,
       count(*) FILTER (WHERE rank = 3) OVER so_far,
       count(*) FILTER (WHERE new_bidder) OVER so_far,
       count(*) FILTER (WHERE ranked_bidder AND rank = 1) OVER so_far,
       count(*) FILTER (WHERE ranked_bidder AND rank = 2) OVER so_far,
       count(*) FILTER (WHERE ranked_bidder AND rank = 3) OVER so_far,
       count(*) FILTER (WHERE new_auction) OVER so_far,
       count(*) FILTER (WHERE ranked_auction AND rank = 1) OVER so_far,
       count(*) FILTER (WHERE ranked_auction AND rank = 2) OVER so_far,
       count(*) FILTER (WHERE ranked_auction AND rank = 3) OVER so_far,
       ts, coalesce(lead(ts) OVER so_far, day + INTERVAL 1 DAY)
FROM marked
WINDOW so_far AS (PARTITION BY channel, day ORDER BY ts ROWS UNBOUNDED PRECEDING)
