"""A run of tests whose Java has ended says so once, and ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from engine_process import BRIEF

pytestmark = [pytest.mark.spark, pytest.mark.apart]


def test_a_run_without_java_ends_with_one_message() -> None:
    tests = Path(__file__).with_name("losing_java.py")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", str(tests)],
        env={**os.environ, "SPARK_SUBMIT_OPTS": BRIEF},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    said = ran.stdout + ran.stderr
    assert ran.returncode == 3, said
    assert said.count("Java has ended with the exit code -9") == 1, said
    assert "test_that_loses_java" in said
    assert "test_after" not in said
    assert "Traceback" not in said
