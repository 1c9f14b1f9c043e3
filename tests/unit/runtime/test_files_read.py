"""Files that change after they were read, and what Spark's log says of them."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

import pytest

from continua.physical.spark_internals.spark_log import SparkLog
from continua.runtime.live import files_read
from continua.runtime.live.files_read import FilesRead, Taken


def taken(path: Path) -> Taken:
    status = path.stat()
    return Taken(str(path), status.st_size, status.st_mtime_ns // 1_000_000)


def test_a_file_that_grows_is_told_of_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files, paths = FilesRead(), [tmp_path / name for name in "abcd"]
    for path in paths:
        path.write_text("1\n")
    files.took("s", [taken(path) for path in paths])
    assert files.changed() == {}
    now = os.stat(paths[0])
    with paths[0].open("a") as stream:
        stream.write("2\n")
    os.utime(paths[0], ns=(now.st_atime_ns, now.st_mtime_ns))  # as if within a millisecond
    os.utime(paths[1], (now.st_atime + 5, now.st_mtime + 5))  # written over, of the same size
    paths[2].unlink()
    assert files.changed() == files.changed() == {"s": 2}
    (warning,) = caplog.messages
    assert warning.startswith(f"warning: {paths[0]} and 1 more changed after it was read")
    assert warning.endswith("hint: write a file elsewhere, and move it in when it is complete")


def test_only_the_last_files_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_read, "MOST", 2)
    files, paths = FilesRead(), [tmp_path / name for name in "abc"]
    for path in paths:
        path.write_text("1")
        files.took("s", [taken(path)])
    for path in paths:
        path.write_text("12")
    assert files.changed() == {"s": 2}


def test_the_log_of_spark(tmp_path: Path) -> None:
    log = SparkLog(str(tmp_path))

    def write(name: str, *lines: str) -> None:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("\n".join(["v1", *lines]))

    def note(name: str, *batches: tuple[str, int]) -> None:
        paths = ((quote(f"/in/{file}"), n) for file, n in batches)
        lines = (f'{{"path":"file://{p}","timestamp":{n}5,"batchId":{n}}}' for p, n in paths)
        write(f"sources/s/{name}", *lines)

    def offset(batch: int, number: int) -> None:
        write(f"offsets/{batch}", "{}", 'x_s:{"logOffset":7}', f's:{{"logOffset":{number}}}')

    assert log.of_batch("s", 0) == log.up_to("s", 5, 10) == []
    note("8.compact", ("a b%", 1), ("b", 2), ("c", 8))
    note("9", ("d", 9), ("e", 9))
    note("10", ("f", 10))
    note("11", ("g", 11))
    for batch, number in ((4, 7), (5, 8), (6, 10), (7, 10), (8, 11)):
        offset(batch, number)
    assert [log.of_batch("s", batch) for batch in (5, 6, 7)] == [
        [("/in/c", 85)],
        [("/in/d", 95), ("/in/e", 95), ("/in/f", 105)],
        [],
    ]
    everything = [f"/in/{name}" for name in ("a b%", "b", "c", "d", "e", "f")]
    for most in range(1, 8):
        assert [file.path for file in log.up_to("s", 7, most)] == everything[-most:]
