"""What leaves as it came keeps its type, in memory and in files; nothing that was not released travels with it."""

import copy
import pickle
import shutil
import sqlite3
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

import shoal
from shoal.search.engines import counted
from shoal.tables.formats.frames import to_polars
from tests.cli.run import done
from tests.cli.run import shoal as shoal_command
from tests.tables.formats.typed_frames import in_libraries, type_in, typed_frames, values_in

CANARY = "Canary"
N = 24
ASIS = ["ill", "income", "weight", "seen", "visit", "at", "ok", "paid", "group"]
ASKED: dict[str, Any] = {
    "quasi": ["age", "sex"],
    "sensitive": ["ill"],
    "insensitive": ASIS[1:],
    "k": 3,
    "algorithm": "optimal",
    "max_suppressed": 0.1,
    "seed": 1,
}


def people() -> pl.DataFrame:
    """Return a table in which one record hides in no class: its values are to be found nowhere."""
    words = [*("abc"[i % 3] for i in range(N)), CANARY]
    return pl.DataFrame(
        {
            "age": [*(30 + i % 4 for i in range(N)), 99],
            "sex": [*("mf"[i % 2] for i in range(N)), "x"],
            "ill": pl.Series(words, dtype=pl.Enum(["Unused", CANARY, "c", "b", "a"])),
            "income": [1000 + 7 * i for i in range(N + 1)],
            "weight": [*(None if i % 5 == 0 else i / 8 for i in range(N)), 0.5],
            "seen": [date(2024, 5, 1 + i) for i in range(N + 1)],
            "visit": [datetime(2024, 5, 1 + i, i % 24, 30) for i in range(N + 1)],
            "at": pl.Series([datetime(2024, 5, 1, i % 24) for i in range(N + 1)]).dt.replace_time_zone("Asia/Tokyo"),
            "ok": [i % 2 == 0 for i in range(N + 1)],
            "paid": pl.Series([Decimal(i) / 4 for i in range(N + 1)], dtype=pl.Decimal(9, 2)),
            "group": pl.Series(words, dtype=pl.Categorical),
        }
    )


@pytest.fixture(scope="module")
def release() -> shoal.Release:
    return shoal.anonymize(people(), **ASKED, format="parquet")


def test_columns_that_leave_as_they_are_keep_their_types(release: shoal.Release) -> None:
    raw, data = people().head(N), release.data
    assert data.height == N
    for name in ASIS:
        assert data[name].sort().equals(raw[name].cast(data.schema[name]).sort()), name
    assert {name: data.schema[name] for name in ASIS[1:]} == {name: raw.schema[name] for name in ASIS[1:]}
    assert data.schema["ill"] == pl.Enum(["c", "b", "a"])  # in the order that was declared
    assert data["income"].mean() == raw["income"].mean()
    assert data.schema["age"] == data.schema["sex"] == pl.String
    assert release.types["income"] == "Int64"
    assert release.as_text == []
    assert release.data is release.data


def test_a_copy_knows_the_same_types_and_nothing_more(release: shoal.Release) -> None:
    sent = pickle.dumps(release)
    assert CANARY.encode() not in sent
    assert b"Unused" not in sent
    for other in (pickle.loads(sent), copy.copy(release), copy.deepcopy(release)):  # noqa: S301  (our own)
        assert other.data.schema == release.data.schema
        assert other.data.equals(release.data)


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow", "arrow in pandas"])
def test_no_category_travels_that_no_record_has(library: str, tmp_path: Path) -> None:
    made = shoal.anonymize(in_libraries(people())[library], **ASKED, format="parquet")
    made.write(tmp_path / "out")
    written = next((tmp_path / "out").rglob("data.parquet"))
    assert CANARY.encode() not in written.read_bytes() + pickle.dumps(made.data)
    assert b"Unused" not in written.read_bytes() + pickle.dumps(made.data)
    metadata = pq.read_metadata(written).metadata or {}
    assert set(metadata) <= {b"ARROW:schema"}
    if hasattr(made.data, "attrs"):
        assert made.data.index.equals(pd.RangeIndex(N))
        assert not made.data.attrs


@given(frame=typed_frames())
@settings(max_examples=60)
def test_every_published_value_is_one_of_the_table(frame: pl.DataFrame) -> None:
    for library, data in in_libraries(frame).items():
        asked: dict[str, Any] = {"quasi": ["age"], "insensitive": frame.columns[1:], "k": 2, "algorithm": "optimal"}
        made = shoal.anonymize(data, **asked).data
        for name in frame.columns[1:]:
            assert values_in(made, name) == values_in(data, name), (library, name)
            assert type_in(made, name) == type_in(data, name), (library, name)


