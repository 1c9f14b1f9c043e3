"""PySpark also logs what it raises, with the whole Java stack: here it does not.

Relies on the names of the loggers of PySpark and of py4j; neither has a setting for them that
would hold for one thread only. Tried with Spark 4.3.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.logger import PySparkLogger


@contextmanager
def hushed() -> Iterator[None]:
    """Nothing that this thread has Spark do is logged; who raises it says it."""
    for kind in ("SQL", "DataFrame"):
        PySparkLogger.getLogger(f"{kind}QueryContextLogger").addFilter(_heard)
    before = getattr(_here, "hushed", False)
    _here.hushed = True
    try:
        yield
    finally:
        _here.hushed = before


def hush_callbacks() -> None:
    """Nothing that our functions raise when Java calls them is logged; Java gives it back."""
    logging.getLogger("py4j.clientserver").setLevel(logging.CRITICAL)


_here = threading.local()


def _heard(record: logging.LogRecord) -> bool:
    """Whether what a thread logs is to be seen."""
    return not getattr(_here, "hushed", False)
