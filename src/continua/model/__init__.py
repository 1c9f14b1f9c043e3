"""Values every stage shares: instants, intervals, types, schemas, tuples, timelines."""
