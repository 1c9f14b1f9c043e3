-- Which auctions have had the most bids in the last ten seconds, looked at every two seconds?
SELECT auction, COUNT(*) AS num FROM HOP(bid, 2 SECONDS, 10 SECONDS)
GROUP BY auction
HAVING COUNT(*) >= ALL (
  SELECT COUNT(*) FROM HOP(bid, 2 SECONDS, 10 SECONDS) GROUP BY auction)
