SELECT auction, bidder, price, channel, url, ts FROM bid
