"""What Spark sends from task to task and spills while it counts, from its own log of events.

    python -m benchmarks.shuffle [records ...]        (1e6 and 1e7 if none are given)

Records are those of `benchmarks.engines`. Spark runs on this machine with two threads and eight parts, as for shoal.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import SparkSession

from benchmarks.engines import job, table
from benchmarks.measuring import apart, machine, need_adult, print_table
from shoal.actions.anonymize import run
from shoal.jobs.job import Job

_SUMS = {
    "read": "internal.metrics.input.bytesRead",
    "shuffled": "internal.metrics.shuffle.write.bytesWritten",
    "rows shuffled": "internal.metrics.shuffle.write.recordsWritten",
    "spilled": "internal.metrics.diskBytesSpilled",
}


def _session(log: Path, spill: Path) -> SparkSession:
    """Start Spark with settings that shoal's own has, and a log of what it does."""
    settings = {
        "spark.driver.memory": "2g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.maxResultSize": "0",
        "spark.io.encryption.enabled": "true",
        "spark.local.dir": str(spill),
        "spark.sql.shuffle.partitions": "8",
        "spark.ui.enabled": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file://{log}",
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
    }
    builder = SparkSession.builder.master("local[2]").appName("shuffle")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def _accumulated(log: Path) -> Iterator[tuple[str, int]]:
    """Yield the sums of each stage by their names."""
    for path in log.rglob("*"):
        for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
            event = json.loads(line)
            if event["Event"] == "SparkListenerStageCompleted":
                for one in event["Stage Info"]["Accumulables"]:
                    if one["Name"] in _SUMS.values():
                        yield one["Name"], int(one["Value"])


def row(home: Path, n_records: int) -> list[object]:
    """Count a table in Spark as a release does, and return what its log says."""
    source, log, spill = apart(table, home / "records", n_records), home / "log", home / "spill"
    log.mkdir()
    session = _session(log, spill)
    run(Job.read(job(home, source, "spark", "optimal")))
    session.stop()
    found = dict.fromkeys(_SUMS.values(), 0)
    for name, value in _accumulated(log):
        found[name] += value
    size = sum(path.stat().st_size for path in source.iterdir())
    counted = [f"{found[_SUMS[key]] / 1e6:.1f}" for key in ("read", "shuffled", "spilled")]
    shuffled = found[_SUMS["rows shuffled"]]
    return [f"{n_records:,}", f"{size / 1e6:.1f}", *counted, f"{shuffled:,}"]


def main() -> None:
    """Print a row for each table."""
    need_adult()
    found: list[list[object]] = []
    for text in sys.argv[1:] or ["1e6", "1e7"]:
        with tempfile.TemporaryDirectory() as folder:
            found.append(row(Path(folder), int(float(text))))
            print(*found[-1], sep=" | ", file=sys.stderr, flush=True)
    header = ["records", "files, MB", "read, MB", "shuffled, MB", "spilled, MB", "rows shuffled"]
    print_table(f"Spark, what is shuffled while it counts ({machine()})", header, found)


if __name__ == "__main__":
    main()
