WITH known AS (
  SELECT *, list_position(['apple', 'google', 'facebook', 'baidu'], lower(channel)) - 1 AS large
  FROM bid)
SELECT auction, bidder, price, channel,
       coalesce(large::VARCHAR, regexp_extract(url, '[?&]channel_id=([^&]*)', 1)) AS number, ts
FROM known WHERE large IS NOT NULL OR regexp_matches(url, '[?&]channel_id=')
