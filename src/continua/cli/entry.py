"""What the shell takes as one entry: a backslash command, or statements up to a semicolon."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import TokenType

from continua.errors import ContinuaError, Source
from continua.sql.tokens import tokenize

BACKSLASH = "\\"


def is_command(text: str) -> bool:
    return text.lstrip().startswith(BACKSLASH)


def is_complete(text: str) -> bool:
    """Whether the entry can be run: it waits for a semicolon outside of quotes and comments."""
    if is_command(text) or not text.strip():
        return True
    try:
        tokens = tokenize(Source(text))
    except ContinuaError:
        return False  # an open quote or comment
    return not tokens or tokens[-1].token_type == TokenType.SEMICOLON


def entries(lines: Iterable[str]) -> Iterator[str]:
    """The entries that lines make up; the last one may lack its semicolon."""
    text = ""
    for line in lines:
        text += line
        # Only a semicolon or a first line can complete an entry: the others need no look.
        if (";" in line or text == line) and is_complete(text):
            yield text
            text = ""
    if text.strip():
        yield text
