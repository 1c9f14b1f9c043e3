-- The greatest price can change when a bid comes and when one is ten minutes old.
WITH moment AS (
  SELECT ts AS since, price FROM bid UNION ALL SELECT ts + INTERVAL 10 MINUTES, NULL FROM bid),
greatest AS (
  SELECT DISTINCT since, max(price) OVER (
    ORDER BY since RANGE BETWEEN INTERVAL '599.999999 seconds' PRECEDING AND CURRENT ROW) AS price
  FROM moment),
lasting AS (SELECT *, lead(since) OVER (ORDER BY since) AS til FROM greatest)
SELECT auction, bid.price, since, til FROM bid JOIN lasting
  ON bid.price = lasting.price AND ts <= since AND since < ts + INTERVAL 10 MINUTES
