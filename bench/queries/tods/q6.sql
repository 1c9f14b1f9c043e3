-- The items with the most bids in the last hour.
SELECT itemID
FROM (SELECT B1.itemID AS itemID, COUNT(*) AS num
      FROM Bid WINDOW(RANGE 60 MINUTES) B1
      GROUP BY B1.itemID)
WHERE num >= ALL(SELECT COUNT(*)
                 FROM Bid WINDOW(RANGE 60 MINUTES) B2
                 GROUP BY B2.itemID);
