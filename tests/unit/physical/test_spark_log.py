"""What a streaming query of Spark has noted in the folder of its checkpoint."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from continua.physical.spark_internals.spark_log import SparkLog


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


def test_a_batch_is_taken_back(tmp_path: Path) -> None:
    log = SparkLog(str(tmp_path))
    assert log.committed == -1
    for name, last in (("commits", 11), ("offsets", 12)):
        (tmp_path / name).mkdir()
        for number in range(9, last + 1):
            (tmp_path / name / str(number)).touch()
            (tmp_path / name / f".{number}.crc").touch()
        (tmp_path / name / ".13.crc.tmp").touch()
    assert log.committed == 11
    log.take_back(11)
    assert log.committed == 10
    for name, last in (("commits", 10), ("offsets", 11)):
        left = {path.name for path in (tmp_path / name).iterdir()} - {".13.crc.tmp"}
        numbers = range(9, last + 1)
        assert left == {str(n) for n in numbers} | {f".{n}.crc" for n in numbers}
