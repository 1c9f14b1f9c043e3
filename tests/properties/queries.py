"""Random queries over random streams, each query in two texts: ours, and plain SQL for DuckDB.

In the plain text every windowed stream is a table that holds the stream's snapshot. The other
differences are those of the dialects, and the one exception in the meaning of a query: an
aggregate without GROUP BY has no row over nothing, unless it is a subquery in an expression.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, NamedTuple

from hypothesis import strategies as st
from streams import (
    BOOL,
    DEC,
    INT,
    REAL,
    SOURCES,
    TEXT,
    TIME,
    VALUES,
    Clock,
    Source,
    literal,
    literal_row,
    rows_of,
    sources,
)

APPROX = "approx"
"""The type of what may differ in its last digits, and decides nothing."""

NUMERIC = (INT, REAL, DEC)
EXACT = (INT, REAL, DEC, TEXT, BOOL)
COMPARED = (INT, REAL, DEC, TEXT)


class Both(NamedTuple):
    """A piece of a query in the two texts."""

    ours: str
    plain: str


Piece = Both | str


def both(template: str, *parts: Piece) -> Both:
    return apart(template, template, *parts)


def apart(ours: str, plain: str, *parts: Piece) -> Both:
    pairs = [part if isinstance(part, Both) else Both(part, part) for part in parts]
    return Both(
        ours.format(*(part.ours for part in pairs)), plain.format(*(part.plain for part in pairs))
    )


def listed(parts: Sequence[Piece], separator: str = ", ") -> Both:
    return both(separator.join("{}" for _ in parts), *parts)


# Queries.


@dataclass(frozen=True)
class Reference:
    """A windowed stream in a query: what it is called in the plain text, and what fills it."""

    table: str
    source: Source
    feed: str


@dataclass(frozen=True)
class Column:
    """A column of FROM; time attributes are hidden."""

    qualifier: str | None
    name: str
    type: str
    hidden: bool = False

    @property
    def text(self) -> str:
        return f"{self.qualifier}.{self.name}" if self.qualifier else self.name


@dataclass(frozen=True)
class Atom:
    """What an expression may be built of: a column, a grouping expression, an aggregate."""

    text: Both
    type: str
    outer: str | None = None
    """How a subquery may refer to it, if it may."""


@dataclass(frozen=True)
class Query:
    text: Both
    columns: tuple[tuple[str, str], ...]

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(type_ for _, type_ in self.columns)

    @property
    def exact(self) -> bool:
        return APPROX not in self.types


@dataclass
class Case:
    """Streams, their rows, and a query over them."""

    rows: dict[str, list[tuple[object, ...]]]
    views: list[str]
    query: Both
    types: tuple[str, ...]
    references: list[Reference]
    features: set[str]
    sources: tuple[Source, ...] = SOURCES

    @property
    def unit(self) -> int:
        """How many chronons of the streams are between two times of the generator."""
        return self.sources[0].clock.unit

    def instant(self, t: int) -> int:
        """A time of the generator in chronons of the streams."""
        return self.sources[0].origin + t * self.unit

    def __repr__(self) -> str:
        declared = [source.declare(self.rows[source.name]) for source in self.sources]
        feeds = [f"{r.table}: {r.feed}" for r in self.references]
        parts = ["", *declared, *self.views, self.query.ours, "-- plain:", self.query.plain, *feeds]
        return ";\n".join(parts)


@dataclass
class Named:
    """A query with a name: of WITH, or a derived stream."""

    name: str
    columns: tuple[tuple[str, str], ...]


@dataclass
class Generator:
    draw: Any
    sources: tuple[Source, ...] = SOURCES
    features: set[str] = field(default_factory=set)
    references: list[Reference] = field(default_factory=list)
    named: list[Named] = field(default_factory=list)
    numbers: Any = field(default_factory=count)
    budget: int = 5

    # Choices.

    def chance(self, percent: int) -> bool:
        return self.draw(st.integers(0, 99)) >= 100 - percent

    def pick(self, *options: Any) -> Any:
        return self.draw(st.sampled_from(options))

    def upto(self, most: int) -> int:
        return self.draw(st.integers(0, most))

    def name(self, prefix: str) -> str:
        return f"{prefix}{next(self.numbers)}"

    def saw(self, *features: str) -> None:
        self.features.update(features)

    def choose(self, *makers: tuple[int, Callable[[], Any]]) -> Any:
        """One of several makers by their weights."""
        weighted = [make for weight, make in makers for _ in range(weight)]
        return self.pick(*weighted)()

    # FROM.

    def reference(self, source: Source, alias: str) -> Both:
        used = sum(1 for r in self.references if r.source == source)
        table = f"{source.name}_{used}"
        names = ", ".join(name for name, _ in source.all_columns)
        window = self.window(source) if source.windowed else ""
        self.references.append(
            Reference(table, source, f"SELECT {names} FROM {source.name} {window}")
        )
        ours = self.pick(f"{source.name} AS {alias} {window}", f"{source.name} {window} AS {alias}")
        return Both(ours.strip(), f"{table} AS {alias}")

    def window(self, source: Source) -> str:
        kind = self.pick(
            "RANGE",
            "UNBOUNDED",
            "RANGE",
            "none",
            "ROWS",
            "SLIDE",
            "FIXED",
            "PARTITION",
            "NOW",
            "BATCH",
        )
        self.saw(f"window {kind}")
        if kind == "none":
            return ""
        size, step = self.pick(5, 3, 8, 2, 1), self.pick(2, 3)
        columns = [name for name, _ in source.columns]
        unit = " SECONDS" if source.clock is Clock.TIMESTAMP else ""
        inside = {
            "RANGE": f"RANGE {size}{unit}",
            "SLIDE": f"RANGE {size}{unit} SLIDE {step}{unit}",
            "FIXED": f"FIXED {step}{unit}",
            "ROWS": f"ROWS {size}",
            "PARTITION": f"PARTITION BY {self.pick(*columns)} ROWS {self.pick(1, 2)}",
            "UNBOUNDED": "RANGE UNBOUNDED",
            "NOW": "NOW",
            "BATCH": "BATCH",
        }[kind]
        return self.pick(f"WINDOW({inside})", f"[{inside}]")

    def item(self, depth: int) -> tuple[Both, list[Column]]:
        """One item of FROM and its columns."""
        alias = self.name("x")
        streams = self.budget > 0
        self.budget -= 1
        makers = [
            (8 if streams else 0, lambda: self._stream(alias)),
            (2, lambda: self._table(alias)),
            (4 if self.named else 0, lambda: self._named(alias)),
            (1, lambda: self._values(alias)),
            (3 if depth > 0 and streams else 0, lambda: self._derived(alias, depth - 1)),
        ]
        return self.choose(*makers)

    def _columns(self, alias: str, source: Source) -> list[Column]:
        visible = [Column(alias, name, type_) for name, type_ in source.columns]
        times = [(name, type_) for name, type_ in source.all_columns if name in source.times]
        return visible + [Column(alias, name, type_, hidden=True) for name, type_ in times]

    def _stream(self, alias: str) -> tuple[Both, list[Column]]:
        r, q, p, _ = self.sources
        source = self.pick(r, q, r, q, p)
        if source is p:
            self.saw("own validity")
        return self.reference(source, alias), self._columns(alias, source)

    def _table(self, alias: str) -> tuple[Both, list[Column]]:
        self.saw("static table")
        return both(f"k AS {alias}"), self._columns(alias, self.sources[-1])

    def _named(self, alias: str) -> tuple[Both, list[Column]]:
        named = self.pick(*self.named)
        self.saw("named query")
        columns = [Column(alias, name, type_) for name, type_ in named.columns]
        return both(f"{named.name} AS {alias}"), columns

    def _values(self, alias: str) -> tuple[Both, list[Column]]:
        self.saw("values")
        rows = [
            (self.pick(*VALUES[INT], None), self.pick(*VALUES[TEXT]))
            for _ in range(self.pick(1, 2, 3))
        ]
        rows[0] = (1, rows[0][1])
        text = f"(VALUES {', '.join(map(literal_row, rows))}) AS {alias}(m, s)"
        return both(text), [Column(alias, "m", INT), Column(alias, "s", TEXT)]

    def _derived(self, alias: str, depth: int) -> tuple[Both, list[Column]]:
        self.saw("subquery in FROM")
        query = self.query(depth)
        columns, names = query.columns, ""
        if self.chance(20):
            self.saw("column aliases")
            columns = tuple((self.name("n"), type_) for _, type_ in columns)
            names = f"({', '.join(name for name, _ in columns)})"
        found = [Column(alias, name, type_) for name, type_ in columns]
        return both(f"({{}}) AS {alias}{names}", query.text), found

    def from_(self, depth: int, joins: bool = True) -> tuple[Both, list[Column]]:
        text, columns = self.item(depth)
        for _ in range(self.pick(0, 0, 1, 1, 2, 3) if joins else 0):
            if self.chance(12):
                self.saw("nested join")
                first, second = self.item(depth - 1), self.item(depth - 1)
                right, others = self.join(*first, *second)
                right = both("({})", right)
            else:
                right, others = self.item(depth - 1)
            if self.chance(15):
                # As in Spark, a comma is a join like any other: (a, b) JOIN c.
                self.saw("comma join")
                text, columns = apart("{}, {}", "{} CROSS JOIN {}", text, right), columns + others
            else:
                text, columns = self.join(text, columns, right, others)
        return text, columns

    def join(
        self, left: Both, columns: list[Column], right: Both, others: list[Column]
    ) -> tuple[Both, list[Column]]:
        kind = self.pick("INNER", "LEFT", "FULL", "RIGHT", "CROSS", "SEMI", "ANTI")
        merged = {c.name for c in columns if not c.qualifier}
        if kind in ("SEMI", "ANTI") and merged & {c.name for c in others if not c.qualifier}:
            # DuckDB takes the merged column of the right side for one that is still there.
            kind = "INNER"
        self.saw(f"{kind.lower()} join")
        if kind == "CROSS":
            return both("{} CROSS JOIN {}", left, right), columns + others
        word = {
            "INNER": Both(*[self.pick("JOIN", "INNER JOIN")] * 2),
            "SEMI": Both("LEFT SEMI JOIN", "SEMI JOIN"),
            "ANTI": Both("LEFT ANTI JOIN", "ANTI JOIN"),
        }.get(kind) or Both(*[self.pick(f"{kind} JOIN", f"{kind} OUTER JOIN")] * 2)
        common = self._common(columns, others)
        how = self.pick("on", "on", "using", "natural")
        # A name that stands on one side twice could mean either.
        sound = all(self._alone(name, columns) and self._alone(name, others) for name in common)
        if how != "on" and sound and common:
            return self._merged(left, columns, right, others, kind, word, how, common)
        if how == "natural" and not common and kind == "INNER":
            text = apart("{0} NATURAL JOIN {1}", "{0} CROSS JOIN {1}", left, right)
            return text, columns + others
        condition = self.join_condition(columns, others)
        scope = columns if kind in ("SEMI", "ANTI") else columns + others
        return both("{} {} {} ON {}", left, word, right, condition), scope

    def _common(self, columns: list[Column], others: list[Column]) -> list[str]:
        names = [c.name for c in columns if not c.hidden]
        return [
            name
            for name in dict.fromkeys(names)
            if any(c.name == name and not c.hidden for c in others)
        ]

    def _alone(self, name: str, columns: list[Column]) -> bool:
        return sum(c.name == name for c in columns) == 1

    def _merged(
        self,
        left: Both,
        columns: list[Column],
        right: Both,
        others: list[Column],
        kind: str,
        word: Both,
        how: str,
        common: list[str],
    ) -> tuple[Both, list[Column]]:
        self.saw(f"{how} join")
        types = {c.name: c.type for c in columns + others}
        if how == "using" or kind in ("SEMI", "ANTI"):
            how = "using"
            common = sorted(set(self.draw(st.lists(st.sampled_from(common), min_size=1))))
            if kind == "FULL":
                self.saw("full join using")
        ours = "{1} NATURAL {0} {2}" if how == "natural" else "{1} {0} {2} USING ({3})"
        text = apart(ours, "{1} {0} {2} USING ({3})", word, left, right, ", ".join(common))
        if kind in ("SEMI", "ANTI"):
            return text, columns
        # The merged columns come first; each side keeps its own under its qualifier.
        first = [Column(None, name, types[name]) for name in common]
        rest = [replace(c, hidden=c.hidden or c.name in common) for c in columns + others]
        return text, first + [c for c in rest if c.qualifier or c.name not in common]

    def join_condition(self, columns: list[Column], others: list[Column]) -> Both:
        sound = self._sound(columns + others)
        pairs = [
            (a, b) for a in sound for b in sound if a in columns and b in others and self._fit(a, b)
        ]
        parts: list[Both] = []
        if pairs and self.chance(75):
            a, b = self.pick(*pairs)
            self.saw("equi condition")
            parts.append(both("{} = {}", *self.pick((a.text, b.text), (b.text, a.text))))
        if not parts or self.chance(40):
            self.saw("theta condition")
            parts.append(self.condition(self.atoms(columns + others), 1, 0))
        return listed(parts, " AND ")

    def _fit(self, a: Column, b: Column) -> bool:
        return APPROX not in (a.type, b.type) and (
            a.type == b.type or (a.type in NUMERIC and b.type in NUMERIC)
        )

    def _sound(self, columns: list[Column]) -> list[Column]:
        """The columns that can be named: a merged one must be the only one of its name."""
        return [
            c
            for c in columns
            if c.qualifier
            or sum(o.name == c.name and not (o.hidden and o.qualifier) for o in columns) == 1
        ]

    def atoms(self, columns: list[Column]) -> list[Atom]:
        found = []
        for c in self._sound(columns):
            if c.hidden and c.name in ("ts", "te") and not self.chance(30):
                continue
            found.append(Atom(both(c.text), c.type, c.text if c.qualifier else None))
        return found

    # Expressions.

    def of_type(self, atoms: Sequence[Atom], type_: str) -> list[Atom]:
        return [atom for atom in atoms if atom.type == type_]

    def expression(self, atoms: Sequence[Atom], type_: str, depth: int, subqueries: int) -> Both:
        """An expression of a type; `subqueries` is how deep those in it may be nested."""
        known = self.of_type(atoms, type_)
        if known and (depth <= 0 or self.chance(60)):
            return self.pick(*known).text
        if type_ == BOOL:
            return both("({})", self.condition(atoms, depth, subqueries))
        if depth <= 0:
            return self.constant(type_)
        if subqueries > 0 and type_ in COMPARED and self.chance(40):
            return self.scalar(atoms, type_, subqueries - 1)

        def down(t: str) -> Both:
            return self.expression(atoms, t, depth - 1, subqueries)

        makers = {
            INT: self._integer,
            REAL: self._real,
            DEC: self._decimal,
            TEXT: self._text,
            APPROX: self._approximate,
            TIME: lambda _: self.constant(TIME),
        }
        return makers[type_](down)

    def constant(self, type_: str) -> Both:
        if type_ == BOOL:
            return both(self.pick("TRUE", "FALSE"))
        if type_ == APPROX:
            return both("0.1e0")
        if type_ == TIME:
            return both(literal(self.sources[0].stamp(self.pick(1, 3, -1, 6))))
        if self.chance(8):
            names = {INT: Both("INT", "INTEGER"), TEXT: Both("STRING", "VARCHAR")}
            plain = {REAL: Both("DOUBLE", "DOUBLE"), DEC: Both("DECIMAL(6,2)", "DECIMAL(6,2)")}
            return both("CAST(NULL AS {})", (names | plain)[type_])
        return both(literal(self.pick(*VALUES[type_])).replace("-", " -"))

    def _conditional(self, down: Any, type_: str) -> Both:
        self.saw("conditional")
        form = self.pick(
            "COALESCE({}, {})",
            "NULLIF({}, {})",
            "CASE WHEN {2} THEN {0} ELSE {1} END",
            "CASE WHEN {2} THEN {0} END",
        )
        return both(form, down(type_), down(type_), down(BOOL))

    def _integer(self, down: Any) -> Both:
        self.saw("arithmetic")
        return self.choose(
            (3, lambda: both(f"({{}} {self.pick('+', '-', '*')} {{}})", down(INT), down(INT))),
            (
                1,
                lambda: apart("({} div {})", "({} // {})", down(INT), self.pick(" 2", " 3", " -2")),
            ),
            (
                1,
                lambda: apart(
                    "({} div NULLIF({}, 0))", "({} // NULLIF({}, 0))", down(INT), down(INT)
                ),
            ),
            (1, lambda: both("({} % {})", down(INT), self.pick(" 2", " 3", " -2"))),
            (1, lambda: both("(- {})", down(INT))),
            (1, lambda: both("ABS({})", down(INT))),
            (1, lambda: both("LENGTH({})", down(TEXT))),
            (2, lambda: self._conditional(down, INT)),
        )

    def _real(self, down: Any) -> Both:
        self.saw("arithmetic")
        return self.choose(
            (
                2,
                lambda: both(
                    f"({{}} {self.pick('+', '-')} {{}})", down(REAL), down(self.pick(REAL, INT))
                ),
            ),
            (1, lambda: both("({} / {})", down(INT), self.pick(" 2", " 4", " -2"))),
            (1, lambda: both("CAST({} AS DOUBLE)", down(self.pick(INT, DEC)))),
            (1, lambda: self._conditional(down, REAL)),
        )

    def _decimal(self, down: Any) -> Both:
        self.saw("arithmetic")
        return self.choose(
            (
                2,
                lambda: both(
                    f"({{}} {self.pick('+', '-')} {{}})", down(DEC), down(self.pick(DEC, INT))
                ),
            ),
            (
                1,
                lambda: both(
                    "CAST(({} * {}) AS DECIMAL(20,4))", down(DEC), self.pick(" 2", " -1.5")
                ),
            ),
            (1, lambda: self._conditional(down, DEC)),
        )

    def _text(self, down: Any) -> Both:
        return self.choose(
            (2, lambda: both("({} || {})", down(TEXT), down(TEXT))),
            (1, lambda: both("UPPER({})", down(TEXT))),
            (1, lambda: both("CAST({0} AS {1})", down(INT), Both("STRING", "VARCHAR"))),
            (2, lambda: self._conditional(down, TEXT)),
        )

    def _approximate(self, down: Any) -> Both:
        self.saw("division")
        return self.choose(
            (2, lambda: both("({} / {})", down(INT), self.pick(" 3", " -7"))),
            (1, lambda: both("({} / NULLIF({}, 0))", down(INT), down(INT))),
            (1, lambda: both("({} / NULLIF({}, 0))", down(REAL), down(INT))),
        )

    # Conditions.

    def condition(self, atoms: Sequence[Atom], depth: int, subqueries: int) -> Both:
        """A condition whose truth may be NULL."""
        if subqueries > 0 and self.chance(30):
            self.saw("subquery under OR or NOT or in SELECT")
            return self.quantified(atoms, subqueries - 1)
        if depth > 0 and self.chance(45):

            def down() -> Both:
                return self.condition(atoms, depth - 1, subqueries)

            return self.choose(
                (2, lambda: both("({} AND {})", down(), down())),
                (3, lambda: both("({} OR {})", down(), down())),
                (2, lambda: both("NOT ({})", down())),
                (
                    1,
                    lambda: both(
                        f"(({{}}) IS {self.pick('', 'NOT ')}{self.pick('TRUE', 'FALSE', 'NULL')})",
                        down(),
                    ),
                ),
            )
        return self.comparison(atoms, depth)

    def comparison(self, atoms: Sequence[Atom], depth: int) -> Both:
        type_ = self.some_type(atoms)

        def down(t: str = type_) -> Both:
            return self.expression(atoms, t, depth, 0)

        def apart_from(left: Both, t: str) -> Both:
            """Something else: a column compared with itself says little."""
            others = [a for a in atoms if a.text != left]
            if self.chance(50) or not self.of_type(others, t):
                return self.constant(t)
            return self.expression(others, t, depth, 0)

        def compared() -> Both:
            other = self.pick(*NUMERIC) if type_ in NUMERIC and self.chance(30) else type_
            operator = self.pick(">=", "<=", "<>", "=", "<", ">")
            left = down()
            return both(f"{{}} {operator} {{}}", left, apart_from(left, other))

        def beside(ours: str, plain: str) -> Both:
            left = down()
            others = [apart_from(left, type_) for _ in range(ours.count("{}") - 1)]
            return apart(ours, plain, left, *others)

        return self.choose(
            (6, compared),
            (1, lambda: beside("({} <=> {})", "({} IS NOT DISTINCT FROM {})")),
            (2, lambda: both(f"{{}} IS {self.pick('', 'NOT ')}NULL", down())),
            (1, lambda: beside(*[f"{{}} {self.pick('', 'NOT ')}BETWEEN {{}} AND {{}}"] * 2)),
            (1, lambda: beside(*[f"{{}} {self.pick('', 'NOT ')}IN ({{}}, {{}})"] * 2)),
            (
                1,
                lambda: both(
                    f"{{}} {self.pick('', 'NOT ')}LIKE '{self.pick('%a%', '_', '', 'a%')}'",
                    down(TEXT),
                ),
            ),
        )

    def some_type(self, atoms: Sequence[Atom]) -> str:
        """A type to compare, rather one that there are columns of."""
        return self.pick(*(sorted({a.type for a in atoms} & {*COMPARED, TIME}) or [INT]))

    # Subqueries in expressions.

    def quantified(self, atoms: Sequence[Atom], depth: int) -> Both:
        """IN, EXISTS, ANY or ALL."""
        kind = self.pick("IN", "NOT IN", "EXISTS", "NOT EXISTS", "ANY", "ALL")
        self.saw(kind)
        if kind.endswith("EXISTS"):
            return both(f"{kind} ({{}})", self.subquery(atoms, self.pick(INT, TEXT), depth))
        type_ = self.some_type(atoms)
        # Columns by themselves are more often equal than what is computed.
        left = self.expression(atoms, type_, self.pick(0, 1), 0)
        inner = self.subquery(atoms, type_, depth)
        if kind.endswith("IN"):
            return both(f"{{}} {kind} ({{}})", left, inner)
        operator = self.pick("=", "<>", "<", "<=", ">", ">=")
        return both(f"{{}} {operator} {kind} ({{}})", left, inner)

    def subquery(self, atoms: Sequence[Atom], type_: str, depth: int) -> Both:
        """A subquery of one column, correlated or not."""
        outer = [a for a in atoms if a.outer and a.type in (*COMPARED, TIME)]
        kind = self.pick(
            "plain", "plain", "plain", "aggregate", "grouped", "any query", "any query"
        )
        if kind == "any query":
            self.saw("any query in an expression")
            return self.query(depth, wanted=(type_,), expression=True, named=True).text
        text, columns = self.from_(depth, joins=self.chance(25))
        inner = self.atoms(columns)
        conjuncts = []
        if outer and self.chance(60):
            theta = kind == "plain" and self.chance(45)
            conjuncts.append(self.correlation(inner, outer, theta))
        conjuncts = [part for part in conjuncts if part is not None]
        correlated = bool(conjuncts)
        if self.chance(40):
            conjuncts.insert(self.upto(len(conjuncts)), self.condition(inner, 1, 0))
        where = both(" WHERE {}", listed(conjuncts, " AND ")) if conjuncts else both("")
        if kind == "plain":
            distinct = "DISTINCT " if self.chance(15) else ""
            output = self.expression(inner, type_, 1, 0)
            return both(
                f"SELECT {distinct}{{}} AS {self.name('o')} FROM {{}}{{}}", output, text, where
            )
        self.saw(f"{'correlated ' * correlated}aggregate in an expression")
        aggregates = [self.aggregate(inner, type_)]
        if kind == "aggregate":
            output = self.expression([*aggregates, *self.more(inner, type_)], type_, 1, 0)
            if not self._has_aggregate(output):
                output = aggregates[0].text
            having = both("")
            if not correlated and self.chance(20):
                having = both(
                    " HAVING {}", self.comparison([*aggregates, Atom(both("COUNT(*)"), INT)], 0)
                )
            return both(
                f"SELECT {{}} AS {self.name('o')} FROM {{}}{{}}{{}}", output, text, where, having
            )
        key = self.pick(*[a for a in inner if a.type in (INT, TEXT)] or [Atom(both("1 + 1"), INT)])
        output = self.expression([*aggregates, key], type_, 0, 0)
        having = both("")
        if self.chance(30):
            having = both(" HAVING {}", self.comparison([key, Atom(both("COUNT(*)"), INT)], 0))
        return both(
            f"SELECT {{}} AS {self.name('o')} FROM {{}}{{}} GROUP BY {{}}{{}}",
            output,
            text,
            where,
            key.text,
            having,
        )

    def more(self, inner: Sequence[Atom], type_: str) -> list[Atom]:
        return [self.aggregate(inner, type_)] if self.chance(30) else []

    def _has_aggregate(self, text: Both) -> bool:
        return any(f"{name}(" in text.ours for name in ("COUNT", "SUM", "MIN", "MAX", "MEDIAN"))

    def correlation(self, inner: Sequence[Atom], outer: Sequence[Atom], theta: bool) -> Both | None:
        pairs = [
            (i, o)
            for i in inner
            for o in outer
            if i.type == o.type or (i.type in NUMERIC and o.type in NUMERIC)
        ]
        if not pairs:
            return None
        i, o = self.pick(*pairs)
        self.saw("theta correlation" if theta else "equality correlation")
        operator = self.pick("<", ">=", "<>") if theta else "="
        sides = (i.text, both(o.outer or ""))
        return both(f"{{}} {operator} {{}}", *self.pick(sides, sides[::-1]))

    def scalar(self, atoms: Sequence[Atom], type_: str, depth: int) -> Both:
        """A scalar subquery: an aggregate, or the first row of an order."""
        self.saw("scalar subquery")
        outer = [a for a in atoms if a.outer and a.type in (*COMPARED, TIME)]
        before, known = both(""), list(self.named)
        if self.chance(15):
            self.saw("WITH in a scalar subquery")
            name, common = self.name("c"), self.query(max(0, depth - 1), exact=True)
            self.named.append(Named(name, common.columns))
            before = both(f"WITH {name} AS ({{}}) ", common.text)
            # What is correlated cannot have a WITH.
            outer = []
        text, columns = self.from_(depth, joins=self.chance(20))
        self.named = known
        inner = self.atoms(columns)
        if not before.ours and self.chance(15):
            self.saw("scalar top 1")
            output = self.expression(inner, type_, 1, 0)
            name = self.name("o")
            return both(
                f"(SELECT {{}} AS {name} FROM {{}} ORDER BY {{}} LIMIT 1)",
                output,
                text,
                apart(
                    f"{name}{{0}}",
                    "1{1}",
                    *self.pick(("", " NULLS FIRST"), (" DESC", " DESC NULLS LAST")),
                ),
            )
        conjuncts = []
        if outer and self.chance(60):
            correlation = self.correlation(inner, outer, theta=False)
            if correlation is not None:
                self.saw("correlated scalar subquery")
                conjuncts.append(correlation)
        if self.chance(30):
            conjuncts.append(self.condition(inner, 1, 0))
        where = both(" WHERE {}", listed(conjuncts, " AND ")) if conjuncts else both("")
        aggregate = self.aggregate(inner, type_)
        output = aggregate.text
        if self.chance(30):
            output = both("COALESCE({}, {})", output, self.constant(type_))
        name = self.name("o")
        return both(f"({{}}SELECT {{}} AS {name} FROM {{}}{{}})", before, output, text, where)

    # Aggregates.

    def aggregate(self, atoms: Sequence[Atom], type_: str) -> Atom:

        def down(t: str) -> Both:
            return self.expression(atoms, t, 1, 0)

        def call(template: str, argument: str, result: str, name: str) -> Atom:
            self.saw(name)
            return Atom(both(template, down(argument)), result)

        def extreme() -> Atom:
            name = self.pick("MIN", "MAX")
            return call(f"{name}({{}})", type_, type_, name)

        def count_all() -> Atom:
            self.saw("COUNT(*)")
            return Atom(both("COUNT(*)"), INT)

        def median() -> Atom:
            self.saw("MEDIAN")
            return Atom(
                apart("MEDIAN({})", "MEDIAN(CAST({} AS DOUBLE))", down(self.pick(INT, REAL, DEC))),
                REAL,
            )

        if type_ == APPROX:
            name = self.pick("AVG", "STDDEV", "VARIANCE", "STDDEV_POP", "VAR_POP")
            return call(f"{name}({{}})", self.pick(*NUMERIC), APPROX, name)
        if type_ == INT:
            return self.choose(
                (3, count_all),
                (2, lambda: call("COUNT({})", self.pick(*COMPARED), INT, "COUNT")),
                (
                    2,
                    lambda: call(
                        "COUNT(DISTINCT {})", self.pick(*COMPARED), INT, "COUNT(DISTINCT)"
                    ),
                ),
                (2, lambda: call("SUM({})", INT, INT, "SUM")),
                (1, lambda: call("SUM(DISTINCT {})", INT, INT, "SUM(DISTINCT)")),
                (3, extreme),
            )
        if type_ == REAL:
            return self.choose(
                (2, lambda: call("SUM({})", REAL, REAL, "SUM")), (2, median), (2, extreme)
            )
        if type_ == DEC:
            summed = "CAST(SUM({}) AS DECIMAL(20,4))"
            return self.choose((1, lambda: call(summed, DEC, DEC, "SUM")), (1, extreme))
        if type_ == BOOL:
            return Atom(both("({} > {})", self.aggregate(atoms, INT).text, " 1"), BOOL)
        return extreme()

    # Whole queries.

    def query(
        self,
        depth: int,
        wanted: tuple[str, ...] | None = None,
        expression: bool = False,
        named: bool = False,
        exact: bool = False,
        top: bool = False,
    ) -> Query:
        """A query. `wanted` are the types of its outputs; `expression` says that it is a subquery
        in an expression; `named` allows a WITH of its own; `exact` forbids approximate outputs."""
        if named and self.chance(25):
            self.saw("WITH in a subquery")
            known = list(self.named)
            name, inner = self.name("c"), self.query(max(0, depth - 1), exact=True)
            self.named.append(Named(name, inner.columns))
            outer = self.query(max(0, depth - 1), wanted, expression, exact=exact)
            self.named = known
            return Query(both(f"WITH {name} AS ({{}}) {{}}", inner.text, outer.text), outer.columns)
        if (depth > 0 or expression) and self.chance(35 if expression else 25):
            return self.set_operation(max(0, depth - 1), wanted, expression, top)
        return self.select(depth, wanted, expression, exact, top)

    def set_operation(
        self, depth: int, wanted: tuple[str, ...] | None, expression: bool, top: bool
    ) -> Query:
        wanted = wanted or tuple(self.pick(*EXACT) for _ in range(1 + self.upto(1)))
        # Columns by themselves are more often common to two branches than what is computed.
        deep = 0 if self.chance(60) else 2
        branches = [
            self.select(depth, wanted, expression, True, False, limit=False, deep=deep)
            for _ in range(2 + self.chance(30))
        ]
        operators = []
        for _ in branches[1:]:
            operator = self.pick("UNION", "EXCEPT", "INTERSECT") + self.pick("", " ALL")
            self.saw(operator)
            operators.append(operator)
        if len(branches) == 3:
            self.saw("three branches")
        bare = self.chance(50)
        parts: list[Piece] = [branches[0].text if bare else both("({})", branches[0].text)]
        for operator, branch in zip(operators, branches[1:], strict=True):
            parts += [operator, branch.text if bare else both("({})", branch.text)]
        text = listed(parts, " ")
        columns = branches[0].columns
        if self.chance(20):
            self.saw("top-k of a set operation")
            text = self.top_k(text, [both(str(i + 1)) for i in range(len(columns))], len(columns))
        return Query(text, columns)

    def top_k(self, text: Both, keys: Sequence[Both], width: int) -> Both:
        """ORDER BY … LIMIT; in the plain text with the order of NULLs and of ties written out."""
        chosen = [self.pick(*keys) for _ in range(1 + self.chance(30))]
        ordered = []
        for key in chosen:
            ours, plain = self.pick(
                ("", " NULLS FIRST"),
                (" DESC", " DESC NULLS LAST"),
                (" ASC NULLS LAST", " ASC NULLS LAST"),
                (" DESC NULLS FIRST", " DESC NULLS FIRST"),
            )
            ordered.append(apart("{0}{1}", "{0}{2}", key, ours, plain))
        ties = [f"{i + 1} NULLS FIRST" for i in range(width)]
        limit = self.pick("2", "1", "3", "5", "4", "2", "0")
        order = Both(listed(ordered).ours, ", ".join([o.plain for o in ordered] + ties))
        return both(f"{{}} ORDER BY {{}} LIMIT {limit}", text, order)

    def select(
        self,
        depth: int,
        wanted: tuple[str, ...] | None,
        expression: bool,
        exact: bool,
        top: bool,
        limit: bool = True,
        deep: int = 2,
    ) -> Query:
        """A SELECT whose outputs are expressions so deep."""
        text, columns = self.from_(depth)
        atoms = self.atoms(columns)
        where = both("")
        if self.chance(40):
            self.saw("WHERE")
            where = both(" WHERE {}", self.where(atoms, depth))
        if self.chance(60 if expression else 35):
            return self.aggregated(text, where, atoms, depth, wanted, expression, exact, limit)
        if wanted is None and self.chance(25):
            star = self.star(text, columns, where, top)
            if star is not None and (star.exact or not exact):
                return star
        types = wanted or self.output_types(exact)
        names = [self.name("o") for _ in types]
        if self.chance(25) and depth > 0:
            self.saw("subquery in SELECT")
        outputs = [self.expression(atoms, t, deep, depth if self.chance(50) else 0) for t in types]
        return self.finished(text, where, both(""), both(""), outputs, names, types, limit, atoms)

    def output_types(self, exact: bool) -> tuple[str, ...]:
        options = EXACT if exact else (INT, TEXT, APPROX, REAL, DEC, BOOL)
        return tuple(self.pick(*options) for _ in range(1 + self.upto(2)))

    def star(self, text: Both, columns: list[Column], where: Both, top: bool) -> Query | None:
        visible = [c for c in columns if not c.hidden]
        names = [c.name for c in visible]
        if not visible or visible != [c for c in self._sound(columns) if not c.hidden]:
            return None
        if len(set(names)) < len(names) and not top:
            return None
        self.saw("SELECT *")
        outputs = Both("*", ", ".join(c.text for c in visible))
        found = tuple((c.name, c.type) for c in visible)
        return Query(both("SELECT {} FROM {}{}", outputs, text, where), found)

    def where(self, atoms: Sequence[Atom], depth: int) -> Both:
        """Conjuncts, of which some may be quantified conditions by themselves."""
        parts = []
        for _ in range(1 + self.chance(40)):
            if depth > 0 and self.chance(35):
                self.saw("subquery in WHERE")
                test = self.quantified(atoms, depth - 1)
                parts.append(both("NOT ({})", test) if self.chance(20) else test)
            else:
                parts.append(self.condition(atoms, 2, depth if self.chance(30) else 0))
        return listed(parts, " AND ")

    def aggregated(
        self,
        text: Both,
        where: Both,
        atoms: list[Atom],
        depth: int,
        wanted: tuple[str, ...] | None,
        expression: bool,
        exact: bool,
        limit: bool,
    ) -> Query:
        keys: list[Atom] = []
        if self.chance(30 if expression else 70):
            self.saw("GROUP BY")
            for _ in range(1 + self.chance(30)):
                if self.chance(70) and any(a.type != APPROX for a in atoms):
                    keys.append(self.pick(*[a for a in atoms if a.type != APPROX]))
                else:
                    # A constant would be the number of an output.
                    computed = both("({} + {})", self.expression(atoms, INT, 1, 0), " 1")
                    keys.append(Atom(computed, INT))
        else:
            self.saw("ungrouped aggregate")
        types = wanted or self.output_types(exact)
        aggregates = [self.aggregate(atoms, t) for t in (*types, INT)]
        inside = [*keys, *aggregates]
        subqueries = depth if self.chance(25) else 0
        if subqueries and keys:
            self.saw("subquery beside GROUP BY")
        outputs = [self.expression(inside, t, 1, subqueries) for t in types]
        # Aggregates of subqueries do not make an aggregate of the query around them.
        folded = any(a.text.ours in output.ours for a in aggregates for output in outputs)
        if not keys and not folded:
            outputs[0] = self.aggregate(atoms, types[0]).text
        names = [self.name("o") for _ in types]
        group = both("")
        if keys:
            grouping = [self._grouping(key, outputs) for key in keys]
            group = both(" GROUP BY {}", listed(grouping))
        having: Both | None = None
        if self.chance(30):
            self.saw("HAVING")
            exact_ones = [a for a in inside if a.type != APPROX]
            having = self.condition(exact_ones, 1, depth if self.chance(30) else 0)
        clause = both(" HAVING {}", having) if having else both("")
        if not keys and not expression:
            # An aggregate over nothing has no row.
            clause = Both(
                clause.ours,
                f" HAVING ({having.plain}) AND COUNT(*) > 0" if having else " HAVING COUNT(*) > 0",
            )
        return self.finished(text, where, group, clause, outputs, names, types, limit, inside)

    def _grouping(self, key: Atom, outputs: list[Both]) -> Piece:
        if key.text in outputs and self.chance(60):
            self.saw("GROUP BY number")
            return str(outputs.index(key.text) + 1)
        return key.text

    def finished(
        self,
        text: Both,
        where: Both,
        group: Both,
        having: Both,
        outputs: list[Both],
        names: list[str],
        types: Sequence[str],
        limit: bool,
        atoms: Sequence[Atom],
    ) -> Query:
        named = [
            both(f"{{}} AS {name}", output) for name, output in zip(names, outputs, strict=True)
        ]
        exact = APPROX not in types
        distinct = ""
        if exact and self.chance(15):
            self.saw("DISTINCT")
            distinct = "DISTINCT "
        whole = both(
            f"SELECT {distinct}{{}} FROM {{}}{{}}{{}}{{}}",
            listed(named),
            text,
            where,
            group,
            having,
        )
        if limit and exact and self.chance(28):
            self.saw("top-k")
            keys = [both(name) for name in names] + [both(str(i + 1)) for i in range(len(names))]
            hidden = [a.text for a in atoms if a.type != APPROX and "(" not in a.text.ours]
            if not distinct and not group.ours and not having.plain and hidden and self.chance(50):
                self.saw("top-k by a column that is not put out")
                keys = hidden
            whole = self.top_k(whole, keys, len(names))
        return Query(whole, tuple(zip(names, types, strict=True)))

    def case(self) -> Case:
        rows = {s.name: self.draw(rows_of(s, 8 if s.times else 4)) for s in self.sources}
        self.saw(f"time as {self.sources[0].clock.name}")
        if not all(rows.values()):
            self.saw("an empty stream")
        views, common = [], []
        # Derived streams come first: they do not see the queries of WITH.
        for derived in [True] * self.pick(0, 0, 0, 1) + [False] * self.pick(0, 0, 0, 1, 2):
            self.budget = 3
            name, inner = self.name("c"), self.query(1)
            columns, names = inner.columns, ""
            if derived:
                self.saw("derived stream")
                views.append(f"CREATE STREAM {name} AS {inner.text.ours}")
            else:
                self.saw("WITH")
                if self.chance(30):
                    columns = tuple((self.name("n"), type_) for _, type_ in columns)
                    names = f"({', '.join(column for column, _ in columns)})"
            common.append((not derived, both(f"{name}{names} AS ({{}})", inner.text)))
            self.named.append(Named(name, columns))
        self.budget = 4
        query = self.query(self.pick(2, 1, 3), top=True)
        text = query.text
        if common:
            ours = [c.ours for written, c in common if written]
            plain = f"WITH {', '.join(c.plain for _, c in common)} {text.plain}"
            text = Both(f"WITH {', '.join(ours)} {text.ours}" if ours else text.ours, plain)
        return Case(rows, views, text, query.types, self.references, self.features, self.sources)


@st.composite
def cases(draw: Any, extreme: bool = False) -> Case:
    """Extreme ones have values and times that are as great, small or odd as they can be."""
    return Generator(draw, draw(sources(extreme))).case()


@st.composite
def batched_cases(draw: Any, extreme: bool = False) -> Case:
    """Cases whose streams may have several batches at a time, numbered together.

    p, whose tuples have a validity of their own, is in no batches, and so not in such a query.
    """
    case = draw(cases(extreme).filter(_without_p))
    r, q, *_ = case.sources
    common = sorted({name for name, _ in r.columns} & {name for name, _ in q.columns})
    ordered = [f"TUPLE BY {name}" for name in common] + [f"BATCH BY {name}" for name in common]
    members = draw(st.sampled_from(["r, q", "q, r"]))
    how = draw(st.sampled_from(["TUPLE", *ordered]))
    return replace(case, views=[f"CREATE GROUP g OF {members} SIMULTANEITY {how}", *case.views])


def _without_p(case: Case) -> bool:
    return not any(re.search(r"\bp\b", text) for text in (case.query.ours, *case.views))
