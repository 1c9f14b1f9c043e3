SELECT id, seller, initial_bid, expires FROM auction WHERE expires - ts < INTERVAL 5 HOURS
