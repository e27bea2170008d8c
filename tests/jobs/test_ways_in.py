"""Tables that engines alone read: object stores, and names that Spark knows."""

from pathlib import Path
from traceback import format_exception
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.actions.anonymize import run
from shoal.foundation.errors import SpecError
from shoal.jobs.job import Job
from shoal.tables.engine_tables import CatalogLocation
from shoal.tables.store_location import StoreLocation
from tests.actions.test_counted_engines import SAME, asked, folder, rows, table
from tests.cli.run import shoal as run_shoal

__all__ = ["folder"]  # a fixture
COLUMNS: dict[str, Any] = {"columns": {"a": {"role": "quasi"}}, "require": [{"model": "k-anonymity", "k": 2}]}


def job(engine: Any = "auto", **given: Any) -> Job:
    return Job.of({"input": given, "engine": engine, **COLUMNS}, Path())


def test_a_url_names_files_of_a_store_and_a_name_alone_a_table_of_spark(tmp_path: Path) -> None:
    stored = job(url="s3://bucket/visits/2026-?.parquet", missing_values=["-"])
    assert stored.location == StoreLocation("s3://bucket/visits/2026-?.parquet", ("-",))
    named = job("spark", table="lake.visits")
    assert named.location == CatalogLocation("lake.visits")
    for one in (stored, named):
        (tmp_path / "job.toml").write_text(one.toml(tmp_path), encoding="utf-8")
        assert Job.read(tmp_path / "job.toml").location == one.location
        assert one.input_files == []
        assert not one.location.there()


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "both": ({"url": "s3://b/x.parquet", "table": "t"}, "'table' is for a database, leave it out"),
    "file and table": ({"path": "x.csv", "table": "t"}, "'path' is a file"),
    "nothing": ({}, "either 'path' is needed"),
    "no table": ({"url": "sqlite:///x.db"}, "'url' and 'table' are given together"),
    "delimiter": ({"url": "s3://b/x.parquet", "delimiter": ";"}, "'sheet' and 'delimiter' are for files"),
    "csv": ({"url": "gs://b/x.csv"}, "'gs://b/x.csv' is not a Parquet file"),
    "local name": ({"engine": "local", "table": "lake.x"}, "the table lake.x is read by the engine spark"),
    "duckdb name": ({"engine": "duckdb", "table": "lake.x"}, "the table lake.x is read by the engine spark"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_does_not_fit_is_said(case: str) -> None:
    given, words = WRONG[case]
    with pytest.raises(SpecError, match=words):
        job(given.get("engine", "auto"), **{key: value for key, value in given.items() if key != "engine"})


@pytest.mark.parametrize(
    "url",
    [
        "s3://key:Canary@b/x.parquet",
        "s3://key:a/1+Canary/b@b/x.parquet",
        "hdfs://key:Canary@name:8020/x/",
        "az://c/x.parquet?sv=1&sig=Canary",
        "s3://b/?secret_key=Canary",
    ],
)
def test_a_key_in_a_url_is_refused_and_not_shown(url: str) -> None:
    for attempt in (lambda: job(url=url), lambda: shoal.table(url)):
        with pytest.raises(SpecError, match="looks like a key, and so is not shown") as caught:
            attempt()
        assert "Canary" not in "".join(format_exception(caught.value))


@pytest.mark.parametrize(
    "url", ["hdfs://name:8020/a@b/", "s3://b/10:00/a@b/", "abfss://box@account.dfs.core.windows.net/x/"]
)
def test_no_key_is_seen_where_there_is_none(url: str) -> None:
    assert shoal.table(url) == StoreLocation(url)


def test_nothing_is_fetched_to_read_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))  # where DuckDB would have its extensions
    for url, words in {
        "s3://bucket/x.parquet": r"needs its extension httpfs, which is not installed .*INSTALL httpfs",
        "az://bucket/x/": r"needs its extension azure, which is not installed .*INSTALL azure",
        "hdfs://name/x/": r"DuckDB does not read hdfs://.* Use the engine 'spark'",
    }.items():
        for verb, given in (
            (shoal.anonymize, {"quasi": ["a"], "k": 2}),
            (shoal.anonymize, {"quasi": ["a"], "k": 2, "order": "input"}),
            (shoal.check, {"quasi": ["a"]}),
            (shoal.init, {}),
        ):
            with pytest.raises(SpecError, match=words):
                verb(url, **given)
        assert not shoal.table(url).there()
    assert not list(tmp_path.iterdir())


