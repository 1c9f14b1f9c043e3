"""Where a node of sqlglot's tree stands in the text."""

from __future__ import annotations

from sqlglot import exp

from continua.errors import ContinuaError, Source, Span


def span_of(node: exp.Expr, source: Source) -> Span | None:
    """The place of a node: from the first to the last of its parts whose positions are known.

    A node none of whose parts has a position gets the place of what it stands in.
    """
    known = [n.meta for n in node.walk() if "start" in n.meta and "end" in n.meta]
    if not known:
        return span_of(node.parent, source) if node.parent else None
    start, end = min(m["start"] for m in known), max(m["end"] for m in known) + 1
    if isinstance(node, exp.Select):
        start = max(0, source.text.upper().rfind("SELECT", 0, start + 6))
    return Span(source, start, _closed(source.text, start, end))


def _closed(text: str, start: int, end: int) -> int:
    """The end moved past the brackets that close what the span opens."""
    still_open = text.count("(", start, end) - text.count(")", start, end)
    while still_open > 0:
        rest = text[end:]
        if not rest.lstrip().startswith(")"):
            break
        end += len(rest) - len(rest.lstrip()) + 1
        still_open -= 1
    return end


def unsupported(what: str, span: Span | None, hint: str | None = None) -> ContinuaError:
    return ContinuaError("UNSUPPORTED", f"{what} is not supported", span, hint=hint)
