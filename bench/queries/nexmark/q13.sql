-- Every bid with the value that a table has for its auction.
-- In the suite the table is looked up by the clock on the wall; here it is static.
SELECT b.auction, b.bidder, b.price, s.value
FROM bid b JOIN side_input s ON b.auction % 10000 = s.key
