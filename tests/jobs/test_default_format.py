"""Parquet gives Parquet, unless a job says otherwise."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.foundation.errors import SpecError
from shoal.jobs.job import Job

COLUMNS = {"age": {"role": "quasi"}}


def format_of(folder: Path, given: Any, **release: Any) -> str:
    content = {"input": given, "columns": COLUMNS, "require": [{"model": "k-anonymity", "k": 2}]}
    return Job.of({**content, **({"release": release} if release else {})}, folder).release.format


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"path": "a.parquet"}, "parquet"),
        ({"path": Path("a.PQ")}, "parquet"),
        ({"path": "a.csv"}, "csv"),
        ({"path": "a.sav"}, "csv"),
        ({"path": "frame"}, "csv"),
        ({"path": "parts"}, "parquet"),
        ({"path": "parts/*.parquet"}, "parquet"),
        ({"path": "texts"}, "csv"),
        ({"path": "empty"}, "csv"),
        ({"url": "s3://bucket/a/"}, "parquet"),
        ({"url": "sqlite:///a.parquet", "table": "t"}, "csv"),
        ({"table": "lake.patients"}, "csv"),
    ],
)
def test_the_format_is_that_of_the_table(tmp_path: Path, given: dict[str, Any], expected: str) -> None:
    for name in ("parts", "texts", "empty"):
        (tmp_path / name).mkdir()
    pl.DataFrame({"age": [1]}).write_parquet(tmp_path / "parts" / "0.parquet")
    pl.DataFrame({"age": [1]}).write_csv(tmp_path / "texts" / "0.csv")
    assert format_of(tmp_path, given) == expected


def test_a_job_may_say_otherwise(tmp_path: Path) -> None:
    table = {"path": "a.parquet"}
    assert format_of(tmp_path, table, format="xlsx") == "xlsx"
    assert format_of(tmp_path, table, order="input") == "parquet"
    assert format_of(tmp_path, table, escape_formulas=True) == "csv"
    assert format_of(tmp_path, table, escape_formulas=False) == "parquet"
    assert format_of(tmp_path, table, url="sqlite:///b.db", table="t") == "csv"


@pytest.mark.parametrize(
    "content", [{"input": 1}, {"input": {"path": 7}}, {"input": {"path": "a.parquet"}, "release": 3}]
)
def test_what_is_no_job_is_told_as_before(content: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match="In the request"):
        Job.of(content, Path())
