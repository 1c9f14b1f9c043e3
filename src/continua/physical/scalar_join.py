"""Scalar join: the values of the only match as columns; two at one instant are an error."""

from __future__ import annotations

from dataclasses import dataclass

from continua.logical.scalar_join import ScalarJoin as LogicalScalarJoin
from continua.physical.boundaries import AT
from continua.physical.builder import Builder
from continua.physical.expression import compile_expression, spark_type
from continua.physical.failures import AT_A_TIME
from continua.physical.match_join import ExtendingJoin
from continua.physical.matching import Question


@dataclass(frozen=True, eq=False)
class ScalarJoin(ExtendingJoin[LogicalScalarJoin]):
    """With one match at a time, the latest one is the one that lasts."""

    carries_out = (LogicalScalarJoin,)

    def question(self, builder: Builder) -> Question:
        mark = f"{AT_A_TIME}{len(builder.failures)}:"
        builder.failures.append(self.node.two_rows)
        types = [spark_type(type_) for type_ in self.schema.types[-self.added :]]
        defaults = [compile_expression(builder, each, ()) for each in self.node.defaults]
        typed = zip(defaults, types, range(self.added), strict=True)
        default = f"struct({', '.join(f'CAST({e} AS {t}) AS v{i}' for e, t, i in typed)})"
        fields = ", ".join(f"v{i}: {type_}" for i, type_ in enumerate(types))
        failure = f"raise_error(concat('{mark}', CAST({AT.t} AS STRING)))"
        return Question(
            self.node.correlation,
            {"matches": "TRUE"},
            f"CASE WHEN matches = 0 THEN {default} WHEN matches = 1 THEN found "
            f"ELSE CAST({failure} AS STRUCT<{fields}>) END",
            default,
            found=", ".join(f"r.c{i} AS v{i}" for i in range(self.added)),
        )

    @property
    def answers(self) -> list[str]:
        return [f"answer.v{i}" for i in range(self.added)]

    @property
    def added(self) -> int:
        """How many columns it adds."""
        return len(self.node.names)
