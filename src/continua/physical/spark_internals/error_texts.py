"""What can be read only in the text of an error of Spark's.

Relies on words in messages, and on how they are laid out. What an executor raises reaches us as the
text of another error, whose condition says only that a job has failed; and of errors of Java there
is nothing but the text. Tried with Spark 4.3.
"""

from __future__ import annotations

import re


def tells_of_cancellation(text: str) -> bool:
    """PySpark has cancelled all jobs, as it does at Ctrl-C."""
    return "cancellation of all jobs" in text


def tells_of_complexity(text: str) -> bool:
    """The plan is too large for the planner, or the text too long for the parser."""
    return "StackOverflowError" in text or "TOO_COMPLEX" in text


def tells_of_ended_worker(text: str) -> bool:
    """A process of Python that an executor had started has ended, or has crashed."""
    return "Python worker exited unexpectedly" in text or "Python worker faulthandler" in text


def tells_of_lost_rows(text: str) -> bool:
    """Rows that were cut off, see `in_memory`, are gone with the executor that had them."""
    return "CHECKPOINT_RDD_BLOCK_ID_NOT_FOUND" in text


def tells_of_full_disk(text: str) -> bool:
    """Nothing more can be written."""
    return "No space left on device" in text


def tells_of_unreadable_file(text: str) -> bool:
    """A file is damaged, or is gone."""
    marks = ("FAILED_READ_FILE", "PATH_NOT_FOUND", "FileNotFoundException")
    return any(mark in text for mark in marks)


def tells_of_unknown_format(text: str) -> bool:
    """No format has the name that Spark was told; Java says so, and not Spark."""
    return "DATA_SOURCE_NOT_FOUND" in text


def first_line(error: Exception) -> str:
    """The first line of a message."""
    return str(error).strip().splitlines()[0]


def last_line(error: Exception) -> str:
    """The last line of a message: of a traceback, what a function has raised."""
    return str(error).strip().splitlines()[-1]


def first_sentence(error: Exception) -> str:
    """The first sentence of a message, without Spark's own name for it and its advice."""
    plain = re.sub(r"^\[[A-Z_.]+\]\s*", "", str(error).strip())
    return _small(re.split(r"\. Use `|\. If necessary|\s+SQLSTATE|\n", plain)[0])


def objection(error: Exception) -> str:
    """What the analyzer objects to, without Spark's own name for it and its view of our text."""
    text = str(error).split("SQLSTATE")[0].split("\n")[0]
    plain = text.split("] ", 1)[-1].strip().rstrip(".")
    return _small(plain.rsplit(": ", 1)[-1] if "data type mismatch" in plain else plain)


def last_cause(text: str) -> str:
    """What Java says was the cause in the end, or else what it says first."""
    lines = [line.strip(" :\t") for line in text.splitlines() if line.strip(" :\t")]
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    named = [line for line in lines if "Exception" in line or "Error" in line]
    return [*causes[-1:], *named, *lines][0]


def reason(error: Exception) -> str:
    """The first line of what Spark or Java say that is not about the call itself."""
    lines = [line.strip().removeprefix(": ") for line in str(error).splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith("An error occurred while calling")]
    return (said or lines or [type(error).__name__])[0]


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]
