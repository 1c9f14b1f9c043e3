"""Directories of files that are published again, and one file."""

from __future__ import annotations

from pathlib import Path

import pytest

from continua import ContinuaError
from continua.runtime.sinks.json_sink import JsonSink


def json_sink(name: str, folder: Path) -> JsonSink:
    return JsonSink(name, {"path": str(folder)})


def published(sink: JsonSink, folder: Path, slab: int, *texts: str) -> None:
    folder.mkdir(exist_ok=True)
    for number, text in enumerate(texts):
        (folder / f"part-{number}").write_text(text)
    sink.take(slab, folder)


def found(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.glob("*.json")}


def test_in_fewer_parts(tmp_path: Path) -> None:
    sink, other = (json_sink(name, tmp_path) for name in ("s", "t"))
    published(sink, tmp_path / "new", 7, "a", "b", "c")
    published(other, tmp_path / "new", 7, "x", "y")
    published(sink, tmp_path / "new", 8, "d", "e")
    published(sink, tmp_path / "new", 7, "abc")
    assert found(tmp_path) == {
        "00000007-s-0000.json": "abc",
        "00000007-t-0000.json": "x",
        "00000007-t-0001.json": "y",
        "00000008-s-0000.json": "d",
        "00000008-s-0001.json": "e",
    }


def test_a_file_without_rows_is_none(tmp_path: Path) -> None:
    sink = json_sink("s", tmp_path)
    published(sink, tmp_path / "new", 7, "", "b", "", "d")
    assert found(tmp_path) == {"00000007-s-0000.json": "b", "00000007-s-0001.json": "d"}


def test_what_came_after_a_slab_is_forgotten(tmp_path: Path) -> None:
    names = ["00000007-s-0000.json", "00000008-s-0000.json", "00000008-a-s-0000.json", "x.json"]
    for name in names:
        (tmp_path / name).write_text("")
    json_sink("s", tmp_path).forget(7)
    assert found(tmp_path).keys() == {*names} - {"00000008-s-0000.json"}


def test_what_runs_is_not_written_to_one_file(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("")
    for name, verb in (("out.json", "names"), ("there", "is")):
        sink = json_sink("s", tmp_path / name)
        message = f"{name} {verb} a file; a running query writes files into a directory"
        with pytest.raises(ContinuaError, match=message):
            sink.open(0)
    (tmp_path / "folder.json").mkdir()
    json_sink("s", tmp_path / "folder.json").open(0)
