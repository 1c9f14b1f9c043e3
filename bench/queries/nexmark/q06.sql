-- The mean closing price of each seller's last ten auctions that have closed and had a bid while they
-- were open; of those that close together, the ones with the highest numbers are the last.
WITH closing AS (ISTREAM (
  SELECT id, seller, at AS opened, expires FROM auction [UNBOUNDED] WHERE expires <= NOW())),
sale AS (
  SELECT c.id, c.seller, MAX(b.price) AS price
  FROM closing c JOIN bid [UNBOUNDED] b ON b.auction = c.id AND b.at BETWEEN c.opened AND c.expires
  GROUP BY c.id, c.seller)
SELECT seller, AVG(price) AS mean FROM sale [PARTITION BY seller ROWS 10] GROUP BY seller
