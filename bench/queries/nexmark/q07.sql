-- The highest bids of every ten seconds, when these are over.
SELECT auction, price, bidder FROM TUMBLE(bid, 10 SECONDS)
WHERE price = (SELECT MAX(price) FROM TUMBLE(bid, 10 SECONDS))
