-- Every bid with the number of its channel: of the four large ones a fixed number, of others the one
-- that its URL gives; bids whose channel has none are left out.
-- The reference engine has no REGEXP_EXTRACT: the text is cut.
SELECT auction, bidder, price, channel,
       CASE lower(channel) WHEN 'apple' THEN '0' WHEN 'google' THEN '1'
                           WHEN 'facebook' THEN '2' WHEN 'baidu' THEN '3'
            ELSE split_part(split_part(url, 'channel_id=', 2), '&', 1) END AS channel_id
FROM bid
WHERE lower(channel) IN ('apple', 'google', 'facebook', 'baidu') OR contains(url, 'channel_id=')
