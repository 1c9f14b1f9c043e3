WITH parts AS (SELECT *, regexp_extract_all(url, '[^/:]+') AS words FROM bid)
SELECT auction, bidder, price, channel, words[3], words[4], words[5], ts FROM parts
