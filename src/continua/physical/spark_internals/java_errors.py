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


def raised_beside(error: Exception) -> PySparkException | None:
    """What Spark raised in a thread of its own, for which the query waited.

    A table that is sent to all tasks is computed so. Java wraps what fails there, Spark may wrap
    that once more, and PySpark does not look inside.
    """
    assert isinstance(error, Py4JJavaError)
    raised = error.java_exception
    while raised is not None and raised.getClass().getName() != _WRAPPED:
        raised = raised.getCause()
    if raised is None or raised.getCause() is None:
        return None
    inside = convert_exception(raised.getCause())
    return None if isinstance(inside, UnknownException) else inside