def test_a_release_is_not_written_into_a_store(tmp_path: Path) -> None:
    table(60).write_parquet(tmp_path / "x.parquet")
    flags = ("--quasi", "age,zip,sex", "--sensitive", "ill", "--drop", "id,note", "--k", "3")
    ran = run_shoal("anonymize", tmp_path / "x.parquet", *flags, "--out", "s3://bucket/release")
    assert (ran.code, "is in an object store" in ran.err) == (2, True)
    ran = run_shoal("anonymize", tmp_path / "x.parquet", *flags, "--output", "s3://bucket/x", "--output-table", "t")
    assert (ran.code, "then copied to an object store" in ran.err) == (2, True)


def test_files_at_a_url_are_read_as_those_of_a_path(tmp_path: Path) -> None:
    for year in (2025, 2026):
        (tmp_path / "data" / f"year={year}").mkdir(parents=True)
        table(90 if year == 2025 else 60).write_parquet(tmp_path / "data" / f"year={year}" / "x.parquet")
    (tmp_path / "data" / "_log").mkdir()
    pl.DataFrame({"other": [1]}).write_parquet(tmp_path / "data" / "_log" / "x.parquet")
    settings = {**asked("mondrian"), "insensitive": ["year"]}
    local = shoal.anonymize(tmp_path / "data", **settings, engine="duckdb")
    stored = shoal.anonymize(f"file://{tmp_path}/data", **settings)
    assert stored.job.engine.name == "duckdb"
    assert "since the table is in no file" in stored.certificate["told"]["remark"]
    assert rows(stored) == rows(local)
    assert all(stored.certificate[key] == local.certificate[key] for key in SAME)
    stored.write(tmp_path / "release")
    assert shoal.verify(tmp_path / "release", raw=True, bound=True).verdict == "all claims hold"
    pl.DataFrame({"other": [1]}).write_parquet(tmp_path / "data" / "year=2025" / "y.parquet")
    with pytest.raises(SpecError, match="do not have the same columns"):
        shoal.anonymize(f"file://{tmp_path}/data/", **settings)
    with pytest.raises(SpecError, match=r"There is no Parquet file in 'file://.*/none'"):
        shoal.anonymize(f"file://{tmp_path}/none", **settings)


@pytest.mark.engines
def test_spark_reads_tables_by_their_names_and_files_by_their_urls(spark: Any, tmp_path: Path) -> None:
    raw = table(90)
    raw.write_parquet(tmp_path / "x.parquet")
    local = shoal.anonymize(tmp_path / "x.parquet", **asked("optimal"), engine="local")
    spark.sql("CREATE DATABASE lake")
    spark.read.parquet(str(tmp_path / "x.parquet")).write.saveAsTable("lake.visits")
    spark.sql("USE lake")
    try:
        for given in ({"table": "lake.visits"}, {"table": "visits"}, {"url": f"file://{tmp_path}/x.parquet"}):
            content = {**local.job.content(Path()), "input": given, "engine": "spark"}
            release = run(Job.of(content, Path()))
            assert rows(release) == rows(local)
            assert all(release.certificate[key] == local.certificate[key] for key in SAME)
            release.write(tmp_path / "release", force=True)
            assert shoal.verify(tmp_path / "release", raw=True).verdict == "all claims hold"
        with pytest.raises(SpecError, match=r"Spark could not read the table lake.none .*it is not there"):
            run(Job.of({**content, "input": {"table": "lake.none"}}, Path()))
        with pytest.raises(SpecError, match=r"Spark could not read 's3a://bucket/x/' .*no package for"):
            run(Job.of({**content, "input": {"url": "s3a://bucket/x/"}}, Path()))
    finally:
        spark.sql("USE default")
        spark.sql("DROP DATABASE lake CASCADE")


@pytest.mark.engines
def test_the_command_line_takes_a_name_that_spark_knows(tmp_path: Path) -> None:
    table(90).write_parquet(tmp_path / "x.parquet")
    flags = ("--quasi", "age,zip,sex", "--sensitive", "ill", "--drop", "id,note", "--k", "3", "--engine", "spark")
    ran = run_shoal("anonymize", "--table", f"parquet.`{tmp_path}/x.parquet`", *flags, "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    assert shoal.verify(tmp_path / "out").verdict == "all claims hold"
