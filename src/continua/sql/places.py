"""Where a node of sqlglot's tree stands in the text."""

from __future__ import annotations

from sqlglot import exp

from continua.errors import ContinuaError, Source, Span


def span_of(node: exp.Expr, source: Source) -> Span | None:
    """The place of a node: from the first to the last of its parts whose positions are known."""
    known = [n.meta for n in node.walk() if "start" in n.meta and "end" in n.meta]
    if not known:
        return None
    start, end = min(m["start"] for m in known), max(m["end"] for m in known) + 1
    # A call's own position is its name; the bracket after its last argument belongs to it too.
    if isinstance(node, exp.Anonymous) and source.text[end : end + 1] == ")":
        end += 1
    return Span(source, start, end)


def unsupported(what: str, span: Span | None, hint: str | None = None) -> ContinuaError:
    return ContinuaError("UNSUPPORTED", f"{what} is not supported", span, hint=hint)
