-- The streams of the paper, made of those of the suite; nobody asks who buys.
CREATE STREAM OpenAuction AS
SELECT id AS itemID, seller AS sellerID, initial_bid AS start_price FROM all_auction;

CREATE STREAM ClosedAuction AS
ISTREAM (SELECT id AS itemID FROM all_auction [UNBOUNDED] WHERE expires <= NOW());

CREATE STREAM Bid AS
SELECT auction AS itemID, price AS bid_price, bidder AS bidderID FROM all_bid;
