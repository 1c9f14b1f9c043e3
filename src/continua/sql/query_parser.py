"""Queries: the stream constructs are taken out of the token stream, sqlglot parses the rest.

What is taken out is tied to a name that sqlglot keeps: the stream's, its alias's, or one inserted
for the purpose. After parsing, the clauses hang on the tree where they belong, in the `meta` of a
Table or Subquery node under the key `CLAUSES`. Function names are hidden from sqlglot, which would
translate many of them: functions are the binder's affair.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sqlglot import Token, TokenType, exp
from sqlglot.errors import ParseError

from continua.errors import ContinuaError, Source, Span, did_you_mean, nearest
from continua.sql.clause_parser import (
    TABLE_FUNCTIONS,
    at_clause,
    at_during,
    parse_clause,
    parse_duration,
    parse_during,
    parse_table_function,
)
from continua.sql.clauses import (
    AsOf,
    Clause,
    During,
    MatchCondition,
    Range,
    Rows,
    Session,
    Streamer,
)
from continua.sql.places import span_of
from continua.sql.tokens import DIALECT, Cursor, Name, is_word, keyword

CLAUSES = "continua_clauses"
INSERTED = "#stream"
"""Prefix of aliases inserted to carry a clause; they name nothing for the user."""

_STREAMERS = ("ISTREAM", "DSTREAM", "RSTREAM")

# Words that may stand before a bracket without being a function's name.
_SYNTAX = frozenset(
    """ALL AND ANTI ANY AS BETWEEN BY CASE CAST CROSS DISTINCT DIV ELSE END ESCAPE EXCEPT
    EXISTS EXTRACT FILTER FROM FULL GROUP HAVING ILIKE IN INNER INTERSECT INTERVAL IS JOIN LATERAL
    LIKE LIMIT MINUS NATURAL NOT OFFSET ON OR ORDER OUTER OVER PIVOT RECURSIVE RLIKE SELECT SEMI
    SETS SOME TABLE TABLESAMPLE THEN TRY_CAST UNION UNPIVOT USING VALUES WHEN WHERE WITH
    WITHIN""".split()  # noqa: SIM905
)


ENDS_OPEN: Final = (_SYNTAX | {"GROUP BY", "ORDER BY"}) - {"END"}
"""Words after which a query cannot end."""

QUERY_STARTS: Final = ("SELECT", "WITH", "VALUES", *_STREAMERS, "(")


def parse_query(cursor: Cursor) -> exp.Expr:
    """The rest of the tokens as a query."""
    if not any(map(cursor.at, QUERY_STARTS)):
        token = cursor.token()
        hint = did_you_mean(token.text, QUERY_STARTS) if token else None
        raise cursor.error("expected a query", hint=hint)
    extraction = _Extraction(unused_prefix("_function", (token.text for token in cursor.tokens)))
    extraction.run(cursor, len(cursor.tokens))
    tree = _parse_rest(extraction.tokens, cursor)
    _restore(tree, extraction)
    _check_quantifiers(tree, cursor)
    _check_complete(tree, cursor)
    return tree


def unused_prefix(word: str, texts: Iterable[str]) -> str:
    """A beginning for names that stands in none of the texts."""
    known = list(texts)
    while any(word in text for text in known):
        word += "_"
    return word


def is_inserted(identifier: object) -> bool:
    """Whether a name is none that the user wrote: theirs would need quotes."""
    return (
        isinstance(identifier, exp.Identifier)
        and not identifier.args.get("quoted")
        and identifier.name.startswith(INSERTED)
    )


def same_tree(a: exp.Expr, b: exp.Expr) -> bool:
    """Whether two trees are equal, the stream clauses in them included."""
    return a == b and _clauses_of(a) == _clauses_of(b)


def during_of(select: exp.Expr) -> tuple[exp.Expr, During] | None:
    """The query and the range of `query DURING [a, b)`, if the tree is that."""
    from_ = select.args.get("from_") if isinstance(select, exp.Select) else None
    clauses = (from_.this.meta.get(CLAUSES) or []) if from_ is not None else []
    found = clauses[0] if clauses else None
    return (from_.this, found) if from_ is not None and isinstance(found, During) else None


def clause_names(tree: exp.Expr) -> list[Name]:
    """The columns that the clauses of a tree name."""
    clauses = [clause for found in _clauses_of(tree) for clause in found or ()]
    partitions = [c.partition for c in clauses if isinstance(c, (Range, Rows))]
    keys = [c.key for c in clauses if isinstance(c, Session)]
    times = [c.time.name for c in clauses if isinstance(c, AsOf)]
    matched = [(c.left.name, c.right.name) for c in clauses if isinstance(c, MatchCondition)]
    return [name for names in (*partitions, *keys, times, *matched) for name in names]


def _clauses_of(tree: exp.Expr) -> list[list[Clause] | None]:
    return [node.meta.get(CLAUSES) for node in tree.walk()]


class _Extraction:
    """The tokens left for sqlglot, and the clauses taken out by the name they are tied to."""

    def __init__(self, hidden: str) -> None:
        self.hidden = hidden
        self.tokens: list[Token] = []
        self.clauses: dict[int | str, list[Clause]] = {}
        self.inserted = 0
        self.levels = [0]
        """Where what stands in the brackets that are open begins, the outermost first."""

    def run(self, cursor: Cursor, end: int) -> None:
        while cursor.position < end:
            word = keyword(cursor.tokens[cursor.position])
            if word in _STREAMERS:
                self._streamer(cursor)
            elif word in TABLE_FUNCTIONS and cursor.at("(", ahead=1):
                self._table_function(word, cursor)
            elif at_clause(cursor):
                self._tie(parse_clause(cursor), cursor)
            elif at_during(cursor):
                self._during(cursor)
            elif cursor.at("SNAPSHOT", "OF"):
                hint = "it gives a table without time; a part of the history is DURING [t1, t2)"
                raise cursor.error("SNAPSHOT OF begins a statement", hint=hint)
            else:
                self._keep(cursor)

    def _keep(self, cursor: Cursor) -> None:
        token = cursor.next()
        following = cursor.token()
        if token.token_type == TokenType.COMMA and (
            following is None or keyword(following) in _NO_ITEM
        ):
            raise ContinuaError("SYNTAX", "something is missing after ','", cursor.span(token))
        before = keyword(self.tokens[-1]) if self.tokens else ""
        if token.token_type == TokenType.STRING and self._at_string():
            token = self._joined(token)  # 'a' 'b' is 'ab'
        if keyword(token) == "ANY":
            token = _token(TokenType.SOME, "SOME", token)  # which sqlglot reads as it reads ALL
        bare = keyword(token) in _BARE_FUNCTIONS and not cursor.at("(")
        calls = cursor.at("(") and is_word(token) and keyword(token) not in _SYNTAX
        if bare or (calls and before not in ("AS", "::")):
            token = _token(TokenType.VAR, self.hidden + token.text, token)
        self.tokens.append(token)
        if token.token_type == TokenType.L_PAREN:
            self.levels.append(len(self.tokens))
        elif token.token_type == TokenType.R_PAREN and len(self.levels) > 1:
            self.levels.pop()
        if bare:
            # As a call, so that it has a place to point at.
            brackets = ((TokenType.L_PAREN, "("), (TokenType.R_PAREN, ")"))
            self.tokens += [_token(kind, text, token) for kind, text in brackets]

    def _at_string(self) -> bool:
        return bool(self.tokens) and self.tokens[-1].token_type == TokenType.STRING

    def _joined(self, token: Token) -> Token:
        """The string before and this one as one."""
        last = self.tokens.pop()
        text = last.text + token.text
        return Token(TokenType.STRING, text, token.line, token.col, last.start, token.end)

    def _streamer(self, cursor: Cursor) -> None:
        """`ISTREAM [DEL|DIF] (query)` becomes `(SELECT * FROM (query) name)`; name carries it."""
        start = cursor.position
        kind = cursor.next().text.upper()
        mode = "DIF" if kind != "RSTREAM" and cursor.accept("DIF") else "DEL"
        if mode == "DEL" and kind != "RSTREAM":
            cursor.accept("DEL")
        if not cursor.at("("):
            cursor.position = start
            self._keep(cursor)
            return
        here = cursor.tokens[start]
        self.tokens += [
            _token(TokenType.L_PAREN, "(", here),
            _token(TokenType.SELECT, "SELECT", here),
            _token(TokenType.STAR, "*", here),
            _token(TokenType.FROM, "FROM", here),
        ]
        end = cursor.closing() + 1
        self.run(cursor, end)
        every = parse_duration(cursor) if kind == "RSTREAM" and cursor.accept("EVERY") else None
        clause = Streamer(kind, mode, every, span=cursor.since(start))
        self.clauses[self._insert_alias(here)] = [clause]
        self.tokens.append(_token(TokenType.R_PAREN, ")", here))

    def _during(self, cursor: Cursor) -> None:
        """`query DURING [a, b)` becomes `SELECT * FROM (query) name`; name carries it."""
        here, start = cursor.tokens[cursor.position], self.levels[-1]
        clause = parse_during(cursor)
        query = self.tokens[start:]
        if not query or keyword(query[0]) not in QUERY_STARTS:
            hint = "as in SELECT … FROM s DURING [1, 8), in brackets if it is a part of something"
            raise ContinuaError("SYNTAX", "DURING stands after a query", clause.span, hint=hint)
        if not (cursor.done or cursor.at(")") or at_during(cursor)):
            raise cursor.error("DURING ends a query", hint="put the query into brackets")
        if not _is_bracketed(query):
            query = [_token(TokenType.L_PAREN, "(", here), *query]
            query.append(_token(TokenType.R_PAREN, ")", here))
        self.tokens[start:] = [
            _token(TokenType.SELECT, "SELECT", here),
            _token(TokenType.STAR, "*", here),
            _token(TokenType.FROM, "FROM", here),
            *query,
        ]
        self.clauses[self._insert_alias(here)] = [clause]

    def _table_function(self, name: str, cursor: Cursor) -> None:
        """`TUMBLE(stream, 10 SECONDS)` becomes `stream`, which carries it."""
        start = cursor.position
        cursor.position += 2
        cursor.accept("TABLE")
        if cursor.at("("):
            self.run(cursor, cursor.closing() + 1)
        else:
            cursor.name("a stream")
            self.tokens.append(cursor.tokens[cursor.position - 1])
        self._tie(parse_table_function(name, cursor, start), cursor)

    def _tie(self, clause: Clause, cursor: Cursor) -> None:
        """Ties a clause, and those right after it, to the name before it or the alias after."""
        clauses = [clause]
        while at_clause(cursor):
            clauses.append(parse_clause(cursor))
        key: int | str
        if self.tokens and is_word(self.tokens[-1]) and keyword(self.tokens[-1]) not in _SYNTAX:
            key = self.tokens[-1].start
        elif (renamed := self._before_brackets()) is not None:
            key = renamed.start
        elif self.tokens and self.tokens[-1].token_type == TokenType.R_PAREN:
            alias = cursor.token(1) if cursor.at("AS") else cursor.token()
            named = alias is not None and is_word(alias) and keyword(alias) not in _CLAUSE_WORDS
            key = alias.start if named and alias else self._insert_alias(self.tokens[-1])
        else:
            raise _misplaced(clause)
        self.clauses.setdefault(key, []).extend(clauses)

    def _before_brackets(self) -> Token | None:
        """The alias before the brackets that end here, as in `AS q(a, b)`."""
        depth = 0
        for position in range(len(self.tokens) - 1, 0, -1):
            depth += self.tokens[position].token_type == TokenType.R_PAREN
            depth -= self.tokens[position].token_type == TokenType.L_PAREN
            if depth == 0:
                name = self.tokens[position - 1]
                named = is_word(name) and keyword(name) not in _SYNTAX
                return name if named and position < len(self.tokens) - 1 else None
        return None

    def _insert_alias(self, here: Token) -> str:
        name = f"{INSERTED}{self.inserted}"
        self.inserted += 1
        self.tokens.append(_token(TokenType.VAR, name, here))
        return name


def _is_bracketed(tokens: list[Token]) -> bool:
    """Whether one pair of brackets stands around all of the tokens."""
    depth = 0
    for number, token in enumerate(tokens, 1):
        depth += token.token_type == TokenType.L_PAREN
        depth -= token.token_type == TokenType.R_PAREN
        if depth == 0:
            return number == len(tokens)
    return False


# Functions that SQL writes without brackets.
_BARE_FUNCTIONS = {"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP"}

# What cannot follow a comma.
_NO_ITEM = frozenset(
    "FROM WHERE HAVING LIMIT UNION EXCEPT INTERSECT ) ;".split()  # noqa: SIM905
) | {"GROUP BY", "ORDER BY"}

# Words that may follow a FROM item and are no alias.
_CLAUSE_WORDS = frozenset(
    """ANTI ASOF CROSS DURING EVERY EXCEPT FOR FULL HAVING INNER INTERSECT JOIN LEFT LIMIT MINUS
    NATURAL OFFSET ON RIGHT SEMI UNION USING WHERE WINDOW""".split()  # noqa: SIM905
) | {"GROUP BY", "ORDER BY"}


def _token(kind: TokenType, text: str, here: Token) -> Token:
    return Token(kind, text, here.line, here.col, here.start, here.end)


def _parse_rest(tokens: list[Token], cursor: Cursor) -> exp.Expr:
    source = cursor.source
    if not tokens:
        raise cursor.error("expected a query")
    try:
        tree = DIALECT.parser().parse(tokens, source.text)[0]
    except ParseError as error:
        detail = error.errors[0] if error.errors else {}
        raise _syntax_error(detail, source, cursor) from None
    if not isinstance(tree, (exp.Query, exp.Values)):
        raise ContinuaError("SYNTAX", "expected a query", cursor.since(cursor.position - 1))
    return tree


_COMPLETE = {
    TokenType.IDENTIFIER,
    TokenType.NUMBER,
    TokenType.R_PAREN,
    TokenType.STRING,
    TokenType.VAR,
}


def _syntax_error(detail: dict[str, object], source: Source, cursor: Cursor) -> ContinuaError:
    """sqlglot's finding in plain words, at its place."""
    line, column = detail.get("line"), detail.get("col")
    highlight = str(detail.get("highlight") or "")
    description = str(detail.get("description") or "")
    span = cursor.span(cursor.tokens[-1])
    if isinstance(line, int) and isinstance(column, int):
        offset = 0
        for _ in range(line - 1):
            offset = source.text.find("\n", offset) + 1
        end = min(offset + column, len(source.text))
        span = Span(source, max(0, end - max(1, len(highlight))), end)
    last = cursor.tokens[-1]
    # An unexpected end is reported at the last word: only a complete one is itself the surprise.
    complete = last.token_type in _COMPLETE
    if description.startswith("Expecting"):
        message = f"expected {description.removeprefix('Expecting').strip()} near {span.text!r}"
    elif "missing" in description or (span.end >= last.end + 1 and not complete):
        message = f"something is missing after {span.text!r}"
    else:
        message = f"{span.text!r} is not expected here"
        return ContinuaError("SYNTAX", message, span, hint=_misspelt(cursor, span))
    return ContinuaError("SYNTAX", message, span)


