SELECT id, item, seller, category, bidder, price, bid.ts, expires
FROM auction JOIN bid ON bid.auction = id AND bid.ts >= auction.ts AND bid.ts <= expires
QUALIFY row_number() OVER (PARTITION BY id ORDER BY price DESC, bid.ts) = 1
