"""Semi-, anti-, mark and scalar joins: questions about the matches of a left tuple.

While a left tuple is valid its matches come and go: +1 where one starts, -1 where it ends. Running
sums over these boundaries answer a question about them between any two of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from continua.logical.expr.nodes import Expression
from continua.physical.boundaries import AT, BOUNDARY, LAST_OF_PEERS, following
from continua.physical.builder import Builder
from continua.physical.instant import Instant
from continua.physical.join_predicate import alternatives, split
from continua.physical.matches import MATCH, apart, in_place
from continua.physical.pairs import band_for, meeting, places_for
from continua.physical.relation import EMPTY, UP_TO_PEERS, Rel, Window
from continua.physical.slab import Slab
from continua.physical.time_buckets import Side
from continua.physical.validity import END, OWN, START, Validity


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
    builder: Builder, slab: Slab, left: Side, right: Side, predicate: Expression, wanted: bool
) -> Rel:
    """The left tuples while they have a match, or while they have none."""
    columns = [*left.carried, *OWN]
    some = EMPTY not in (left.rel, right.rel)
    if some and _constant(left, right) and _meet_in_place(slab, left, right, predicate):
        lefts, rights, condition = meeting(builder, slab, left, right, predicate)
        kind = "LEFT SEMI" if wanted else "LEFT ANTI"
        outputs = [(c, f"l.{c}") for c in columns]
        return builder.join("chosen", kind, lefts, rights, condition, outputs)
    exists = Question(predicate, {"matches": "TRUE"}, "matches > 0", "FALSE")
    found = answered(builder, slab, left, right, exists)
    passed = [(name, name) for name in columns]
    return builder.select("chosen", found, passed, "answer" if wanted else "NOT answer")


def answered(builder: Builder, slab: Slab, left: Side, right: Side, question: Question) -> Rel:
    """The left tuples with a column `answer`, in pieces during which it stays the same."""
    if left.rel is EMPTY or right.rel is EMPTY:
        part = slab.clipped
        outputs = [*((c, c) for c in left.carried), *part.outputs, ("answer", question.alone)]
        return builder.select("alone", left.rel, outputs, part.lasts)
    if _meet_in_place(slab, left, right, question.predicate):
        by, matched = in_place(builder, slab, left, right, question.predicate, question.columns)
    else:
        options = _options(question.predicate, left)
        by, matched = apart(builder, slab, left, right, options, question.columns)
    if _constant(left, right):
        pieces = _grouped(builder, by, matched, question)
    else:
        pieces = _turns(builder, by, _swept(builder, by, matched, question))
    outputs = [(c, c) for c in (*left.carried, *OWN, "answer")]
    return builder.exploded("answered", pieces, "sequence(1L, copies)", "copy", outputs)


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


def _grouped(builder: Builder, by: Sequence[str], matched: Rel, question: Question) -> Rel:
    """The answer where it cannot change: from the number of matches alone."""
    alone = MATCH.start.unknown
    sums = [(name, f"sum(IF({alone}, 0L, {name}))") for name in question.counts]
    if question.found:
        sums.append(("found", f"first(IF({alone}, NULL, found), TRUE)"))
    found = builder.group("grouped", matched, (*by, "copies"), sums)
    found = builder.select("since", found, [*((c, c) for c in found.columns), (AT, START)])
    passed = [(c, c) for c in (*by, "copies")]
    return builder.select("answers", found, [*passed, ("answer", question.answer)])


def _swept(builder: Builder, by: Sequence[str], matched: Rel, question: Question) -> Rel:
    """The answer after every boundary; of several rows at one boundary the last knows them all."""
    names = [name for name, _ in question.columns]
    opens, closes = MATCH
    alone, *both = (_boundary(names, at, n) for at, n in ((START, 0), (opens, 1), (closes, -1)))
    passed = [(c, c) for c in (*by, "copies")]
    rows = builder.exploded(
        "boundaries",
        matched,
        f"IF({opens.unknown}, array({alone}), array({', '.join([alone, *both])}))",
        "b",
        [*passed, *((c, f"b.{c}") for c in (AT, *names))],
        BOUNDARY.before(END),
    )
    sums = [(name, f"sum({name}) OVER sweep") for name in question.counts]
    if question.found:
        sums.append(("found", "last_value(found, TRUE) OVER sweep"))
    swept = builder.windowed(
        "swept",
        rows,
        [*passed, (AT, AT), *sums, following("peers")],
        sweep=Window(tuple(by), AT, UP_TO_PEERS),
        peers=Window(tuple(by), AT),
    )
    outputs = [*passed, (AT, AT), ("answer", question.answer)]
    return builder.select("answers", swept, outputs, LAST_OF_PEERS)


def _boundary(names: Sequence[str], at: Instant, sign: int) -> str:
    """SQL: what changes at a time where a match starts (1), ends (-1), or none does (0)."""
    changes = [
        f"{name if sign > 0 else 'NULL'} AS found"
        if name == "found"
        else f"{sign}L * {name} AS {name}"
        for name in names
    ]
    return f"struct({', '.join([f'{at} AS {AT}', *changes])})"


def _turns(builder: Builder, by: Sequence[str], swept: Rel) -> Rel:
    """Pieces from where the answer changes to where it changes next."""
    w = Window(tuple(by), AT)
    known = [(c, c) for c in (*by, "copies", AT, "answer")]
    compared = builder.windowed("compared", swept, [*known, ("before", "lag(answer) OVER w")], w=w)
    rest = [(c, c) for c in (*by, "copies", "answer") if c not in OWN]
    until = Instant(f"lead({AT}) OVER w").otherwise(END)
    turn = f"{AT.equals(START)} OR NOT (answer <=> before)"
    outputs = [*rest, *Validity(AT, until).outputs]
    return builder.windowed("turns", compared, outputs, turn, w=w)
