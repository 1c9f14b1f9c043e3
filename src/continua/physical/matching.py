"""The sweep behind semi-, anti-, mark and scalar joins: what the matches of a left tuple say.

A left tuple is asked one question about the right tuples that match it at an instant. While it is
valid its matches come and go: +1 where one starts, -1 where it ends. Running sums over these
boundaries answer the question between any two of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from continua.logical.expr.nodes import Expression
from continua.physical.expression import all_of, compile_expression
from continua.physical.join_predicate import JoinPredicate, split
from continua.physical.script import EMPTY, Rel, Script
from continua.physical.slab import Slab
from continua.physical.theta_join import overlapping, pairs
from continua.physical.time_buckets import Buckets, Side, buckets_for


@dataclass(frozen=True)
class Question:
    """What is asked about the matches of a left tuple.

    predicate: which right tuples match, over `left ∘ right`.
    counts: by name, conditions over a match `l`, `r`; how many matches fulfil them is counted.
    answer: SQL over the counts, and over `found`.
    alone: SQL, the answer where nothing matches.
    found: SQL over a match; of the latest one, `found` is a struct of it.
    """

    predicate: Expression
    counts: Mapping[str, str]
    answer: str
    alone: str
    found: str | None = None
    columns: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", (*self.counts, *(["found"] if self.found else [])))

    def boundary(self, at: str, sign: int) -> str:
        """SQL: what changes at a time where a match starts (1), ends (-1), or none does (0)."""
        changes = [f"{sign}L * {name} AS {name}" for name in self.counts]
        if self.found:
            changes.append(f"{'found' if sign > 0 else 'NULL'} AS found")
        return f"struct({', '.join([f'{at} AS at', *changes])})"


def exists(predicate: Expression) -> Question:
    """Whether there is a match."""
    return Question(predicate, {"matches": "TRUE"}, "matches > 0", "FALSE")


def answered(script: Script, slab: Slab, left: Side, right: Side, question: Question) -> Rel:
    """The left tuples with a column `answer`, in pieces during which it stays the same."""
    columns = [*left.carried, "start", "end", "answer"]
    if left.rel is EMPTY or right.rel is EMPTY:
        outputs = [
            *((c, c) for c in left.carried),
            ("start", slab.clipped_start()),
            ("end", slab.clipped_end()),
            ("answer", question.alone),
        ]
        return script.select("alone", left.rel, outputs)
    parts = split(question.predicate, len(left.values))
    buckets = buckets_for(slab, left.extent, right.extent)
    if parts.relational and not (buckets and buckets.apart):
        meeting = _Meeting(script, slab, left, right, question, parts, buckets)
        by, boundaries = meeting.by, meeting.boundaries()
    else:
        by, boundaries = _apart(script, slab, left, right, question)
    swept = _swept(script, by, boundaries, question)
    turns = _turns(script, by, swept)
    text = (
        f"SELECT {', '.join(columns)} FROM {turns.name} "
        "LATERAL VIEW explode(sequence(1L, copies)) AS copy"
    )
    return script.define("answered", text, columns, [turns])


@dataclass(frozen=True)
class _Meeting:
    """Left tuples cut at the borders of buckets, which their matches meet in one outer join.

    A piece and all its matches have the same keys and bucket, so the sweep runs where the join
    has put them.
    """

    script: Script
    slab: Slab
    left: Side
    right: Side
    question: Question
    predicate: JoinPredicate
    buckets: Buckets | None

    @property
    def places(self) -> tuple[str, ...]:
        """The columns that decide where a piece meets its matches."""
        keys = tuple(f"k{i}" for i in range(len(self.predicate.keys)))
        return (*keys, "bucket") if self.buckets else keys

    @property
    def by(self) -> tuple[str, ...]:
        """The columns of a piece."""
        return (*self.places, *self.left.carried, "start", "end")

    def boundaries(self) -> Rel:
        left, right = self._pieces(), self._rights()
        width = [f"l.{c}" for c in self.left.values] + [f"r.{c}" for c in self.right.values]
        conditions = [
            *(f"l.k{i} {key.operator} r.k{i}" for i, key in enumerate(self.predicate.keys)),
            *(["l.bucket = r.bucket"] if self.buckets else []),
            *overlapping(self._cut(self.left), self._cut(self.right)),
            *(compile_expression(self.script, c, width) for c in self.predicate.rest),
        ]
        outputs = [
            *((c, f"l.{c}") for c in (*self.by, "copies")),
            ("opens", "IF(r.start IS NULL, NULL, greatest(l.start, r.start))"),
            ("closes", "IF(r.start IS NULL, NULL, least(l.end, r.end))"),
            *_counted(self.question),
        ]
        listed = ", ".join(f"{e} AS {name}" for name, e in outputs)
        matched = self.script.define(
            "matched",
            f"SELECT {listed} FROM {left.name} l LEFT JOIN {right.name} r ON {all_of(*conditions)}",
            [name for name, _ in outputs],
            [left, right],
        )
        changes = [self.question.boundary(at, n) for at, n in _CHANGES]
        base = self.question.boundary("start", 0)
        either = f"IF(opens IS NULL, array({base}), array({', '.join([base, *changes])}))"
        return _exploded(self.script, matched, (*self.by, "copies"), either, self.question)

    def _cut(self, side: Side) -> Side:
        """Inside a slab or a bucket nothing lasts for ever; an instant is never cut."""
        return side if side.chronon else replace(side, extent=side.extent.cut)

    def _keys(self, expressions: Sequence[Expression], columns: Sequence[str]) -> list[str]:
        texts = (compile_expression(self.script, e, columns) for e in expressions)
        return [f"{text} AS k{i}" for i, text in enumerate(texts)]

    def _bucket(self) -> list[str]:
        return [f"explode({self.buckets.touched(self.slab)}) AS bucket"] if self.buckets else []

    def _pieces(self) -> Rel:
        """The left tuples with their number of copies, each piece in the place it meets in."""
        keys = self._keys([key.left for key in self.predicate.keys], self.left.values)
        start, end = f"{self.slab.clipped_start()} AS start", f"{self.slab.clipped_end()} AS end"
        listed = [*keys, *self._bucket(), *self.left.carried, start, end]
        places = ", ".join(self.places)
        # Grouping by more than the places finds the rows where they are already.
        rows = f"SELECT {', '.join(listed)} FROM {self.left.rel.name}" + (
            f" DISTRIBUTE BY {places}" if places else ""
        )
        start, end = "start", "end"
        if self.buckets and not self.left.chronon:
            width = self.buckets.width
            start = f"greatest(start, bucket * {width}L)"
            end = f"least(end, bucket * {width}L + {width}L)"
        named = [*self.places, *self.left.carried]
        text = (
            f"SELECT {', '.join([*named, 'start', 'end', 'count(*) AS copies'])} FROM ("
            f"SELECT {', '.join([*named, f'{start} AS start', f'{end} AS end'])} FROM ({rows})) "
            f"GROUP BY {', '.join([*named, 'start', 'end'])}"
        )
        return self.script.define("pieces", text, (*self.by, "copies"), [self.left.rel])

    def _rights(self) -> Rel:
        keys = self._keys([key.right for key in self.predicate.keys], self.right.values)
        listed = [*keys, *self._bucket(), *self.right.values, "start", "end"]
        text = f"SELECT {', '.join(listed)} FROM {self.right.rel.name}"
        columns = (*self.places, *self.right.values, "start", "end")
        return self.script.define("rights", text, columns, [self.right.rel])


_CHANGES = (("opens", 1), ("closes", -1))


def _counted(question: Question) -> list[tuple[str, str]]:
    """Columns of a match: what it adds to each count, and what is found in it."""
    counts = [(name, f"IF({condition}, 1L, 0L)") for name, condition in question.counts.items()]
    found = [("found", f"struct({question.found})")] if question.found else []
    return counts + found


def _apart(
    script: Script, slab: Slab, left: Side, right: Side, question: Question
) -> tuple[tuple[str, ...], Rel]:
    """Left tuples as they are; a pair is found where a theta-join finds it, then brought home.

    For elements that may be too long to be cut at every bucket they touch.
    """
    by = (*left.carried, "start", "end")
    listed = ", ".join(left.carried) + (", " if left.carried else "")
    text = (
        f"SELECT {listed}start, end, count(*) AS copies FROM (SELECT {listed}"
        f"{slab.clipped_start()} AS start, {slab.clipped_end()} AS end FROM {left.rel.name}) "
        f"GROUP BY {listed}start, end"
    )
    pieces = script.define("pieces", text, (*by, "copies"), [left.rel])
    cut = left if left.chronon else replace(left, extent=left.extent.cut)
    outputs = [
        *((c, f"l.{c}") for c in (*by, "copies")),
        ("opens", "greatest(l.start, r.start)"),
        ("closes", "least(l.end, r.end)"),
        *_counted(question),
    ]
    matched = pairs(script, slab, replace(cut, rel=pieces), right, question.predicate, outputs)
    changes = f"array({', '.join(question.boundary(at, n) for at, n in _CHANGES)})"
    boundaries = _exploded(script, matched, (*by, "copies"), changes, question)
    base = [
        *((c, c) for c in (*by, "copies")),
        ("at", "start"),
        *((name, "0L") for name in question.counts),
        *([("found", "NULL")] if question.found else []),
    ]
    return by, script.union("boundaries", script.select("bases", pieces, base), boundaries)


def _exploded(
    script: Script, matched: Rel, kept: Sequence[str], boundaries: str, question: Question
) -> Rel:
    """A row for every boundary inside a piece."""
    columns = [*kept, "at", *question.columns]
    listed = ", ".join([*kept, "b.at", *(f"b.{c}" for c in question.columns)])
    text = (
        f"SELECT {listed} FROM {matched.name} LATERAL VIEW explode({boundaries}) AS b "
        "WHERE b.at < end"
    )
    return script.define("boundaries", text, columns, [matched])


def _swept(script: Script, by: Sequence[str], boundaries: Rel, question: Question) -> Rel:
    """The answer after every boundary; of several rows at one boundary the last knows them all."""
    sums = [f"sum({name}) OVER sweep AS {name}" for name in question.counts]
    if question.found:
        sums.append("last_value(found, TRUE) OVER sweep AS found")
    listed = ", ".join(by)
    columns = (*by, "copies", "at", "answer")
    text = (
        f"SELECT {listed}, copies, at, {question.answer} AS answer FROM ("
        f"SELECT {listed}, copies, at, {', '.join(sums)}, lead(at) OVER peers AS next "
        f"FROM {boundaries.name} WINDOW sweep AS (PARTITION BY {listed} ORDER BY at "
        "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), "
        f"peers AS (PARTITION BY {listed} ORDER BY at)) WHERE next IS DISTINCT FROM at"
    )
    return script.define("swept", text, columns, [boundaries])


def _turns(script: Script, by: Sequence[str], swept: Rel) -> Rel:
    """Pieces from where the answer changes to where it changes next."""
    listed = ", ".join(by)
    whole = ", ".join(c for c in by if c not in ("start", "end"))
    columns = (*(c for c in by if c not in ("start", "end")), "copies", "answer", "start", "end")
    kept = f"{whole}, copies" if whole else "copies"
    text = (
        f"SELECT {kept}, answer, at AS start, coalesce(lead(at) OVER w, end) AS end FROM ("
        f"SELECT {listed}, copies, at, answer, lag(answer) OVER w AS before FROM {swept.name} "
        f"WINDOW w AS (PARTITION BY {listed} ORDER BY at)) "
        "WHERE at = start OR NOT (answer <=> before) "
        f"WINDOW w AS (PARTITION BY {listed} ORDER BY at)"
    )
    return script.define("turns", text, columns, [swept])
