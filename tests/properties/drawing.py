"""What properties are tried on: the same examples in every run of one commit.

A red build is then a changed program, and never a new example. `make fuzz` looks for new ones, and
`CONTINUA_FUZZ_EXAMPLES=5000` does so with the properties themselves, that many examples for each.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.conjecture.utils import combine_labels
from hypothesis.strategies._internal.strategies import SampledFromStrategy

FUZZING = "CONTINUA_FUZZ_EXAMPLES" in os.environ


def draw_the_same_everywhere() -> None:
    """Has Hypothesis draw by its seed alone.

    It also draws the constants that it finds in whatever modules of ours are loaded at the time: one
    file by itself would be tried on other examples than the whole suite. And it copies what was drawn
    in one place of an example to a place with an equal label, and labels a choice among objects by
    their addresses, which may be those of objects that are gone.
    """
    assert callable(providers.is_local_module_file), "Hypothesis asks otherwise what is ours"
    providers.is_local_module_file = lambda path: False
    assert "calc_label" in vars(SampledFromStrategy), "Hypothesis labels choices otherwise"
    SampledFromStrategy.calc_label = lambda choice: combine_labels(  # type: ignore[method-assign]
        choice.class_label, len(choice.elements)
    )


def load_settings() -> None:
    """The settings of all properties, wherever their tests stand."""
    draw_the_same_everywhere()
    settings.register_profile(
        "continua",
        deadline=None,
        derandomize=not FUZZING,
        database=None,
        print_blob=True,
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.large_base_example,
            HealthCheck.function_scoped_fixture,
        ],
    )
    settings.load_profile("continua")


def examples(number: int) -> settings:
    """The settings of a property that is tried on so many examples, or on as many as asked for."""
    return settings(max_examples=int(os.environ.get("CONTINUA_FUZZ_EXAMPLES", number)))
