"""Java is found: the user's if Spark supports it, else the one the package brings."""

import re
import subprocess
from pathlib import Path

import pytest

from continua.physical.spark_internals.java import OPTIONS, garbage_collector, java_home


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def fake_java(home: Path, version: str) -> Path:
    launcher = home / "bin" / "java"
    launcher.parent.mkdir(parents=True)
    launcher.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    launcher.chmod(0o755)
    return home


@pytest.mark.parametrize("version", ["17.0.9", "21"])
def test_a_suitable_java_home_is_used(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "jdk", version)))
    assert java_home() == tmp_path / "jdk"
    assert not cache.exists()


@pytest.mark.parametrize("version", ["1.8.0_392", "11.0.2", "25.0.1", None])
def test_otherwise_the_bundled_one_is_used(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, version: str | None
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    if version is not None:
        monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "jdk", version)))
    home = java_home()
    assert home.is_relative_to(cache)
    # It starts although Spark's launcher asks for a module that it does not have.
    launcher = home / "bin" / "java"
    command = [launcher, "--add-modules=jdk.incubator.vector", "-version"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    assert 'version "21' in shown.stderr


def collector_in_use(option: str) -> str:
    """The garbage collector that Java has with an option."""
    command = [java_home() / "bin" / "java", *option.split(), "-XX:+PrintFlagsFinal", "-version"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    flags = re.findall(r"Use(\w+GC) +:?= true", shown.stdout)
    return next(flag for flag in flags if flag in ("ParallelGC", "SerialGC", "G1GC"))


def test_the_quickest_garbage_collector_is_used(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("JAVA_HOME", *OPTIONS):
        monkeypatch.delenv(name, raising=False)
    assert collector_in_use(garbage_collector()) == "ParallelGC"


def test_a_garbage_collector_of_the_users_choice_stays(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("JDK_JAVA_OPTIONS", "-XX:+UseSerialGC -Xss4m")
    assert collector_in_use(garbage_collector()) == "SerialGC"


def test_a_broken_launcher_is_mended(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    launcher = java_home() / "bin" / "java"
    launcher.write_text("broken")
    java_home()
    assert launcher.read_text().startswith("#!/bin/sh")
