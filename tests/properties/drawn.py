"""Writes down what it is tried on. `test_drawing` runs it in several ways."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from drawing import examples
from hypothesis import given
from hypothesis import strategies as st
from queries import Case, cases
from test_print_parse import statements


@examples(40)
@given(case=cases(), text=statements(), values=st.lists(st.integers() | st.text() | st.floats()))
def test_draw(case: Case, text: str, values: list[Any]) -> None:
    with Path(os.environ["CONTINUA_DRAWN"]).open("a") as drawn:
        drawn.write(f"{case}\n{text}\n{values}\n")
