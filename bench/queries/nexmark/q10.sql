-- Every bid with its day and minute, to be written to files.
-- A sink has no directories for days and minutes: they are columns.
SELECT auction, bidder, price, channel, url,
       CAST(CAST(at AS DATE) AS STRING) AS day, substring(CAST(at AS STRING), 12, 5) AS minute
FROM bid
