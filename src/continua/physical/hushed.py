"""PySpark also logs what it raises, with the whole Java stack: here it does not."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from logging import LogRecord

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


_here = threading.local()


def _heard(record: LogRecord) -> bool:
    """Whether what a thread logs is to be seen."""
    return not getattr(_here, "hushed", False)
