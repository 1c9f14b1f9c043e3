"""Continua: continuous queries over data streams, in SQL, with one exact meaning.

At every instant, the result of a query is the plain SQL over the tuples valid at that instant.
"""

from continua.errors import ContinuaError, Span
from continua.model.schema import Column, Schema
from continua.runtime.live.manifest import Counts
from continua.runtime.live.report import Progress
from continua.runtime.live.running import Running
from continua.runtime.option import Option
from continua.runtime.query import Query
from continua.runtime.result import Result
from continua.runtime.rows import Rows
from continua.runtime.sinks.sink import Sink
from continua.runtime.sources.file_source import FileSource
from continua.runtime.sources.files import File
from continua.runtime.sources.record import Place, Problem, Record
from continua.runtime.sources.source import Source
from continua.session import Session

__version__ = "0.1.0"

__all__ = [
    "Column",
    "ContinuaError",
    "Counts",
    "File",
    "FileSource",
    "Option",
    "Place",
    "Problem",
    "Progress",
    "Query",
    "Record",
    "Result",
    "Rows",
    "Running",
    "Schema",
    "Session",
    "Sink",
    "Source",
    "Span",
]
