"""What was measured, where and when."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from workers import FLINK, ROOT

from continua.physical.spark_internals.java import java_home


def machine() -> dict[str, object]:
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "cpu": _processor(),
        "cores": os.cpu_count(),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**30,
        "system": f"{platform.system()} {platform.release()}",
        "versions": {
            "Continua": _said("git", "-C", str(ROOT), "describe", "--always", "--dirty"),
            "Spark": version("pyspark"),
            "Flink": _flink(),
            "DuckDB": version("duckdb"),
            "Java": _java(),
            "Python": platform.python_version(),
        },
    }


def _processor() -> str:
    match = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    return match[1] if match else platform.machine()


def _flink() -> str:
    if not FLINK.exists():
        return "not installed"
    asked = "from importlib.metadata import version; print(version('apache-flink'))"
    return _said(str(FLINK), "-c", asked)


def _java() -> str:
    shown = subprocess.run([java_home() / "bin" / "java", "-version"], capture_output=True)
    match = re.search(r'version "([^"]*)"', shown.stderr.decode())
    return match[1] if match else "unknown"


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
