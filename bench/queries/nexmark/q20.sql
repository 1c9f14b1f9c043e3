-- The bids for auctions of category 10, each with its auction.
-- A bid meets auctions that have opened before it or with it; there are no others in the data.
SELECT b.auction, b.bidder, b.price, b.channel, b.url,
       a.item, a.initial_bid, a.reserve, a.expires, a.seller, a.category
FROM bid b JOIN auction [UNBOUNDED] a ON b.auction = a.id
WHERE a.category = 10