def _misspelt(cursor: Cursor, span: Span) -> str | None:
    """A hint if the word before the surprise, taken for an alias, is much like a keyword."""
    before = [token for token in cursor.tokens if token.end < span.start]
    if not before or before[-1].token_type != TokenType.VAR:
        return None
    word = before[-1].text
    meant = nearest(word, _STARTS)
    return f"did you mean {meant} instead of {word}?" if meant else None


_STARTS = ("FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "JOIN", "UNION", "EXCEPT")


def _restore(tree: exp.Expr, extraction: _Extraction) -> None:
    """Gives functions their names back and hangs the clauses on the nodes they belong to."""
    waiting, hidden = dict(extraction.clauses), extraction.hidden
    for node in list(tree.walk()):
        if isinstance(node, exp.Anonymous):
            node.set("this", str(node.this).removeprefix(hidden).upper())
            if node.this in _QUANTIFIERS:
                # Over a set operation in brackets, sqlglot takes the quantifier for a function.
                one = len(node.expressions) == 1
                over = node.expressions[0] if one else exp.Tuple(expressions=node.expressions)
                node.replace(_QUANTIFIERS[node.this](this=over))
            elif node.this in _MATCHES and len(node.expressions) == 2:
                # As which sqlglot prints RLIKE.
                text, pattern = node.expressions
                node.replace(exp.RegexpLike(this=text, expression=pattern))
        elif isinstance(node, exp.Identifier):
            if node.this.startswith(hidden):
                node.set("this", node.this.removeprefix(hidden))
            key = node.this if is_inserted(node) else node.meta.get("start")
            owner = _from_item(node)
            if key in waiting and owner is not None:
                owner.meta.setdefault(CLAUSES, []).extend(waiting.pop(key))
    for clauses in waiting.values():
        raise _misplaced(clauses[0])


def _misplaced(clause: Clause) -> ContinuaError:
    hint, what = "write it after the stream's name or its alias", "a window"
    if isinstance(clause, (AsOf, MatchCondition)):
        what = "AS OF" if isinstance(clause, AsOf) else "MATCH_CONDITION"
    return ContinuaError("SYNTAX", f"{what} must follow a stream in FROM", clause.span, hint=hint)


_QUANTIFIERS = {"ALL": exp.All, "ANY": exp.Any, "SOME": exp.Any}


_MATCHES = ("RLIKE", "REGEXP", "REGEXP_LIKE")
COMPARISONS: Final = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)


