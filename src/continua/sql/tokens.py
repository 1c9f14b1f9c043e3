"""Tokens and a cursor over them, for the part of the language that sqlglot does not parse.

sqlglot's tokenizer serves both parsers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from sqlglot import Dialect, Token, TokenType
from sqlglot.errors import TokenError

from continua.errors import ContinuaError, Source, Span

# Spark's own dialect turns CAST into TRY_CAST; this one is Spark's with the ANSI meaning.
DIALECT = Dialect.get_or_raise("databricks")

_WORD = re.compile(r"[A-Za-z_]\w*")
_TEXT = {kind for kind in TokenType if kind.name.endswith("STRING")}
_LITERAL = {*_TEXT, TokenType.NUMBER}


class _Tokenizer(DIALECT.tokenizer_class):  # type: ignore[misc, name-defined]
    """sqlglot's, which would give all that follows a word such as EXPLAIN as one string.

    A doubled quote inside a string is a quote, as in SQL and Spark 4.
    """

    COMMANDS: ClassVar[set[TokenType]] = set()
    STRING_ESCAPES: ClassVar[list[str]] = ["\\", "'", '"']


@dataclass(frozen=True)
class Name:
    """A name in the text; where it stands is no part of equality."""

    text: str
    span: Span = field(compare=False, repr=False)

    def __str__(self) -> str:
        # SPREAD would take a stream named all for its own word.
        plain = _WORD.fullmatch(self.text) and self.text.upper() != "ALL"
        return self.text if plain else "`" + self.text.replace("`", "``") + "`"


def tokenize(source: Source) -> list[Token]:
    try:
        return list(_Tokenizer(DIALECT).tokenize(source.text))
    except TokenError as error:
        if "invalid characters" in str(error.__cause__):
            message = f"{source.name} has a string of bytes with a digit that is none"
            raise ContinuaError("SYNTAX", message) from None
        # Else only an unfinished string, identifier or comment stops the tokenizer.
        start = max(source.text.rfind(c) for c in ("'", '"', "`", "/*"))
        span = Span(source, max(0, start), max(0, start) + 1)
        raise ContinuaError("SYNTAX", "a quote or comment that is never closed", span) from None


def is_word(token: Token) -> bool:
    """Whether a token may serve as a name: also keywords that mean nothing at its place."""
    if token.token_type in _LITERAL:
        return False
    return token.token_type == TokenType.IDENTIFIER or bool(_WORD.fullmatch(token.text))


def keyword(token: Token) -> str:
    """The token's text for comparison with words and signs; a quoted name or a string is none.

    The tokenizer joins some words, as PARTITION BY.
    """
    if token.token_type == TokenType.IDENTIFIER:
        return f"`{token.text}`"
    if token.token_type in _TEXT:
        return f"'{token.text}'"
    return " ".join(token.text.upper().split())


class Cursor:
    """Reads tokens from left to right; what is not expected raises a `SYNTAX` error."""

    def __init__(self, tokens: Sequence[Token], source: Source, position: int = 0) -> None:
        self.tokens = tokens
        self.source = source
        self.position = position

    @property
    def done(self) -> bool:
        return self.position >= len(self.tokens)

    def token(self, ahead: int = 0) -> Token | None:
        position = self.position + ahead
        return self.tokens[position] if position < len(self.tokens) else None

    def span(self, token: Token | None = None) -> Span:
        """The place of a token, by default of the next one; after the last, the end of the text."""
        token = token or self.token()
        if token is not None:
            return Span(self.source, token.start, token.end + 1)
        end = self.tokens[-1].end + 1 if self.tokens else 0
        return Span(self.source, max(0, end - 1), end)

    def since(self, position: int) -> Span:
        """The place of the tokens read since a position."""
        first, last = self.tokens[position], self.tokens[max(position, self.position - 1)]
        return Span(self.source, first.start, last.end + 1)

    def at(self, *words: str, ahead: int = 0) -> bool:
        """Whether the next tokens are these words or symbols, in any case of letters."""
        for offset, word in enumerate(words, ahead):
            token = self.token(offset)
            if token is None or keyword(token) != word:
                return False
        return True

    def accept(self, *words: str) -> bool:
        if not self.at(*words):
            return False
        self.position += len(words)
        return True

    def expect(self, *words: str) -> None:
        if not self.accept(*words):
            raise self.error(f"expected {' '.join(words)}")

    def choose(self, words: Iterable[str], what: str) -> str:
        """One of several words."""
        known = list(words)
        for word in known:
            if self.accept(word):
                return word
        raise self.error(f"expected {what}", hint=f"one of {', '.join(known)}")

    def next(self) -> Token:
        token = self.token()
        if token is None:
            raise self.error("the statement ends too early")
        self.position += 1
        return token

    def name(self, what: str = "a name") -> Name:
        token = self.token()
        if token is None or not is_word(token):
            raise self.error(f"expected {what}")
        self.position += 1
        return Name(token.text, self.span(token))

    def names(self, what: str) -> tuple[Name, ...]:
        found = [self.name(what)]
        while self.accept(","):
            found.append(self.name(what))
        return tuple(found)

    def at_literal(self, kind: TokenType) -> bool:
        token = self.token()
        return token is not None and token.token_type == kind

    def string(self, what: str = "a string in quotes") -> str:
        if not self.at_literal(TokenType.STRING):
            raise self.error(f"expected {what}")
        return self.next().text

    def whole(self, what: str = "a whole number") -> int:
        token = self.token()
        if not self.at_literal(TokenType.NUMBER) or token is None or not token.text.isdigit():
            raise self.error(f"expected {what}")
        if len(token.text) > 18:
            raise ContinuaError("SYNTAX", "a number too large", self.span())
        return int(self.next().text)

    def finish(self) -> None:
        if not self.done:
            raise self.error("expected the end of the statement")

    def error(self, message: str, hint: str | None = None) -> ContinuaError:
        token = self.token()
        found = "the end of the statement" if token is None else f"{token.text!r}"
        return ContinuaError("SYNTAX", f"{message}, found {found}", self.span(), hint=hint)

    def closing(self) -> int:
        """The position of the bracket that closes the one at the cursor."""
        pairs = {TokenType.L_PAREN: TokenType.R_PAREN, TokenType.L_BRACKET: TokenType.R_BRACKET}
        opening = self.tokens[self.position].token_type
        depth = 0
        ranges = 0
        for position in range(self.position, len(self.tokens)):
            kind = self.tokens[position].token_type
            if kind == TokenType.L_BRACKET and opening == TokenType.L_PAREN:
                ranges += keyword(self.tokens[position - 1]) == "DURING"
            elif kind == TokenType.R_PAREN and ranges:
                ranges -= 1  # it ends a range, as in DURING [1, 8)
                continue
            depth += kind == opening
            depth -= kind == pairs[opening]
            if depth == 0:
                return position
        raise ContinuaError("SYNTAX", "a bracket that is never closed", self.span())
