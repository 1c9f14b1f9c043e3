"""What a user sees when something is wrong: where, what, and a hint.

Every error the package raises for a user's mistake is a `ContinuaError`. It has a code, so that
tools and tests can tell errors apart; a place in the text, underlined when printed; a message in
plain words; and, where one exists, a hint.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from types import UnionType
from typing import Final

WIDTH: Final = 160
"""Characters shown of a line."""
LONGEST: Final = 1000
"""Characters of a message."""


@dataclass(frozen=True)
class Source:
    """A piece of SQL text and the name by which its user knows it (a file, or `<sql>`)."""

    text: str
    name: str = "<sql>"


@dataclass(frozen=True)
class Span:
    """A part of a text: the characters from `start` until just before `end` of `source.text`."""

    source: Source
    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: {self.start}..{self.end}")

    @property
    def line(self) -> int:
        """The line of its beginning, counted from 1."""
        return self.source.text.count("\n", 0, self.start) + 1

    @property
    def column(self) -> int:
        """The column of its beginning, counted from 1."""
        return self.start - (self.source.text.rfind("\n", 0, self.start) + 1) + 1

    @property
    def text(self) -> str:
        """The characters themselves."""
        return self.source.text[self.start : self.end]

    def to(self, other: Span) -> Span:
        """The span from the beginning of this one to the end of the other."""
        return Span(self.source, min(self.start, other.start), max(self.end, other.end))

    def underlined(self) -> str:
        """The line of the span's beginning, or what is around it, with the span underlined."""
        first = self.source.text.rfind("\n", 0, self.start) + 1
        last = self.source.text.find("\n", self.start)
        last = last if last >= 0 else len(self.source.text)
        # Of a long line, a part is shown.
        begin = (
            max(first, min(self.start - WIDTH // 4, last - WIDTH))
            if last - first > WIDTH
            else first
        )
        line = self.source.text[begin : min(last, begin + WIDTH)].rstrip("\r")
        width = max(1, min(self.end, begin + len(line)) - self.start)
        before, after = "…" * (begin > first), "…" * (begin + WIDTH < last)
        number = str(self.line)
        gutter = " " * len(number)
        # A tab keeps its width in the line of the marks, so that they stand below the fragment.
        lead = "".join("\t" if c == "\t" else " " for c in before + line[: self.start - begin])
        return (
            f"{gutter}--> {self.source.name}:{number}:{self.column}\n"
            f"{gutter} |\n{number} | {before}{line}{after}\n{gutter} | {lead}{'^' * width}"
        )


# The kind says who can mend it.
MISTAKE: Final = "mistake"  # the text or the data is wrong; the user can mend it
UNSUPPORTED: Final = "unsupported"  # deliberately outside the language
NOT_YET: Final = "not yet"  # inside the language, without an implementation so far

CODES: Final[dict[str, tuple[str, str]]] = {
    "SYNTAX": (MISTAKE, "the text is not a statement of the language"),
    "UNKNOWN_STREAM": (MISTAKE, "no stream, table or sink of that name"),
    "UNKNOWN_COLUMN": (MISTAKE, "no column of that name in reach"),
    "UNKNOWN_FUNCTION": (MISTAKE, "no function of that name"),
    "UNKNOWN_SETTING": (MISTAKE, "no setting of that name"),
    "AMBIGUOUS_COLUMN": (MISTAKE, "a name that could mean several columns"),
    "DUPLICATE_NAME": (MISTAKE, "a name that is already taken"),
    "TYPE_MISMATCH": (MISTAKE, "operands whose types do not fit"),
    "WRONG_ARGUMENTS": (MISTAKE, "a function or source with the wrong arguments"),
    "AGGREGATE_MISUSE": (
        MISTAKE,
        "an aggregate where none may stand, or a column outside GROUP BY",
    ),
    "COLUMN_COUNT": (MISTAKE, "queries with different numbers of columns combined"),
    "NOT_A_STREAM": (MISTAKE, "a window on something that is not a stream"),
    "WRONG_WINDOW": (MISTAKE, "a window whose parameters make no sense"),
    "NO_GRANULE": (MISTAKE, "a window on a derived stream of timestamps without a granule"),
    "TIME_ATTRIBUTE": (MISTAKE, "a missing or unsuitable time attribute"),
    "TIME_MISMATCH": (MISTAKE, "streams of integer time and of timestamps combined"),
    "GROUP_MISMATCH": (MISTAKE, "streams combined whose batches are numbered apart"),
    "UNBOUNDED_STATE": (MISTAKE, "an operator that would have to keep everything for ever"),
    "OUTSIDE_HISTORY": (MISTAKE, "a snapshot before history begins or after the progress"),
    "IN_USE": (MISTAKE, "an object that others are built on"),
    "SOURCE_NOT_FOUND": (MISTAKE, "a file that is not there"),
    "BAD_ROW": (MISTAKE, "a row of the input that cannot be read as declared"),
    "MISSING_COLUMN": (MISTAKE, "a declared column that the input does not have"),
    "EVALUATION": (
        MISTAKE,
        "an expression that has no value: division by zero, overflow, bad cast",
    ),
    "TWO_ROWS": (MISTAKE, "a scalar subquery with two rows at one instant"),
    "FUNCTION_FAILED": (MISTAKE, "a registered Python function raised"),
    "CANNOT_WRITE": (MISTAKE, "an output that cannot be written"),
    "LATE_ROWS": (MISTAKE, "rows that came later than their stream allows"),
    "CHECKPOINT": (MISTAKE, "a checkpoint that is in use, damaged, or of other queries"),
    "UNSUPPORTED": (UNSUPPORTED, "a construct outside the language"),
    "NOT_YET": (NOT_YET, "a construct of the language that does not run yet"),
}


class ContinuaError(Exception):
    """A mistake that the user can mend. As text it shows the place and the hint too.

    - `code`: tells errors apart; [all codes](language.md#errors).
    - `message`: what is wrong.
    - `span`: where in the text, a `Span`, or None.
    - `hint`: what to do about it, or None.

    >>> from continua import ContinuaError
    >>> try:
    ...     Session(engine="reference").query("SELECT x FROM bids")
    ... except ContinuaError as error:
    ...     print(error)
    error[UNKNOWN_STREAM]: there is no stream, table or sink named bids
     --> <sql>:1:15
      |
    1 | SELECT x FROM bids
      |               ^^^^
    hint: CREATE STREAM makes one
    """

    def __init__(
        self, code: str, message: str, span: Span | None = None, *, hint: str | None = None
    ) -> None:
        assert code in CODES, code
        message = shortened(message)
        super().__init__(message)
        self.code = code
        self.message = message
        self.span = span
        self.hint = hint

    @property
    def kind(self) -> str:
        """Who can mend it: "mistake" (the user), "unsupported" (nobody), "not yet" (its makers)."""
        return CODES[self.code][0]

    def at(self, span: Span | None) -> ContinuaError:
        """The same error with a place, unless it has one already."""
        return self if self.span else ContinuaError(self.code, self.message, span, hint=self.hint)

    def __str__(self) -> str:
        parts = [f"error[{self.code}]: {self.message}"]
        if self.span is not None:
            parts.append(self.span.underlined())
        if self.hint:
            parts.append(f"hint: {self.hint}")
        return "\n".join(parts)


def check_argument(
    value: object, kind: type | UnionType, expectation: str, hint: str | None = None
) -> None:
    """Raises unless an argument is of a kind; the expectation says what the caller takes."""
    if not isinstance(value, kind):
        message = f"{expectation}, not {value!r}"
        raise ContinuaError("WRONG_ARGUMENTS", message, hint=hint)


def shortened(text: str) -> str:
    """A text without its middle, if it is very long: what it quotes may be."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 4 :]}"


def counted(number: int, noun: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def with_article(noun: object) -> str:
    """`a BIGINT`, `an INT`."""
    return f"{'an' if str(noun)[:1].upper() in 'AEIO' else 'a'} {noun}"


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate most like the name, if one is like it at all."""
    by_key = {candidate.lower(): candidate for candidate in candidates}
    found = difflib.get_close_matches(name.lower(), by_key, n=1, cutoff=0.6)
    return by_key[found[0]] if found else None


def did_you_mean(name: str, candidates: Iterable[str], otherwise: str | None = None) -> str | None:
    """A hint naming the nearest candidate; if none is near, the given text."""
    match = nearest(name, candidates)
    return f"did you mean {match}?" if match else otherwise
