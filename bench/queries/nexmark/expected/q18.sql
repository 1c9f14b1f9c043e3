SELECT auction, bidder, price, channel, url, ts,
       lead(ts) OVER (PARTITION BY bidder, auction ORDER BY ts)
FROM bid
