"""The engine as a process of its own, as users run it, to be killed at bad moments."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

BRIEF = "-XX:TieredStopAtLevel=1"
"""Has Java compile code quickly instead of well: a process that is killed soon never gains by it."""


class EngineProcess:
    """`continua run --live` over a script and a checkpoint."""

    def __init__(self, script: Path, checkpoint: Path, *options: str) -> None:
        command = [sys.executable, "-m", "continua", "run", "--live", str(script)]
        self.process = subprocess.Popen(
            [*command, "--checkpoint", str(checkpoint), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=script.parent,
            env={**os.environ, "SPARK_SUBMIT_OPTS": BRIEF},
            # Spark's JVM is a child: it has to die with its parent.
            start_new_session=True,
        )

    def kill(self, when: Callable[[], bool], patience: float) -> bool:
        """Kills it, and its JVM, as soon as a condition holds, or patience ends."""
        end = time.monotonic() + patience
        happened = when()
        while not happened and time.monotonic() < end and self.process.poll() is None:
            time.sleep(0.001)
            happened = when()
        self.destroy()
        return happened

    def destroy(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()

    def wait(self, patience: float) -> tuple[int, str]:
        """How it ends by itself, and what it says."""
        _, said = self.process.communicate(timeout=patience)
        return self.process.returncode, said
