-- Every bid, with its price in euros: 0.908 of the price in dollars.
SELECT auction, bidder, 0.908 * price AS price, channel, url FROM bid
