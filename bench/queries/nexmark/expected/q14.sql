SELECT auction, bidder, price * 908 / 1000.0,
       CASE WHEN date_part('hour', ts) IN (7, 19) THEN 'otherTime'
            WHEN strftime(ts, '%H:%M') > '07:00' AND strftime(ts, '%H:%M') < '19:00' THEN 'dayTime'
            ELSE 'nightTime' END,
       length(regexp_replace(url, '[^c]', '', 'g')), ts
FROM bid WHERE price * 908 > 1000000 * 1000 AND price * 908 < 50000000::BIGINT * 1000
