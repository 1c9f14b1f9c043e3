"""Lines of text files by Spark, in parallel, each with its position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from continua.runtime.sources.spark_files import (
    Numbered,
    file_reader,
    reading_session,
    with_file_numbers,
)

BLOCK: Final = 128 << 20
"""Bytes of a file that one task reads."""

_ROW_BITS = 33
"""What `monotonically_increasing_id` gives to the rows of a task; the task's number is above."""


def lines(
    spark: SparkSession, files: Sequence[Numbered], separator: str | None, identified: bool
) -> DataFrame:
    """Lines as `value`, with `block`, where the block of the file begins that a line is in, and
    `row`, its number in the block; also `file`, the file's number, if identified.

    A block makes a task of its own, since opening a file is said to cost more than any task may
    hold. So `row` counts from the beginning of the block, in the order of the file, and (file,
    block, row) has the order of φ however the files are cut into blocks.
    """
    session = reading_session(
        spark,
        {
            "spark.sql.files.maxPartitionBytes": str(BLOCK),
            "spark.sql.files.openCostInBytes": str(1 << 40),
            # Unless it is set higher than the number of blocks, small blocks are put together.
            "spark.sql.files.maxPartitionNum": str((1 << 31) - 1),
        },
    )
    reader = file_reader(session)
    if separator is not None:
        reader = reader.option("lineSep", separator)
    frame = reader.text([file.spark_path for file in files]).selectExpr(
        "value",
        "_metadata.file_path AS path",
        "_metadata.file_block_start AS block",
        f"monotonically_increasing_id() & {(1 << _ROW_BITS) - 1}L AS row",
    )
    return with_file_numbers(frame, files) if identified else frame


PHI: Final = "named_struct('file', file, 'block', block, 'row', row)"
"""The position of an identified line."""


def sound_lines(identified: bool) -> list[str]:
    """What must hold of every line."""
    return ["is_valid_utf8(value)", *(["file IS NOT NULL"] if identified else [])]
