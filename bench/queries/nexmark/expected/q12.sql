SELECT bidder, count(*), time_bucket(INTERVAL 10 SECONDS, ts) AS start, start + INTERVAL 10 SECONDS,
       start + INTERVAL 10 SECONDS, start + INTERVAL 20 SECONDS
FROM bid GROUP BY bidder, start
