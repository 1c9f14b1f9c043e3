"""How a graph of relations is written as SQL: for Spark, and for DuckDB."""
