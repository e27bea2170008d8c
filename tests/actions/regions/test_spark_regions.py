"""Regions that Spark's executors solve are those that DuckDB cuts, and what leaves is the same, byte for byte."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.foundation.errors import SpecError
from shoal.search.engines.spark import session
from tests.actions.regions.test_regions import asked, folder
from tests.actions.test_counted_engines import SAME, table
from tests.actions.test_spark import CLUSTER, PROGRAM, gone, started
from tests.search.engines.spark.server import java_processes

__all__ = ["folder"]  # a fixture
pytestmark = pytest.mark.engines


def by_spark(kind: str, regions: int = 60, **more: Any) -> dict[str, Any]:
    return {**asked(kind, regions, **more), "engine": {"name": "spark", "regions": regions}}


def data_of(release: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((release / "public/data").iterdir())}


@pytest.mark.parametrize("kind", ["diverse", "tightest", "top-down", "two", "suppressed"])
def test_the_same_regions_give_the_same_release(spark: Any, folder: Path, tmp_path: Path, kind: str) -> None:
    shoal.anonymize(folder, **asked(kind)).write(tmp_path / "duckdb")
    release = shoal.anonymize(folder, **by_spark(kind))
    assert shoal.anonymize(folder, **asked(kind)).frame.equals(release.frame)
    assert release.data.head(3).rows() == release.data.rows()[:3]
    release.write(tmp_path / "spark")
    one, two = (json.loads((tmp_path / name / "private/certificate.json").read_text()) for name in ("duckdb", "spark"))
    for key in SAME:
        assert one[key] == two[key], key
    assert one["told"]["remark"] == two["told"]["remark"]
    assert data_of(tmp_path / "duckdb") == data_of(tmp_path / "spark")
    assert shoal.verify(tmp_path / "spark", raw=True, bound=True).verdict == "all claims hold"


def test_what_would_not_be_the_same_again_is_refused(spark: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SpecError, match="time_limit ends a task of Spark that runs again at another place"):
        shoal.anonymize(folder, **by_spark("mondrian", time_limit=60))
    with pytest.raises(SpecError, match="Regions are cut from files"):
        shoal.anonymize(spark.range(9), **by_spark("mondrian"))
    monkeypatch.setattr(shoal, "__version__", "another")
    with pytest.raises(SpecError, match=r"has no shoal another: install shoal\[spark\] there"):
        shoal.anonymize(folder, **by_spark("mondrian"))


@pytest.fixture(scope="module")
def fine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a table in which most records differ, in several files."""
    place = tmp_path_factory.mktemp("fine") / "data"
    place.mkdir()
    whole = pl.concat([table(30_000).with_columns(age=pl.col("age") + number % 3) for number in range(2)])
    for number, part in enumerate(whole.iter_slices(15_000)):
        part.write_parquet(place / f"{number}.parquet")
    return place


def test_a_lost_executor_changes_nothing(fine: Path, tmp_path: Path) -> None:
    given = {**asked("diverse", 2_000), "format": "parquet"}
    shoal.anonymize(fine, **given).write(tmp_path / "duckdb")
    spill = tmp_path / "spill"
    spill.mkdir()
    out = tmp_path / "out"
    flags = ("--engine", "spark:regions=2000", "--master", CLUSTER, "--out", str(out))
    process, java = started([*PROGRAM, "anonymize", str(tmp_path / "duckdb/private/job.toml"), *flags], spill)
    killed = list[int]()
    while (
        len(killed) < 2 and process.poll() is None
    ):  # one at the start, and another one while rows are kept or regions solved
        executors = [pid for pid in java_processes(process.pid) if pid != java[0] and pid not in killed]
        if executors:
            os.kill(executors[-1], signal.SIGKILL)
            killed.append(executors[-1])
        time.sleep(8)
    assert process.wait(timeout=600) == 0, (tmp_path / "said.txt").read_text()
    assert len(killed) == 2
    assert data_of(out) == data_of(tmp_path / "duckdb")
    one, two = (json.loads((tmp_path / name / "private/certificate.json").read_text()) for name in ("duckdb", "out"))
    assert all(one[key] == two[key] for key in SAME)
    assert "solved in" in two["told"]["remark"]
    assert shoal.verify(out, raw=True).verdict == "all claims hold"
    assert gone(java)
    assert not list(spill.iterdir())


def test_workers_are_the_python_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    with session._own_python("local[2]"):  # noqa: SLF001
        assert subprocess.run([os.environ["PYSPARK_PYTHON"], "-c", "import shoal"], check=False).returncode == 0
    assert "PYSPARK_PYTHON" not in os.environ
