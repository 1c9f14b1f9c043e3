SELECT auction, bidder, price, value, ts FROM bid JOIN side_input ON mod(auction, 10000) = key
