"""What Spark's analyzer has made of a query: its uppermost operator, and whether it is settled.

Relies on the plan that the analyzer makes, reached by the Java object of a DataFrame, and on the
names of operators in it. Publicly a plan is only printed. What is no plain value is also refused as
the condition of a join; but that takes another analysis, relies on the names of two conditions of
errors instead, and fails inside Spark for some functions. Tried with Spark 4.3.
"""

from __future__ import annotations

from typing import NamedTuple

from pyspark.sql import DataFrame


class AnalyzedPlan(NamedTuple):
    """operator: `Aggregate` where many rows make one, `Project` where rows are made one by one.
    deterministic: whether the same rows always make the same."""

    operator: str
    deterministic: bool


def analyzed_plan(frame: DataFrame) -> AnalyzedPlan:
    plan = frame._jdf.queryExecution().analyzed()
    return AnalyzedPlan(plan.nodeName(), plan.deterministic())
