"""A row as a JSON object on a line, in Python and as SQL: both give the same text.

Numbers are numbers with all their digits, but those that JSON does not have (NaN and the
infinities) and times are texts.
"""

from __future__ import annotations

from collections.abc import Sequence

from continua.model.element import Values
from continua.model.types import BOOLEAN, STRING, Type
from continua.physical.expression import literal
from continua.runtime.formats.cells import text

NOT_FINITE = ("NaN", "Infinity", "-Infinity")
"""The texts of floating numbers that JSON has no number for."""

_ESCAPED = {
    **{code: f"\\u{code:04X}" for code in range(32)},
    **{ord(c): f"\\{as_}" for c, as_ in zip('"\\\b\f\n\r\t', '"\\bfnrt', strict=True)},
}
"""What a text may not have as it is, written as Spark writes it."""

_SPECIAL = r'["\\\x00-\x1f]'


def json_line(row: Values, names: Sequence[str], types: Sequence[Type]) -> str:
    """The line of a row, without its end."""
    cells = zip(names, row, types, strict=True)
    return "{" + ", ".join(f"{_quoted(n)}: {_value(v, type_)}" for n, v, type_ in cells) + "}"


def json_sql(texts: Sequence[str], names: Sequence[str], types: Sequence[Type]) -> str:
    """SQL: the line of a row, over columns that have the texts of its values."""
    parts, lead = [], "{"
    for cell, name, type_ in zip(texts, names, types, strict=True):
        parts += [literal(f"{lead}{_quoted(name)}: ", STRING), _value_sql(cell, type_)]
        lead = ", "
    return f"concat({', '.join(parts)}, '}}')"


def _value(value: object, type_: Type) -> str:
    if value is None:
        return "null"
    cell = text(value, type_)
    bare = type_ == BOOLEAN or (type_.numeric and cell not in NOT_FINITE)
    return cell if bare else _quoted(cell)


def _value_sql(cell: str, type_: Type) -> str:
    quoted = f"concat('\"', {cell}, '\"')"
    if type_ == STRING:
        object_ = f"to_json(named_struct('v', {cell}))"
        # Of {"v":"text"}, the text. It takes long, and most texts have nothing to escape.
        escaped = f"substr({object_}, 6, length({object_}) - 6)"
        value = f"IF({cell} RLIKE {literal(_SPECIAL, STRING)}, {escaped}, {quoted})"
    elif type_.floating:
        listed = ", ".join(literal(word, STRING) for word in NOT_FINITE)
        value = f"IF({cell} IN ({listed}), {quoted}, {cell})"
    else:
        value = cell if type_ == BOOLEAN or type_.numeric else quoted
    return f"IF({cell} IS NULL, 'null', {value})"


def _quoted(value: str) -> str:
    return f'"{value.translate(_ESCAPED)}"'
