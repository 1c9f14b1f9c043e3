"""Functions that users know from SQL and that have no place here: the reason, and a way out."""

from __future__ import annotations

from continua.logical.expr.aggregates import AGGREGATES
from continua.logical.expr.function import Refused

SAME_TWICE = "a query means the same whenever it runs: let such values come with the data"
IN_PARTS = "take its parts as columns of their own"
OTHER_AGGREGATES = f"the aggregates are {', '.join(AGGREGATES)}; Session.udaf adds one"

_RANDOM = "does not give the same twice"
_ORDERED = "depends on an order, and a snapshot has none"
_FIRST = "MIN and MAX do not; WINDOW(ROWS 1) keeps the last tuple, ORDER BY … LIMIT 1 takes one"
_MISSING = "is an aggregate that is not here"

_REASONS = {
    ("rand", "randn", "random", "randstr", "uniform", "uuid", "shuffle"): (_RANDOM, SAME_TWICE),
    ("monotonically_increasing_id", "spark_partition_id"): (_RANDOM, SAME_TWICE),
    ("first", "first_value", "last", "last_value", "nth_value", "any_value"): (_ORDERED, _FIRST),
    ("array_agg", "collect_list", "collect_set"): (
        "gives an array, which tuples cannot carry",
        OTHER_AGGREGATES,
    ),
    ("array", "map", "struct", "named_struct"): (
        "gives a value of several parts, which tuples cannot carry",
        IN_PARTS,
    ),
    ("explode", "explode_outer", "posexplode", "posexplode_outer", "inline", "stack"): (
        "makes several rows of one",
        "UNION ALL of several queries does so too",
    ),
    ("count_if",): (_MISSING, "COUNT(*) FILTER (WHERE …) counts the same"),
    ("percentile", "percentile_approx", "approx_percentile", "percentile_cont"): (
        _MISSING,
        "MEDIAN is the one in the middle; Session.udaf adds others",
    ),
    ("approx_count_distinct",): (_MISSING, "COUNT(DISTINCT …) is exact"),
    ("string_agg", "listagg", "mode", "max_by", "min_by", "bool_and", "bool_or"): (
        _MISSING,
        OTHER_AGGREGATES,
    ),
}


def refused(name: str) -> Refused | None:
    """Why a function is none of ours, or None if nothing is known of it."""
    for names, (reason, hint) in _REASONS.items():
        if name.lower() in names:
            return Refused(reason, hint)
    return None
