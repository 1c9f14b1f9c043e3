"""What semi-, anti-, mark and scalar joins ask: what do the matches of a left tuple say?

While a left tuple is valid its matches come and go: +1 where one starts, -1 where it ends. Running
sums over these boundaries answer a question about them between any two of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from continua.logical.expr.nodes import Expression
from continua.physical.join_predicate import alternatives, split
from continua.physical.matches import apart, in_place
from continua.physical.pairs import band_for, meeting, places_for
from continua.physical.script import EMPTY, Rel, Script
from continua.physical.slab import Slab
from continua.physical.time_buckets import Side


@dataclass(frozen=True)
class Question:
    """What is asked about the matches of a left tuple.

    predicate: which right tuples match, over `left ∘ right`.
    counts: by name, conditions over a match `l`, `r`; how many matches fulfil them is counted.
    answer: SQL over the counts, over `found`, and over `at`, the time since when they are so.
    alone: SQL, the answer where nothing matches.
    found: SQL over a match; `found` is a struct of it, of the latest match.
    """

    predicate: Expression
    counts: Mapping[str, str]
    answer: str
    alone: str
    found: str | None = None

    @property
    def columns(self) -> list[tuple[str, str]]:
        """What a match adds to each count, and what is found in it."""
        counts = [(name, f"IF({condition}, 1L, 0L)") for name, condition in self.counts.items()]
        return [*counts, ("found", f"struct({self.found})")] if self.found else counts


def chosen(
    script: Script, slab: Slab, left: Side, right: Side, predicate: Expression, wanted: bool
) -> Rel:
    """The left tuples while they have a match, or while they have none."""
    columns = [*left.carried, "start", "end"]
    some = EMPTY not in (left.rel, right.rel)
    if some and _constant(left, right) and _meet_in_place(slab, left, right, predicate):
        lefts, rights, condition = meeting(script, slab, left, right, predicate)
        text = (
            f"SELECT {', '.join(f'l.{c}' for c in columns)} FROM {lefts.name} l "
            f"LEFT {'SEMI' if wanted else 'ANTI'} JOIN {rights.name} r ON {condition}"
        )
        return script.define("chosen", text, columns, [lefts, rights])
    exists = Question(predicate, {"matches": "TRUE"}, "matches > 0", "FALSE")
    found = answered(script, slab, left, right, exists)
    kept = [(name, name) for name in columns]
    return script.select("chosen", found, kept, "answer" if wanted else "NOT answer")


def answered(script: Script, slab: Slab, left: Side, right: Side, question: Question) -> Rel:
    """The left tuples with a column `answer`, in pieces during which it stays the same."""
    if left.rel is EMPTY or right.rel is EMPTY:
        outputs = [
            *((c, c) for c in left.carried),
            ("start", slab.clipped_start()),
            ("end", slab.clipped_end()),
            ("answer", question.alone),
        ]
        return script.select("alone", left.rel, outputs)
    if _meet_in_place(slab, left, right, question.predicate):
        by, matched = in_place(script, slab, left, right, question.predicate, question.columns)
    else:
        options = _options(question.predicate, left)
        by, matched = apart(script, slab, left, right, options, question.columns)
    if _constant(left, right):
        pieces = _grouped(script, by, matched, question)
    else:
        pieces = _turns(script, by, _swept(script, by, matched, question))
    columns = [*left.carried, "start", "end", "answer"]
    text = (
        f"SELECT {', '.join(columns)} FROM {pieces.name} "
        "LATERAL VIEW explode(sequence(1L, copies)) AS copy"
    )
    return script.define("answered", text, columns, [pieces])


def _constant(left: Side, right: Side) -> bool:
    """Whether the matches of a left tuple stay the same while it is valid."""
    return left.chronon or right.static


def _meet_in_place(slab: Slab, left: Side, right: Side, predicate: Expression) -> bool:
    """Whether a left tuple and all its matches can meet in one place, in one join of Spark's."""
    parts = split(predicate, len(left.values))
    keyed = bool(parts.keys or band_for(parts, left))
    places = places_for(slab, left, right, keyed)
    one = len(_options(predicate, left)) == 1
    return parts.relational and one and not (places and places.apart)


def _options(predicate: Expression, left: Side) -> tuple[Expression, ...]:
    width = len(left.values)
    return (predicate,) if split(predicate, width).keys else alternatives(predicate, width)


def _grouped(script: Script, by: Sequence[str], matched: Rel, question: Question) -> Rel:
    """The answer where it cannot change: from the number of matches alone."""
    listed = ", ".join(by)
    sums = [f"sum(IF(opens IS NULL, 0L, {name})) AS {name}" for name in question.counts]
    if question.found:
        sums.append("first(IF(opens IS NULL, NULL, found), TRUE) AS found")
    text = (
        f"SELECT {listed}, copies, {question.answer} AS answer FROM ("
        f"SELECT {listed}, copies, start AS at, {', '.join(sums)} FROM {matched.name} "
        f"GROUP BY {listed}, copies)"
    )
    return script.define("grouped", text, (*by, "copies", "answer"), [matched])


def _swept(script: Script, by: Sequence[str], matched: Rel, question: Question) -> Rel:
    """The answer after every boundary; of several rows at one boundary the last knows them all."""
    names = [name for name, _ in question.columns]
    boundaries = [_boundary(names, at, n) for at, n in (("start", 0), ("opens", 1), ("closes", -1))]
    listed = ", ".join(by)
    rows = (
        f"SELECT {listed}, copies, b.* FROM {matched.name} LATERAL VIEW explode("
        f"IF(opens IS NULL, array({boundaries[0]}), array({', '.join(boundaries)}))) AS b "
        "WHERE b.at < end"
    )
    sums = [f"sum({name}) OVER sweep AS {name}" for name in question.counts]
    if question.found:
        sums.append("last_value(found, TRUE) OVER sweep AS found")
    text = (
        f"SELECT {listed}, copies, at, {question.answer} AS answer FROM ("
        f"SELECT {listed}, copies, at, {', '.join(sums)}, lead(at) OVER peers AS next "
        f"FROM ({rows}) WINDOW sweep AS (PARTITION BY {listed} ORDER BY at "
        "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), "
        f"peers AS (PARTITION BY {listed} ORDER BY at)) WHERE next IS DISTINCT FROM at"
    )
    return script.define("swept", text, (*by, "copies", "at", "answer"), [matched])


def _boundary(names: Sequence[str], at: str, sign: int) -> str:
    """SQL: what changes at a time where a match starts (1), ends (-1), or none does (0)."""
    changes = [
        f"{name if sign > 0 else 'NULL'} AS found"
        if name == "found"
        else f"{sign}L * {name} AS {name}"
        for name in names
    ]
    return f"struct({', '.join([f'{at} AS at', *changes])})"


def _turns(script: Script, by: Sequence[str], swept: Rel) -> Rel:
    """Pieces from where the answer changes to where it changes next."""
    listed = ", ".join(by)
    rest = [name for name in by if name not in ("start", "end")]
    columns = (*rest, "copies", "answer", "start", "end")
    text = (
        f"SELECT {', '.join([*rest, 'copies', 'answer'])}, at AS start, "
        "coalesce(lead(at) OVER w, end) AS end FROM ("
        f"SELECT {listed}, copies, at, answer, lag(answer) OVER w AS before FROM {swept.name} "
        f"WINDOW w AS (PARTITION BY {listed} ORDER BY at)) "
        "WHERE at = start OR NOT (answer <=> before) "
        f"WINDOW w AS (PARTITION BY {listed} ORDER BY at)"
    )
    return script.define("turns", text, columns, [swept])
