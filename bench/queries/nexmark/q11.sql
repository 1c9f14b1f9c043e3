-- How many bids does each bidder make in one go, that is, with pauses of at most ten seconds?
SELECT bidder, COUNT(*) AS bids, window_start, window_end
FROM SESSION(bid, 10 SECONDS, bidder) GROUP BY bidder, window_start, window_end
