"""Settings of the property tests.

By default the examples are the same in every run, so that a red build is a changed program and not
a new example. `CONTINUA_FUZZ_EXAMPLES=5000` looks for new ones, that many per property.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

FUZZING = "CONTINUA_FUZZ_EXAMPLES" in os.environ

settings.register_profile(
    "continua",
    deadline=None,
    derandomize=not FUZZING,
    print_blob=True,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.large_base_example,
    ],
)
settings.load_profile("continua")
