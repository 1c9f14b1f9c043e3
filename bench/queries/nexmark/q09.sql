-- The winning bid of each auction, when it closes: the highest one while it was open, of equal ones the
-- first. Reserves play no role.
-- Flink's text shows the best bid so far, of auctions that are still open too.
WITH closing AS (ISTREAM (
  SELECT id, item, seller, category, at AS opened, expires
  FROM auction [UNBOUNDED] WHERE expires <= NOW())),
offer AS (
  SELECT c.id, c.item, c.seller, c.category, b.bidder, b.price, b.at AS offered
  FROM closing c JOIN bid [UNBOUNDED] b ON b.auction = c.id AND b.at BETWEEN c.opened AND c.expires),
best AS (
  SELECT * FROM offer o WHERE price = (SELECT MAX(price) FROM offer m WHERE m.id = o.id))
SELECT id, item, seller, category, bidder, price, offered FROM best o
WHERE offered = (SELECT MIN(offered) FROM best m WHERE m.id = o.id)
