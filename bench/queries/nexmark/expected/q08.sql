WITH newcomer AS (SELECT id, name, time_bucket(INTERVAL 10 SECONDS, ts) AS start FROM person),
seller AS (SELECT seller AS id, time_bucket(INTERVAL 10 SECONDS, ts) AS start FROM auction)
SELECT id, name, start, start + INTERVAL 10 SECONDS, start + INTERVAL 20 SECONDS
FROM newcomer SEMI JOIN seller USING (id, start)
