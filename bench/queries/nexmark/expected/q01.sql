SELECT auction, bidder, price * 908 / 1000.0, channel, url, ts FROM bid
