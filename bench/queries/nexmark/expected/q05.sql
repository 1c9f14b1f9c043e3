WITH looked AS (
  SELECT time_bucket(INTERVAL 2 SECONDS, ts) + INTERVAL 2 SECONDS * k AS moment, auction
  FROM bid, range(1, 6) AS looks(k)),
counted AS (SELECT moment, auction, count(*) AS num FROM looked GROUP BY moment, auction)
SELECT auction, num, moment, moment + INTERVAL 2 SECONDS FROM counted
WHERE (moment, num) IN (SELECT (moment, max(num)) FROM counted GROUP BY moment)
