"""Typed scalar expressions and aggregate functions, with their evaluation."""
