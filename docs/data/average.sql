CREATE STREAM readings (ts TIMESTAMP, sensor STRING, celsius DOUBLE)
SOURCE csv('docs/data/readings.csv')
ORDERED BY ts;

SELECT sensor, AVG(celsius) AS mean
FROM readings WINDOW(RANGE 30 SECONDS)
GROUP BY sensor;
