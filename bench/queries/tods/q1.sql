-- Every bid, with its price in euros.
SELECT itemID, DolToEuro(bid_price), bidderID
FROM Bid;
