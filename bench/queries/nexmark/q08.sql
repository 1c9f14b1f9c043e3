-- Who has registered and opened an auction within the same ten seconds? They are told when these are
-- over.
SELECT DISTINCT p.id, p.name, p.window_start
FROM TUMBLE(person, 10 SECONDS) p JOIN TUMBLE(auction, 10 SECONDS) a ON p.id = a.seller
