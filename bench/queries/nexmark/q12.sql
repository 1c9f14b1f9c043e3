-- How many bids does each bidder make in every ten seconds?
-- In the suite these are seconds of the clock on the wall; here they are those of the bids, so that the
-- answer is the same every time.
SELECT bidder, COUNT(*) AS bids, window_start, window_end
FROM TUMBLE(bid, 10 SECONDS) GROUP BY bidder, window_start, window_end
