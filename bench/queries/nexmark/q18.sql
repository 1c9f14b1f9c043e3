-- The last bid of each bidder for each auction.
SELECT auction, bidder, price, channel, url FROM bid [PARTITION BY bidder, auction ROWS 1]
