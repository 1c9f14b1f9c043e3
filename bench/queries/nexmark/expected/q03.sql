SELECT name, city, state, auction.id, greatest(person.ts, auction.ts)
FROM person, auction
WHERE seller = person.id AND category = 10 AND (state = 'OR' OR state = 'ID' OR state = 'CA')
