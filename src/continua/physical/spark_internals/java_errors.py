"""What is raised when Java fails at what Spark is asked, or is gone.

Relies on the exceptions of py4j, by which PySpark speaks to Java. PySpark makes exceptions of its
own only of those that it knows; all others, and the loss of the connection, come as they are.
Tried with Spark 4.3.
"""

from __future__ import annotations

from typing import Final

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError

JAVA_RAISED: Final[type[Exception]] = Py4JJavaError
"""Java has raised something that is no error of Spark's."""

JAVA_FAILED: Final[type[Exception]] = Py4JError
"""Java has raised something, or has not done what it was asked, or does not answer any more."""


def said_by_java(error: Exception) -> str | None:
    """What Java says in one of the errors above, or None: it is gone."""
    if isinstance(error, Py4JNetworkError | ConnectionRefusedError):
        return None
    try:
        return str(error)  # which may ask Java
    except (Py4JError, ConnectionRefusedError):
        return None
