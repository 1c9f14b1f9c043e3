-- Who sells in category 10 and lives in Oregon, Idaho or California? A pair comes when the later of
-- the person and the auction comes.
ISTREAM (
  SELECT p.name, p.city, p.state, a.id
  FROM auction [UNBOUNDED] a JOIN person [UNBOUNDED] p ON a.seller = p.id
  WHERE a.category = 10 AND p.state IN ('OR', 'ID', 'CA'))
