-- The ten highest bids so far for each auction, with their ranks; of equal ones the earlier is higher.
-- There is no ROW_NUMBER: the rank of a bid is one more than the number of bids that are higher.
SELECT b.auction, b.bidder, b.price, COUNT(h.price) + 1 AS rank
FROM bid [UNBOUNDED] b LEFT JOIN bid [UNBOUNDED] h
  ON h.auction = b.auction AND (h.price > b.price OR h.price = b.price AND h.at < b.at)
GROUP BY b.auction, b.bidder, b.price, b.at
HAVING COUNT(h.price) < 10
