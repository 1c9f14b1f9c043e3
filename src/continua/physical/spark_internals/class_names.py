"""Classes of Spark's that settings name.

Relies on these names. The settings themselves are public, but Spark passes over a rule that it does
not know, and misses a class only when it needs one. Tried with Spark 4.3.
"""

from __future__ import annotations

from typing import Final

RENAMING_CHECKPOINT_FILES: Final = (
    "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
)
"""Writes the files of a checkpoint, by renaming them, as any file system can."""

SEMI_JOINS_MOVED_DOWN: Final = "org.apache.spark.sql.catalyst.optimizer.PushDownLeftSemiAntiJoin"
"""Moves semi joins and anti joins to before what they join is brought to one place."""
