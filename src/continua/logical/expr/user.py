"""Functions and aggregates that users register in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from continua.errors import ContinuaError
from continua.logical.expr.aggregates import AggregateFunction
from continua.logical.expr.cast import ValueProblem, accept
from continua.logical.expr.function import Function, Signature
from continua.model.types import Type


def user_function(name: str, fn: Callable[..., object], result: Type) -> Function:
    """A scalar function; it gets NULL as None."""

    def apply(type_: Type, *values: object) -> object:
        return accept(_guarded(name, fn, *values), type_)

    return Function(name.lower(), _as_given(result), apply, strict=False, python=fn)


def user_aggregate(
    name: str,
    init: Callable[..., Any],
    merge: Callable[..., Any],
    combine: Callable[[Any, Any], Any],
    eval_: Callable[[Any], object],
    result: Type,
) -> AggregateFunction:
    """An aggregate by its four functions (TODS §7.5.2); NULLs do not reach them.

    What a partial aggregate keeps is unknown, so it counts as growing with the window.
    """

    def evaluate(type_: Type, partial: object) -> object:
        return accept(_guarded(name, eval_, partial), type_)

    return AggregateFunction(
        name.lower(),
        _as_given(result),
        lambda *values: _guarded(name, init, *values),
        lambda partial, *values: _guarded(name, merge, partial, *values),
        lambda a, b: _guarded(name, combine, a, b),
        evaluate,
        bounded=False,
    )


def _as_given(result: Type) -> Callable[[Sequence[Type]], Signature]:
    return lambda types: (tuple(types), result)


def _guarded(name: str, fn: Callable[..., Any], *args: object) -> Any:
    try:
        return fn(*args)
    except (ContinuaError, ValueProblem):
        raise
    except (Exception, SystemExit) as error:
        shown = ", ".join(map(repr, args))
        raised = f"{type(error).__name__}: {error}".removesuffix(": ")
        message = f"{name}({shown}) raised {raised}"
        raise ContinuaError("FUNCTION_FAILED", message) from error
