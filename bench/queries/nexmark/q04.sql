-- The mean closing price of each category: of all auctions that have closed so far and had a bid
-- while they were open.
-- Flink's text also counts the best bid so far of auctions that are still open.
WITH closing AS (ISTREAM (
  SELECT id, category, at AS opened, expires FROM auction [UNBOUNDED] WHERE expires <= NOW())),
sale AS (
  SELECT c.id, c.category, MAX(b.price) AS price
  FROM closing c JOIN bid [UNBOUNDED] b ON b.auction = c.id AND b.at BETWEEN c.opened AND c.expires
  GROUP BY c.id, c.category)
SELECT category, AVG(price) AS mean FROM sale [UNBOUNDED] GROUP BY category
