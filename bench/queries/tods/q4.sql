-- The highest bids of the last ten minutes.
SELECT itemID, bid_price FROM Bid WINDOW(RANGE 10 MINUTES)
WHERE bid_price = (SELECT MAX(bid_price) FROM Bid WINDOW(RANGE 10 MINUTES))
