-- For each auction and the day so far: how many bids, in all and by rank of the price, and the least,
-- greatest, mean and total price?
-- Flink's text keeps the days before as well.
SELECT auction, CAST(CAST(at AS DATE) AS STRING) AS day,
       COUNT(*) AS bids,
       COUNT(*) FILTER (WHERE price < 10000) AS bids1,
       COUNT(*) FILTER (WHERE price >= 10000 AND price < 1000000) AS bids2,
       COUNT(*) FILTER (WHERE price >= 1000000) AS bids3,
       MIN(price) AS least, MAX(price) AS greatest, AVG(price) AS mean, SUM(price) AS total
FROM bid [FIXED 1 DAY] GROUP BY 1, 2
