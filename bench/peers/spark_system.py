"""Spark Structured Streaming as it comes: SQL over streams with a watermark, a batch for a file."""

from __future__ import annotations

import shutil
from pathlib import Path

from systems import STREAMS, kinds

from continua.physical.spark import spark_session


class Spark:
    def __init__(self) -> None:
        # Started as Continua starts it: the same memory, collector and number of parts.
        self._spark = spark_session()

    def run(self, query: str, data: Path, format_: str, output: Path | None) -> None:
        for kind in kinds(data):
            (
                self._spark.readStream.schema(f"{STREAMS[kind]}, at TIMESTAMP")
                .format(format_)
                .option("maxFilesPerTrigger", 1)
                .load(str(data / kind))
                .withWatermark("at", "0 seconds")
                .createOrReplaceTempView(kind)
            )
        checkpoint = data / "spark-checkpoint"
        writer = self._spark.sql(query).writeStream.outputMode("append")
        if output is None:
            writer = writer.format("noop")
        else:
            writer = writer.format("parquet").option("path", str(output))
        writer = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True)
        try:
            writer.start().awaitTermination()
        finally:
            shutil.rmtree(checkpoint, ignore_errors=True)
