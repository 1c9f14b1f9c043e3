"""Aggregation on Spark: the functions in parts, and the algorithms that combine the parts."""
