"""What is raised when Java fails at what Spark is asked, or is gone.

Relies on the exceptions of py4j, by which PySpark speaks to Java. PySpark makes exceptions of its
own only of those that it knows; all others, and the loss of the connection, come as they are.
Tried with Spark 4.3.
"""

from __future__ import annotations

from typing import Final

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark.errors import PySparkException
from pyspark.errors.exceptions.captured import UnknownException, convert_exception

JAVA_RAISED: Final[type[Exception]] = Py4JJavaError
"""Java has raised something that is no error of Spark's."""

JAVA_FAILED: Final[type[Exception]] = Py4JError
"""Java has raised something, or has not done what it was asked, or does not answer any more."""

_WRAPPED: Final = "java.util.concurrent.ExecutionException"


def said_by_java(error: Exception) -> str | None:
    """What Java says in one of the errors above, or None: it is gone."""
    if isinstance(error, Py4JNetworkError | ConnectionRefusedError):
        return None
    try:
        return str(error)  # which may ask Java
    except (Py4JError, ConnectionRefusedError):
        return None


def raised_in_thread(error: Exception) -> PySparkException | None:
    """The error of another thread of Spark's, for which the query has waited.

    Spark computes in such a thread, for example, a table that it sends to all tasks. Java wraps
    the error, Spark may wrap it once more, and PySpark does not look inside.
    """
    assert isinstance(error, Py4JJavaError)
    raised = error.java_exception
    while raised is not None and raised.getClass().getName() != _WRAPPED:
        raised = raised.getCause()
    if raised is None or raised.getCause() is None:
        return None
    inside = convert_exception(raised.getCause())
    return None if isinstance(inside, UnknownException) else inside
