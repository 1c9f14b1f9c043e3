"""Flink SQL on a cluster within one process, which stays from query to query.

Runs in an environment of its own, in which there is neither Spark nor Continua.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from pyflink.java_gateway import get_gateway
from pyflink.table import EnvironmentSettings, TableEnvironment
from systems import STREAMS, kinds

STREAM = """
CREATE TABLE {kind} ({columns}, `at` TIMESTAMP(3),
    WATERMARK FOR `at` AS `at` - INTERVAL '0.001' SECOND)
WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'csv')
"""
"""Event time is in milliseconds; so the rows have such times."""

CHECKPOINTS = "1 s"
"""State is saved so often, as the others do with every batch."""


class Flink:
    def __init__(self) -> None:
        self._cores = os.cpu_count() or 1
        self._cluster = _cluster(self._cores)

    def run(self, query: str, data: Path, format_: str, output: Path | None) -> None:
        if format_ != "csv":
            raise ValueError(f"what is installed cannot read {format_}")
        checkpoints = data / "flink-checkpoints"
        tables = self._tables(checkpoints)
        for kind in kinds(data):
            columns = STREAMS[kind].replace("TIMESTAMP", "TIMESTAMP(3)")
            tables.execute_sql(STREAM.format(kind=kind, columns=columns, path=data / kind))
        to = (
            "'connector' = 'blackhole'"
            if output is None
            else f"'connector' = 'filesystem', 'path' = '{output}', 'format' = 'csv'"
        )
        try:
            tables.execute_sql(f"CREATE TABLE k WITH ({to}) AS {query}").wait()
        finally:
            shutil.rmtree(checkpoints, ignore_errors=True)

    def _tables(self, checkpoints: Path) -> TableEnvironment:
        tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
        address = self._cluster.getRestAddress().get()
        settings = {
            "execution.target": "remote",
            "rest.address": address.getHost(),
            "rest.port": str(address.getPort()),
            "parallelism.default": str(self._cores),
            "table.local-time-zone": "UTC",
            "execution.checkpointing.interval": CHECKPOINTS,
            "execution.checkpointing.dir": checkpoints.as_uri(),
        }
        for name, value in settings.items():
            tables.get_config().set(name, value)
        return tables


def _cluster(cores: int) -> Any:
    jvm = get_gateway().jvm
    configuration = jvm.org.apache.flink.configuration.Configuration()
    for name in ("rest.port", "rest.bind-port"):
        configuration.setString(name, "0")
    builder = jvm.org.apache.flink.runtime.minicluster.MiniClusterConfiguration.Builder()
    made = (
        builder.setConfiguration(configuration)
        .setNumTaskManagers(1)
        .setNumSlotsPerTaskManager(cores)
        .build()
    )
    cluster = jvm.org.apache.flink.runtime.minicluster.MiniCluster(made)
    cluster.start()
    return cluster
