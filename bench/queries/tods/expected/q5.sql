WITH offer AS (
  SELECT auction AS id, price, ts FROM bid UNION ALL SELECT id, initial_bid, ts FROM auction)
SELECT id, seller, max(price), expires FROM auction JOIN offer USING (id)
WHERE offer.ts <= expires AND offer.ts > expires - INTERVAL 2 DAYS AND auction.ts > expires - INTERVAL 2 DAYS
GROUP BY id, seller, expires
