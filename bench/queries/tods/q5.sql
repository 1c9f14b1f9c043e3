-- The price of each auction that closes: the highest bid for it, or its start price.
-- The paper has a comma after `CurrentPrice P`, which is a slip.
CREATE STREAM CurrentPrice AS
SELECT P.itemID, P.price, O.sellerID AS sellerID
FROM ((SELECT itemID, bid_price AS price
       FROM Bid WINDOW(RANGE 2 DAYS))
      UNION ALL
      (SELECT itemID, start_price AS price
       FROM OpenAuction WINDOW(RANGE 2 DAYS))) P,
     ClosedAuction C,
     OpenAuction O WINDOW(RANGE 2 DAYS)
WHERE P.itemID = C.itemID AND C.itemID = O.itemID;

CREATE STREAM ClosingPriceStream AS
SELECT itemID, sellerID, MAX(P.price) AS price
FROM CurrentPrice P
GROUP BY P.itemID, P.sellerID;

SELECT * FROM ClosingPriceStream;
