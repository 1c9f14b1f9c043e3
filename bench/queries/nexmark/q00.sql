-- Every bid, as it is.
SELECT auction, bidder, price, channel, url FROM bid
