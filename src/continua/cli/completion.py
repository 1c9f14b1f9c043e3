"""What the shell proposes after Tab: keywords, names, columns, functions, its own commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from continua.cli.runner import answer
from continua.session import Session

KEYWORDS = re.findall(
    r"\w+",
    """
    ALL AND ANTI ANY AS ASC ASOF AT BATCH BETWEEN BY CASE CAST CHANGES CREATE CROSS DEFAULT DEL
    DELETE DESC DESCRIBE DIF DISTINCT DROP DSTREAM DURING ELSE END ERROR EVERY EXCEPT EXISTS
    EXPLAIN FAIL FALSE FILTER FIXED FOR FROM FULL FUNCTIONS GRANULE GROUP GROUPS HAVING HOP
    HOURS IDLE IF IN INNER INSERT INSERTS INTERSECT INTERVAL INTERVALS INTO IS ISTREAM JOIN KEEP
    KEY LATE LEFT LIKE LIMIT LOGICAL MATCH_CONDITION MINUTES NATURAL NOT NOW NULL OF ON
    OPERATION OPTIONS OR ORDER ORDERED OUTER PARTITION PRIMARY RANGE REPLACE RIGHT ROWS RSTREAM
    SECONDS SELECT SEMI SESSION SET SETTINGS SHOW SIMULTANEITY SINK SINKS SLACK SLIDE SNAPSHOT
    SOURCE SPREAD STREAM STREAMS SYSTEM_TIME TABLE TABLES THEN TIME TO TRUE TUMBLE TUPLE
    UNBOUNDED UNION UNTIL UPDATE USING VALID VALUES WHEN WHERE WINDOW WITH
    """,
)

_COMMAND = re.compile(r"\s*(\\\w*)")
_PREFIX = re.compile(r"(?:(\w+)\.)?(\w*)$")


class SqlCompleter(Completer):
    """Completes the word before the cursor out of the language and the session's catalog."""

    def __init__(self, session: Session, commands: Mapping[str, str]) -> None:
        self._session = session
        self._commands = commands

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterator[Completion]:
        before = document.text_before_cursor
        if command := _COMMAND.fullmatch(before):
            yield from _matching(command[1], self._commands.items())
            return
        found = _PREFIX.search(before)
        assert found is not None, "the empty word ends every text"
        qualifier, word = found.groups()
        candidates = self._columns(qualifier) if qualifier else self._all(word)
        yield from _matching(word, candidates)

    def _all(self, word: str) -> Iterator[tuple[str, str]]:
        """Whatever may stand alone: keywords in the case of the word, then names."""
        for keyword in KEYWORDS:
            yield keyword.lower() if word[:1].islower() else keyword, "keyword"
        for name in self._session.names():
            yield name, "name"
        yield from self._columns()
        for function, kind in answer(self._session, "SHOW FUNCTIONS"):
            yield str(function), f"{kind} function"

    def _columns(self, qualifier: str | None = None) -> Iterator[tuple[str, str]]:
        """The columns of the stream or table qualified by; of all of them if that is an alias."""
        names = self._session.names()
        exact = [name for name in names if qualifier and name.lower() == qualifier.lower()]
        for name in exact or names:
            described = answer(self._session, f"DESCRIBE {_quoted(name)}")
            if "type" in described.columns:
                for column, type_, role in described:
                    if role != "kind":
                        yield str(column), f"{type_}, {name}"


def _matching(word: str, candidates: Iterable[tuple[str, str]]) -> Iterator[Completion]:
    """A completion for each candidate that starts with the word; equal ones once."""
    seen: set[str] = set()
    for text, meaning in candidates:
        if text.lower().startswith(word.lower()) and text not in seen:
            seen.add(text)
            yield Completion(_quoted(text), -len(word), display=text, display_meta=meaning)


def _quoted(name: str) -> str:
    """A name as it must be written in SQL; the shell's own commands stay as they are."""
    return name if re.fullmatch(r"\\?\w+|\\\?", name) else "`" + name.replace("`", "``") + "`"
