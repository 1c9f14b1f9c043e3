-- The auctions that close within five hours of their opening.
SELECT O.* FROM OpenAuction O WINDOW(RANGE 5 HOURS), ClosedAuction C
WHERE O.itemID = C.itemID
