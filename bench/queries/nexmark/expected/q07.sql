WITH placed AS (SELECT *, time_bucket(INTERVAL 10 SECONDS, ts) AS start FROM bid)
SELECT auction, price, bidder, start + INTERVAL 10 SECONDS, start + INTERVAL 20 SECONDS FROM placed
QUALIFY rank() OVER (PARTITION BY start ORDER BY price DESC) = 1
