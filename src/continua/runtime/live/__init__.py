"""Queries that run while data arrive: one graph, a slab after the other, exactly once."""
