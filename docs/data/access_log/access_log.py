"""`SOURCE access_log('logs')`: the requests that web servers note in their logs."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from continua import File, FileSource, Option, Place, Problem, Record

COLUMNS = (
    ("host", "STRING"),
    ("login", "STRING"),
    ("time", "TIMESTAMP"),
    ("method", "STRING"),
    ("path", "STRING"),
    ("status", "INT"),
    ("bytes", "BIGINT"),
)
LINE = re.compile(r'(\S+) \S+ (\S+) \[([^]]+)\] "(\S+) (\S+)[^"]*" (\d{3}) (\d+|-)')


class AccessLog(FileSource):
    SUFFIXES = (".log",)
    OPTIONS = (Option.truth("parameters", default=False),)

    def columns(self) -> Sequence[tuple[str, str]]:
        return COLUMNS

    def records_of(self, file: File) -> Iterator[Record | Problem]:
        with self.text(file) as lines:
            for number, line in enumerate(lines, 1):
                place = Place(file.name, number, "line")
                try:
                    yield Record(self.request(line), place, line)
                except ValueError as error:
                    yield Problem(str(error), place, line)

    def request(self, line: str) -> tuple[object, ...]:
        found = LINE.match(line)
        if found is None:
            raise ValueError("not a line of an access log")
        host, login, time, method, path, status, size = (
            None if field == "-" else field for field in found.groups()
        )
        if not self.options["parameters"]:
            path = path.partition("?")[0]
        noted = datetime.strptime(time, "%d/%b/%Y:%H:%M:%S %z")
        return host, login, noted, method, path, int(status), int(size or 0)
