WITH bids AS (
  SELECT bidder, ts,
         ts > lag(ts) OVER (PARTITION BY bidder ORDER BY ts) + INTERVAL 10 SECONDS AS again
  FROM bid),
numbered AS (
  SELECT bidder, ts,
         count(*) FILTER (WHERE again) OVER (PARTITION BY bidder ORDER BY ts
                                             RANGE UNBOUNDED PRECEDING) AS session
  FROM bids)
SELECT bidder, count(*), min(ts), max(ts) + INTERVAL 10 SECONDS,
       max(ts) + INTERVAL 10 SECONDS, max(ts) + INTERVAL '10.000001 seconds'
FROM numbered GROUP BY bidder, session
