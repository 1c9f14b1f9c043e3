"""Scalar join: the value of the only match as a column; two at one instant are an error."""

from __future__ import annotations

from dataclasses import dataclass

from continua.logical.scalar_join import ScalarJoin as LogicalScalarJoin
from continua.physical.expression import compile_expression, spark_type
from continua.physical.failures import TWO_ROWS
from continua.physical.match_join import ExtendingJoin
from continua.physical.matching import Question
from continua.physical.script import Script


@dataclass(frozen=True, eq=False)
class ScalarJoin(ExtendingJoin[LogicalScalarJoin]):
    """With one match at a time, the latest one is the one that lasts."""

    carries_out = (LogicalScalarJoin,)

    def question(self, script: Script) -> Question:
        mark = f"{TWO_ROWS}{len(script.failures)}:"
        script.failures.append(self.node.two_rows)
        type_ = spark_type(self.schema.types[-1])
        default = f"CAST({compile_expression(script, self.node.default, ())} AS {type_})"
        failure = f"raise_error(concat('{mark}', CAST(at AS STRING)))"
        return Question(
            self.node.correlation,
            {"matches": "TRUE"},
            f"CASE WHEN matches = 0 THEN {default} WHEN matches = 1 THEN found.value "
            f"ELSE CAST({failure} AS {type_}) END",
            default,
            found="r.c0 AS value",
        )
