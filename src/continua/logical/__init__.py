"""The logical algebra: one operator per file, each with its node, its schema and its meaning."""
