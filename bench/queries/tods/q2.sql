-- The bids for five items.
SELECT * FROM Bid WHERE itemID IN (1007, 1020, 2001, 2019, 1087)
