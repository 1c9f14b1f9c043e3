SELECT bid.auction, bidder, price, channel, url, item, initial_bid, reserve, expires, seller, category,
       bid.ts
FROM bid, auction WHERE auction.id = bid.auction AND category = 10
