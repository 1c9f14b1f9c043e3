"""Spark: the first stage that imports it."""
