WITH dated AS (SELECT *, ts::DATE AS day FROM bid)
SELECT auction, day::VARCHAR,
       count(*) OVER so_far,
       count(*) FILTER (WHERE price < 10000) OVER so_far,
       count(*) FILTER (WHERE price BETWEEN 10000 AND 999999) OVER so_far,
       count(*) FILTER (WHERE price > 999999) OVER so_far,
       min(price) OVER so_far, max(price) OVER so_far,
       (sum(price) OVER so_far)::DOUBLE / count(*) OVER so_far, sum(price) OVER so_far,
       ts, coalesce(lead(ts) OVER so_far, day + INTERVAL 1 DAY)
FROM dated
WINDOW so_far AS (PARTITION BY auction, day ORDER BY ts ROWS UNBOUNDED PRECEDING)
