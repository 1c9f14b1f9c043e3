-- The bids of more than 10,000 and less than 500,000 euros, with the part of the day they fall into and
-- the number of letters c in their URL.
-- In the suite the letters are counted by a function that is registered, in a column of filling.
SELECT auction, bidder, 0.908 * price AS price,
       CASE WHEN hour(at) BETWEEN 8 AND 18 THEN 'dayTime'
            WHEN hour(at) <= 6 OR hour(at) >= 20 THEN 'nightTime'
            ELSE 'otherTime' END AS part,
       length(url) - length(replace(url, 'c', '')) AS letters
FROM bid WHERE 0.908 * price > 1000000 AND 0.908 * price < 50000000
