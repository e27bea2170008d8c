"""A Spark on loopback for tests, which ends with them; its settings are not those that shoal would choose."""

import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from shoal.foundation.errors import SpecError
from shoal.search.engines.spark import session


@contextmanager
def running(master: str = "local[2]") -> Iterator[Any]:
    """Start Spark, or skip with a word where it cannot run; Python and Java on a cluster see the same files."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    try:
        session.check_java()
    except SpecError as error:
        pytest.skip(str(error))
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("SPARK_LOCAL_HOSTNAME", "localhost")
        settings = {
            "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.memory": "1g",
            "spark.local.dir": folder,
            "spark.sql.shuffle.partitions": "3",
            "spark.sql.session.timeZone": "America/New_York",
            "spark.sql.warehouse.dir": f"{folder}/warehouse",
            "spark.log.level": "OFF",
            "spark.driver.extraJavaOptions": f"-XX:TieredStopAtLevel=1 -Dderby.system.home={folder}",
        }
        builder = SparkSession.builder.master(master).appName("tests")
        for name, value in settings.items():
            builder = builder.config(name, value)
        made = builder.getOrCreate()
        gateway: Any = made.sparkContext._gateway  # noqa: SLF001  (pyspark has no other way)
        try:
            yield made
        finally:
            made.stop()
            session.end(gateway)


def java_processes(of: int | None = None) -> list[int]:
    """Return the processes of Java that a process, or one that it started, has started, the oldest first.

    It is this process if none is named. Numbers of processes tell no order: they begin again after the last one.
    """
    listing = ["/bin/ps", "-eo", "pid=,ppid=,comm=", "--sort=start_time"]
    listed = subprocess.run(listing, capture_output=True, text=True, check=True).stdout
    found = [line.split(None, 2) for line in listed.splitlines()]
    children = {os.getpid() if of is None else of}
    for _ in found:
        children |= {int(pid) for pid, parent, _ in found if int(parent) in children}
    return [int(pid) for pid, _, name in found if int(pid) in children and name.strip() == "java"]
