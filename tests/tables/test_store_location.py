"""What a store hands out is what the same files are in a folder. URLs of files are read in the same way as others."""

from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.foundation.budgets import limits
from shoal.foundation.errors import SpecError
from shoal.tables import store_location
from shoal.tables.store_location import StoreLocation
from tests.actions.test_counted_engines import asked, rows, table
from tests.cli.run import done
from tests.cli.run import shoal as run_shoal

ROLES = ("--quasi", "age,zip,sex", "--sensitive", "ill")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of two files, with a column that the folders between tell."""
    made = tmp_path_factory.mktemp("stored") / "data"
    for year, n_records in ((2025, 90), (2026, 60)):
        (made / f"year={year}").mkdir(parents=True)
        table(n_records).write_parquet(made / f"year={year}" / "x.parquet")
    (made / "_log").mkdir()
    (made / "_log" / "x.parquet").write_bytes(b"nothing")
    return made


def test_records_are_those_of_the_folder_in_its_order(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored, local = shoal.table(f"file://{folder}/"), shoal.table(folder)
    assert stored.there()
    assert not shoal.table(f"file://{folder}/none").there()
    assert (str(stored), stored.name) == (f"'file://{folder}/'", "data")
    assert stored.columns() == local.columns() == [*table().columns, "year"]
    assert stored.read().equals(local.read())
    plain = stored.read(keep=["year", "age"], text=["age"])
    assert plain.schema == {"age": pl.String(), "year": pl.Categorical()}
    assert plain.equals(local.read(keep=["year", "age"], text=["age"]))
    monkeypatch.setattr(store_location, "_BATCH", 7)
    assert len(list(stored.parts(["age"]))) > 2
    mine, other = stored.rows(["sex", "ill", "year"]), local.rows(["sex", "ill", "year"])
    assert mine.frame.equals(other.frame)
    assert (mine.counts == other.counts).all()
    with pytest.raises(SpecError, match="No column"):
        stored.read(keep=["none"])


def test_missing_values_and_limits_hold(folder: Path) -> None:
    assert StoreLocation(f"file://{folder}", ("f",)).read(keep=["sex"])["sex"].null_count() > 0
    with pytest.raises(SpecError, match="more than 100 records"), limits(max_records=100):
        shoal.table(f"file://{folder}").read()
    with pytest.raises(SpecError, match="more than 100 bytes"), limits(max_bytes=100):
        shoal.table(f"file://{folder}").read()


def test_timestamps_have_a_clock_if_one_of_all_files_needs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")  # which DuckDB would show moments in
    for name, hour in (("a", 0), ("b", 7)):
        day, moment = datetime(2026, 1, 2), datetime(2026, 1, 2, hour)
        zoned = pl.Series([moment]).dt.replace_time_zone("UTC")
        pl.DataFrame({"day": [day], "at": [moment], "in": zoned}).write_parquet(tmp_path / f"{name}.parquet")
    stored, local = shoal.table(f"file://{tmp_path}").read(), shoal.table(tmp_path).read()
    assert stored.equals(local)
    assert stored["at"].to_list() == ["2026-01-02T00:00:00", "2026-01-02T07:00:00"]
    assert stored["day"].to_list() == ["2026-01-02", "2026-01-02"]


def test_a_file_without_records_and_one_that_is_damaged_are_told(tmp_path: Path) -> None:
    pl.DataFrame({"a": pl.Series([], dtype=pl.String)}).write_parquet(tmp_path / "x.parquet")
    with pytest.raises(SpecError, match=r"x.parquet' has no records"):
        shoal.table(f"file://{tmp_path}/x.parquet").read()
    (tmp_path / "x.parquet").write_bytes(b"PAR1 Canary PAR1")
    with pytest.raises(SpecError, match="the files are damaged") as caught:
        shoal.check(f"file://{tmp_path}/x.parquet", quasi=["a"])
    assert "Canary" not in str(caught.value)


def test_commands_count_a_table_in_a_store(folder: Path) -> None:
    for argv in (("check",), ("risk",), ("attack", "--attack", "homogeneity")):
        local, stored = (
            done(argv[0], where, *argv[1:], *(ROLES if argv[0] != "risk" else ROLES[:2]), "--json").json
            for where in (folder, f"file://{folder}/")
        )
        assert stored == local, argv


def test_a_release_is_measured_by_its_raw_table_in_the_store(folder: Path, tmp_path: Path) -> None:
    settings = {**asked("mondrian"), "insensitive": ["year"]}
    shoal.anonymize(f"file://{folder}", **settings).write(tmp_path / "stored")
    shoal.anonymize(folder, **settings, engine="duckdb").write(tmp_path / "local")
    for verb in ("risk", "utility"):
        local, stored = (done(verb, tmp_path / one, "--json").json for one in ("local", "stored"))
        assert stored == local, verb
    given = done("utility", tmp_path / "local", "--raw", f"file://{folder}", "--json").json
    assert given == local
    assert shoal.verify(tmp_path / "local", raw=f"file://{folder}").verdict == "all claims hold"


def test_a_job_is_proposed_for_a_table_in_a_store(folder: Path, tmp_path: Path) -> None:
    done("init", f"file://{folder}/", "--yes", "--out", tmp_path / "job")
    assert f'url = "file://{folder}/"' in (tmp_path / "job" / "job.toml").read_text(encoding="utf-8")
    done("anonymize", tmp_path / "job" / "job.toml", "--out", tmp_path / "release")


def test_what_needs_each_record_fetches_them(folder: Path) -> None:
    settings: dict[str, Any] = {"quasi": ["age", "zip"], "sensitive": ["ill"], "k": 3, "algorithm": "r-gather"}
    settings["drop"] = ["id", "sex", "note", "year"]
    stored, local = (shoal.anonymize(one, **settings, seed=1) for one in (f"file://{folder}", folder))
    assert stored.job.engine.name == "auto"
    assert rows(stored) == rows(local)


def test_a_release_in_a_store_is_not_verified_there() -> None:
    ran = run_shoal("verify", "s3://clinic/release/")
    assert (ran.code, "Copy it" in ran.err) == (2, True), ran.err
