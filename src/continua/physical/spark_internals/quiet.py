"""PySpark logs every error that it raises, with the whole Java stack: here it does not.

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
def quiet() -> Iterator[None]:
    """Errors of what Spark does for this thread are raised, and not logged as well."""
    for kind in ("SQL", "DataFrame"):
        PySparkLogger.getLogger(f"{kind}QueryContextLogger").addFilter(_logged)
    before = getattr(_here, "quiet", False)
    _here.quiet = True
    try:
        yield
    finally:
        _here.quiet = before


def quiet_callbacks() -> None:
    """Errors of our functions that Java calls are not logged: its caller gets them."""
    logging.getLogger("py4j.clientserver").setLevel(logging.CRITICAL)


_here = threading.local()


def _logged(record: logging.LogRecord) -> bool:
    """Whether a message of this thread is logged."""
    return not getattr(_here, "quiet", False)
