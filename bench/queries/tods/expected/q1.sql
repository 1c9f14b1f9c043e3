SELECT auction, price * 0.875, bidder, ts FROM bid