def test_decisions_are_those_of_the_texts(release: shoal.Release) -> None:
    texts = to_polars(people())[0]
    plain = shoal.anonymize(texts, **ASKED, format="parquet")
    assert plain.frame.cast(pl.String).equals(release.frame.cast(pl.String))
    for part in ("records", "classes", "claims", "loss"):
        assert plain.certificate[part] == release.certificate[part]
    assert shoal.check(release.data, quasi=["age", "sex"]) == shoal.check(plain.data, quasi=["age", "sex"])


def test_quasi_columns_are_kept_if_asked_for_and_nothing_was_changed(release: shoal.Release) -> None:
    asked: dict[str, Any] = {
        **ASKED,
        "types": "keep",
        "quasi": {"age": {"type": "intervals", "widths": [10]}, "sex": None},
    }
    kept = shoal.anonymize(people(), **asked)
    assert kept.data.schema["age"] == pl.Int64
    assert set(kept.data["age"]) == {30, 31, 32, 33}
    coarse = shoal.anonymize(people(), **{**asked, "k": 8})
    changed = [name for name, level in coarse.certificate["algorithm"]["levels"].items() if level]
    assert changed
    assert all(coarse.data.schema[name] == pl.String for name in changed)
    text = shoal.anonymize(people(), **{**asked, "types": "text"})
    assert set(text.data.dtypes) == {pl.String}


def test_a_level_that_looks_like_values_is_a_change(tmp_path: Path) -> None:
    (tmp_path / "age.csv").write_text("30;30;*\n31;30;*\n32;32;*\n33;32;*\n99;99;*\n", encoding="utf-8")
    levels = {"type": "levels", "path": str(tmp_path / "age.csv")}
    made = shoal.anonymize(people(), **{**ASKED, "types": "keep", "quasi": {"age": levels, "sex": None}, "k": 9})
    if made.certificate["algorithm"]["levels"]["age"]:
        assert made.data.schema["age"] == pl.String


def test_stars_are_texts() -> None:
    lonely = people().with_columns(pl.when(pl.col("age") == 99).then(98).otherwise("age").alias("age"))
    more = pl.concat([lonely, people().tail(1), people().tail(1).with_columns(age=pl.lit(97, pl.Int64))])
    made = shoal.anonymize(
        more,
        **{**ASKED, "types": "keep", "suppressed": "star", "max_suppressed": 0.2, "algorithm": "tuple-suppression"},
    )
    assert made.solution.suppressed == 3
    assert made.data.schema["age"] == pl.String
    assert made.data.schema["income"] == pl.Int64


def test_clusters_are_texts_and_their_records_keep_types(tmp_path: Path) -> None:
    frame = people().head(N).select("age", "income", "seen")
    asked: dict[str, Any] = {
        "quasi": ["age"],
        "sensitive": ["income"],
        "insensitive": ["seen"],
        "r": 4,
        "algorithm": "mdav",
    }
    made = shoal.anonymize(frame, **asked, types="keep", format="parquet", seed=1)
    assert made.data.schema == {"age": pl.String(), "income": pl.Int64(), "seen": pl.Date()}
    assert set(made.clusters.dtypes) == {pl.String}
    made.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").not_derived.keys() == {"radius"}  # which needs the raw table


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("raw") / "people.parquet"
    people().write_parquet(path)
    return path


@pytest.mark.parametrize("engine", ["local", "duckdb"])
def test_parquet_gives_parquet_with_its_types(table: Path, engine: str, tmp_path: Path) -> None:
    made = shoal.anonymize(table, **ASKED, engine=engine)
    made.write(tmp_path / "out")
    written = next((tmp_path / "out").rglob("data*"))
    found = pl.read_parquet(written if written.is_file() else written / "*.parquet")
    assert found.schema == made.data.schema
    assert (
        found.drop("age", "sex").schema
        == people().drop("age", "sex").with_columns(pl.col("ill").cast(pl.Enum(["c", "b", "a"]), strict=False)).schema
    )
    verified = shoal.verify(tmp_path / "out", raw=table)
    assert verified.not_derived == {}
    applied = shoal.apply(tmp_path / "out", table, failing="suppress")
    assert applied.data.schema == made.data.schema
    assert shoal.attack(tmp_path / "out", raw=table) is not None
    assert shoal.utility(tmp_path / "out", raw=table, figures=["columns"]) is not None


