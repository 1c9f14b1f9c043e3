-- Which items lead can change when a bid comes and when one is an hour old.
WITH moment AS (SELECT ts AS since FROM bid UNION SELECT ts + INTERVAL 1 HOUR FROM bid),
counted AS (
  SELECT since, auction, count(*) AS num FROM moment
  JOIN bid ON ts <= since AND since < ts + INTERVAL 1 HOUR GROUP BY since, auction),
lasting AS (SELECT *, lead(since) OVER (ORDER BY since) AS til FROM moment)
SELECT auction, since, til FROM counted JOIN lasting USING (since)
QUALIFY rank() OVER (PARTITION BY since ORDER BY num DESC) = 1