def _check_quantifiers(tree: exp.Expr, cursor: Cursor) -> None:
    """ANY and ALL stand between a comparison and a query, which ends the comparison.

    sqlglot lets more stand there, and keeps as many brackets around the query as it likes.
    """
    for node in tree.find_all(exp.Any, exp.All):
        compared = isinstance(node.parent, COMPARISONS) and node.parent.expression is node
        if not compared or not isinstance(node.this, (exp.Query, exp.Values)):
            word = node.key.upper()
            message = f"{word} stands between a comparison and a query in brackets"
            hint = f"as in (a >= {word} (SELECT …)), in brackets if it is a part of something"
            span = span_of(node, cursor.source) or cursor.since(0)
            raise ContinuaError("SYNTAX", message, span, hint=hint)
        query = node.this
        while isinstance(query, exp.Subquery) and not any(
            value for part, value in query.args.items() if part != "this"
        ):
            query = query.this
        node.set("this", exp.Subquery(this=query))


def _from_item(identifier: exp.Identifier) -> exp.Expr | None:
    """The FROM item an identifier names, by itself or as its alias."""
    parent = identifier.parent
    if isinstance(parent, exp.TableAlias) and parent.this is identifier:
        parent = parent.parent
    found = isinstance(parent, (exp.Table, exp.Subquery, exp.Values))
    return parent if found else None


def _check_complete(tree: exp.Expr, cursor: Cursor) -> None:
    """sqlglot lets some unfinished clauses pass; they are mistakes all the same."""
    for node in tree.walk():
        if isinstance(node, exp.Select) and not node.expressions:
            hint = "as in SELECT *"
            raise ContinuaError("SYNTAX", "SELECT without columns", cursor.since(0), hint=hint)
        if isinstance(node, exp.Group) and not any(node.args.values()):
            raise ContinuaError("SYNTAX", "GROUP BY without columns", cursor.since(0))
