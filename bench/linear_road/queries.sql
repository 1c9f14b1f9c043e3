-- All that happens on the road comes in one stream: position reports (type 0) and requests for the
-- balance of an account (type 2). A row of type 9 says that a second has passed, and no more.
CREATE STREAM road (type INT, t INT, vid INT, spd INT, xway INT, lane INT, dir INT, seg INT,
                    pos INT, qid INT)
SOURCE parquet('{reports}') ORDERED BY t;

CREATE STREAM reports AS
SELECT vid, t, spd, xway, lane, dir, seg, pos FROM road WHERE type = 0;

CREATE STREAM requests AS
SELECT vid, t, qid FROM road WHERE type = 2;

-- The mean speed of each vehicle in a segment, of the last complete minute.
CREATE STREAM vehicle_speeds AS
SELECT vid, xway, dir, seg, AVG(spd) AS speed
FROM TUMBLE(reports, 60) GROUP BY vid, xway, dir, seg;

-- The mean of these speeds and the number of vehicles: once for each minute, when it is complete.
CREATE STREAM minutes AS
ISTREAM (SELECT xway, dir, seg, AVG(speed) AS speed, COUNT(*) AS cars
         FROM vehicle_speeds GROUP BY xway, dir, seg);

-- The latest average velocity: the mean of the five minutes before this one.
CREATE STREAM velocities AS
SELECT xway, dir, seg, AVG(speed) AS lav
FROM minutes WINDOW(RANGE 300) GROUP BY xway, dir, seg;

-- A vehicle is stopped if its last four reports are from one position in a travel lane.
CREATE STREAM stopped AS
SELECT vid, xway, dir, lane, seg, pos FROM reports WINDOW(PARTITION BY vid ROWS 4)
GROUP BY vid, xway, dir, lane, seg, pos HAVING COUNT(*) = 4 AND lane BETWEEN 1 AND 3;

-- An accident is a place where two vehicles are stopped.
CREATE STREAM accidents AS
SELECT xway, dir, lane, seg, pos FROM stopped
GROUP BY xway, dir, lane, seg, pos HAVING COUNT(*) >= 2;

-- The accidents there are when a minute begins count for the whole of it.
CREATE STREAM known_accidents AS RSTREAM (SELECT xway, dir, seg FROM accidents) EVERY 60;

CREATE TABLE ahead (segments INT) SOURCE rows((0), (1), (2), (3), (4));

-- The segments from which an accident is so many segments ahead, in the direction of travel.
CREATE STREAM affected AS
SELECT a.xway, a.dir, a.seg AS accident,
       CASE WHEN a.dir = 0 THEN a.seg - ahead.segments ELSE a.seg + ahead.segments END AS seg
FROM known_accidents WINDOW(RANGE 60) AS a CROSS JOIN ahead;

-- The segments that cost something now.
CREATE STREAM tolls AS
SELECT c.xway, c.dir, c.seg, 2 * (c.cars - {crowded}) * (c.cars - {crowded}) AS toll
FROM minutes WINDOW(RANGE 60) AS c JOIN velocities v ON v.xway = c.xway AND v.dir = c.dir AND v.seg = c.seg
WHERE c.cars > {crowded} AND v.lav < 40
  AND NOT EXISTS (SELECT * FROM affected a
                  WHERE a.xway = c.xway AND a.dir = c.dir AND a.seg = c.seg);

-- Reports from another segment than the report 30 s before, and the first ones of a trip.
CREATE STREAM crossings AS
SELECT r.vid, r.t, r.xway, r.lane, r.dir, r.seg, p.seg AS from_seg
FROM reports r LEFT JOIN reports WINDOW(RANGE 31) AS p ON p.vid = r.vid AND p.t < r.t
WHERE p.seg IS NULL OR p.seg <> r.seg;

-- Who enters a segment, and does not leave the road there, is told what it costs.
CREATE STREAM toll_notifications AS
SELECT c.vid, c.t, c.xway, c.dir, c.seg, v.lav, COALESCE(l.toll, 0) AS toll
FROM crossings c
LEFT JOIN velocities v ON v.xway = c.xway AND v.dir = c.dir AND v.seg = c.seg
LEFT JOIN tolls l ON l.xway = c.xway AND l.dir = c.dir AND l.seg = c.seg
WHERE c.lane <> 4;

-- Who enters a segment from which an accident is not far ahead is told where it is.
CREATE STREAM accident_alerts AS
SELECT c.vid, c.t, c.xway, c.dir, c.seg, a.accident
FROM crossings c JOIN affected a ON a.xway = c.xway AND a.dir = c.dir AND a.seg = c.seg
WHERE c.lane <> 4;

-- A toll is charged when its segment is left for the next one: it is the last that was told.
CREATE STREAM charges AS
SELECT c.vid, c.t, n.toll
FROM crossings c ASOF JOIN toll_notifications n MATCH_CONDITION (c.t > n.t) ON c.vid = n.vid
WHERE c.from_seg IS NOT NULL AND n.toll > 0;

CREATE STREAM balances AS
SELECT vid, SUM(toll) AS balance FROM charges WINDOW(UNBOUNDED) GROUP BY vid;

-- Who asks is told the tolls charged so far.
CREATE STREAM answers AS
SELECT q.vid, q.t, q.qid, COALESCE(b.balance, 0) AS balance
FROM requests q LEFT JOIN balances b ON b.vid = q.vid;