def test_parts_have_one_type(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part whose timestamps are all midnight is no table of dates, since the release has others."""
    monkeypatch.setattr(counted, "PART_RECORDS", 1)
    stamps = [datetime(2024, 5, 1 + i, 12 * (i % 2)) for i in range(6)]
    pl.DataFrame({"age": [30] * 6, "visit": stamps}).write_parquet(tmp_path / "raw.parquet")
    made = shoal.anonymize(tmp_path / "raw.parquet", quasi=["age"], insensitive=["visit"], k=2, engine="duckdb")
    made.write(tmp_path / "out")
    parts = sorted((tmp_path / "out").rglob("*.parquet"))
    assert len(parts) == 6
    assert {pl.read_parquet_schema(part)["visit"] for part in parts} == {pl.Datetime("us")}
    assert shoal.verify(tmp_path / "out").not_derived == {}
    assert sorted(pl.read_parquet(parts)["visit"]) == stamps


@pytest.mark.deep
def test_regions_keep_types_but_those_of_quasi_columns(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": range(300), "zip": [i % 7 for i in range(300)], "pay": range(300, 600)})
    frame.write_parquet(tmp_path / "raw.parquet")
    asked: dict[str, Any] = {"quasi": ["age", "zip"], "sensitive": ["pay"], "k": 2, "types": "keep", "seed": 1}
    made = shoal.anonymize(tmp_path / "raw.parquet", **asked, engine={"name": "duckdb", "regions": 100})
    assert made.run.regional
    assert made.data.schema == {"age": pl.String(), "zip": pl.String(), "pay": pl.Int64()}
    assert made.as_text == []
    made.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").not_derived == {}


def test_timestamps_that_are_all_midnight_once_others_are_gone_stay_texts() -> None:
    """Read again they would be dates, which are other texts than those that were counted."""
    frame = people().select(
        "age", visit=pl.when(pl.col("age") == 99).then(datetime(2024, 5, 1, 9)).otherwise(datetime(2024, 5, 2))
    )
    made = shoal.anonymize(
        frame, quasi=["age"], insensitive=["visit"], k=3, max_suppressed=0.1, algorithm="optimal", format="parquet"
    )
    assert set(made.data["visit"]) == {"2024-05-02T00:00:00"}
    assert made.as_text == ["visit"]


@pytest.mark.parametrize(
    ("form", "texts"),
    [
        ("parquet", []),
        ("csv", []),
        ("xlsx", ["at", "paid"]),
        ("sav", ["at", "ok", "paid"]),
        ("dta", ["at", "ok", "paid"]),
    ],
)
def test_other_formats_have_the_types_that_they_know(
    release: shoal.Release, form: str, texts: list[str], tmp_path: Path
) -> None:
    made = shoal.anonymize(people(), **ASKED, format=form)
    assert made.as_text == texts
    made.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").not_derived == {}
    written = shoal.table(next((tmp_path / "out").rglob("data.*")))
    assert written.read(text=ASIS).select(ASIS).equals(made.frame.cast(pl.String).select(ASIS))
    assert CANARY.encode() not in written.path.read_bytes()  # type: ignore[attr-defined]


def test_statistics_files_give_numbers_and_dates(tmp_path: Path) -> None:
    for form in ("sav", "dta"):
        first = shoal.anonymize(people(), **ASKED, format=form)
        first.write(tmp_path / form)
        path = next((tmp_path / form).rglob(f"data.{form}"))
        again = shoal.anonymize(path, **ASKED)
        number = pl.Float64 if form == "sav" else pl.Int32
        assert [again.data.schema[name] for name in ("income", "seen", "visit")] == [number, pl.Date, pl.Datetime("us")]
        assert again.data["income"].sort().to_list() == first.data["income"].sort().to_list()


@pytest.mark.parametrize("form", ["sqlite", "duckdb"])
def test_databases_have_the_types_that_they_know(form: str, tmp_path: Path) -> None:
    url = f"{form}:///{tmp_path}/out.db"
    made = shoal.anonymize(
        people().with_columns(code=pl.lit("12")),
        **{**ASKED, "insensitive": [*ASIS[1:], "code"]},
        output=url,
        output_table="t",
    )
    made.write(tmp_path / "out")
    assert made.as_text == (["at", "paid"] if form == "sqlite" else ["at"])
    assert shoal.verify(tmp_path / "out").not_derived == {}
    again = shoal.anonymize(shoal.table(url, table="t"), **{**ASKED, "insensitive": [*ASIS[1:], "code"]})
    for name in ("income", "weight", "seen", "ok", "code"):
        assert again.data.schema[name] == made.data.schema[name], name
        assert again.data[name].sort().equals(made.data[name].sort()), name
    if form == "duckdb":
        with duckdb.connect(tmp_path / "out.db") as connection:
            kinds = dict(
                connection.execute(
                    "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = 't'"
                ).fetchall()
            )
        assert kinds["ill"] == "ENUM('c', 'b', 'a')"
        assert kinds["paid"] == "DECIMAL(9,2)"
        assert kinds["code"] == "VARCHAR"
        assert again.data.schema["visit"] == pl.Datetime("us")
    else:
        with sqlite3.connect(tmp_path / "out.db") as open_file:
            assert open_file.execute("SELECT DISTINCT typeof(code), typeof(income) FROM t").fetchall() == [
                ("text", "integer")
            ]


def test_formulas_are_quoted_beside_types(tmp_path: Path) -> None:
    frame = people().with_columns(pl.lit("=1+1").alias("=note"))
    asked = {**ASKED, "insensitive": [*ASIS[1:], "=note"]}
    made = shoal.anonymize(frame, **asked, format="xlsx", escape_formulas=True)
    made.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").not_derived == {}
    assert set(made.data["=note"]) == {"=1+1"}


def test_releases_of_earlier_versions_hold(tmp_path: Path) -> None:
    """One that was made of typed columns when all of Parquet was text."""
    shutil.copytree(Path(__file__).parent / "earlier", tmp_path / "earlier")
    folder = tmp_path / "earlier" / "typeless"
    assert set(pl.read_parquet_schema(folder / "data.parquet").values()) == {pl.String()}
    raw = tmp_path / "earlier" / "people.parquet"
    assert shoal.verify(folder, raw=raw).not_derived == {}
    applied = shoal.apply(folder, raw)
    assert applied.data.schema["income"] == pl.Int64
    texts = pl.read_parquet(folder / "data.parquet")
    assert sorted(applied.frame.cast(pl.String).rows(), key=str) == sorted(texts.rows(), key=str)


def test_what_was_masked_or_renamed_is_text() -> None:
    frame = people().with_columns(person=pl.Series(range(N + 1)), account=pl.Series([7] * (N + 1)))
    asked: dict[str, Any] = {**ASKED, "types": "keep", "entity": "person", "drop": ["account"]}
    made = shoal.anonymize(frame, **asked)
    assert made.data.schema["person"] == pl.String


def test_the_command_line_says_what_became_text(tmp_path: Path) -> None:
    people().write_parquet(tmp_path / "people.parquet")
    flags = ["--quasi", "age,sex", "--sensitive", "ill", "--insensitive", ",".join(ASIS[1:]), "--k", 3]
    asked = [tmp_path / "people.parquet", *flags, "--algorithm", "optimal", "--max-suppressed", 0.1, "--seed", 1]
    told = done("anonymize", *asked, "--out", tmp_path / "one", "--format", "sav").out
    assert "types:       text for at, ok, paid: no type of the format gives the same values back" in told
    assert "types:" not in done("anonymize", *asked, "--out", tmp_path / "two", "--types", "keep").out
    kept = pl.read_parquet_schema(next((tmp_path / "two").rglob("data.parquet")))
    assert kept["age"] == pl.Int64
    assert "'as-is', 'keep' or 'text'" in shoal_command("anonymize", *asked, "--types", "all").err


def test_workbooks_give_what_their_cells_hold(tmp_path: Path) -> None:
    first = shoal.anonymize(people(), **ASKED, format="xlsx")
    first.write(tmp_path / "out")
    again = shoal.anonymize(next((tmp_path / "out").rglob("data.xlsx")), **ASKED)
    found = {name: again.data.schema[name] for name in ("income", "weight", "seen", "visit", "ok", "ill")}
    assert list(found.values()) == [pl.Int64, pl.Float64, pl.Date, pl.Datetime("us"), pl.Boolean, pl.String]
    assert again.data["visit"].sort().equals(first.data["visit"].sort())


def test_blobs_that_do_not_leave_are_not_asked_for_their_type(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "raw.duckdb") as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 2 AS age, i AS n, 'x'::BLOB AS photo FROM range(6) r(i)")
    place = shoal.table(tmp_path / "raw.duckdb", table="t")
    made = shoal.anonymize(place, quasi=["age"], insensitive=["n"], drop=["photo"], k=2)
    assert made.data.schema["n"] == pl.Int64
