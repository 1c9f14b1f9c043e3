"""How many examples a property is tried on."""

from __future__ import annotations

import os

from hypothesis import settings


def examples(number: int) -> settings:
    """The settings of a property that is tried on so many examples, or on as many as asked for."""
    return settings(max_examples=int(os.environ.get("CONTINUA_FUZZ_EXAMPLES", number)))
