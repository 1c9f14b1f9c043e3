SELECT auction, price, bidder, ts FROM bid
WHERE list_contains([1007, 1020, 2001, 2019, 1087], auction)
