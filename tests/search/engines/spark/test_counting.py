"""Spark counts the records of files and DataFrames as the local reader reads them."""

from collections import Counter
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from traceback import format_exception
from typing import Any

import polars as pl
import pytest

import shoal as front
from shoal.foundation.errors import SpecError
from shoal.search.engines.spark import counted_frame, counted_rows
from shoal.tables.folder import FolderLocation
from shoal.tables.location import FileLocation, Location
from tests.search.engines.duckdb.test_counting import TYPED, counter, plain

pytestmark = pytest.mark.engines
WORDS = ["", "a", "A", " a", "a ", 'x"y', "x'y", "1", "01", "x,y", "x\ny", "ä", "NULL", "\\", 'x\\"y', "*", None]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_texts_are_counted_as_they_are(spark: Any, tmp_path: Path, ending: str) -> None:
    records = [(one, two) for one in WORDS for two in WORDS[::3]]
    frame = pl.DataFrame(records, schema={"a.b": pl.String, "`C": pl.String}, orient="row")
    path = tmp_path / f"da*[t]a {{1}}.{ending}"
    frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)
    frame.head(1).write_parquet(tmp_path / "dat.parquet")
    place = FileLocation(path)
    assert counter(counted_rows(place, place.columns())) == plain(place)
    assert counter(counted_rows(place, ["`C"])) == Counter((row[1],) for row in plain(place).elements())


def test_typed_columns_have_the_texts_of_the_local_reader(spark: Any, tmp_path: Path) -> None:
    moments = pl.Series(TYPED["moment"]).dt.replace_time_zone("UTC")
    typed = pl.DataFrame(TYPED).with_columns(zoned=moments.dt.convert_time_zone("Europe/Paris"), utc=moments)
    typed = typed.with_columns(fine=pl.col("moment").cast(pl.Datetime("ns")))
    for name, words in (("clock", "times of day"), ("fine", "timestamps in nanoseconds")):
        typed.select(name, "text").write_parquet(tmp_path / f"{name}.parquet")
        with pytest.raises(SpecError, match=f"'{name}' .* {words}, which the engine spark does not read"):
            counted_rows(FileLocation(tmp_path / f"{name}.parquet"), ["text"])
    typed.drop("clock", "fine").write_parquet(tmp_path / "data.parquet")
    place = FileLocation(tmp_path / "data.parquet")
    assert counter(counted_rows(place, place.columns())) == plain(place)


def test_a_folder_is_counted_with_what_its_folders_tell(spark: Any, tmp_path: Path) -> None:
    for year in ("02020", "2021", "__HIVE_DEFAULT_PARTITION__"):
        (tmp_path / "data" / f"year={year}").mkdir(parents=True)
        frame = pl.DataFrame({"a": ["1", year, None], "A": ["x", "y", "x"]})
        frame.write_parquet(tmp_path / "data" / f"year={year}" / "x.parquet")
    place = FolderLocation(tmp_path / "data", blanks=("1",))
    assert counter(counted_rows(place, ["a", "A", "year"])) == plain(place)


def test_damaged_files_are_told_without_a_value(spark: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    places: list[Location] = []
    (tmp_path / "data.csv").write_text("a,b\n1,2\nCanary,3,4\n", encoding="utf-8")
    places.append(FileLocation(tmp_path / "data.csv"))
    (tmp_path / "data.parquet").write_bytes(b"PAR1 Canary PAR1")
    pl.DataFrame({"a": ["Canary"], "b": ["2"]}).write_parquet(tmp_path / "one.parquet")
    pl.DataFrame({"a": [1], "b": ["2"]}).write_parquet(tmp_path / "two.parquet")
    places.append(FolderLocation(tmp_path / "*o*.parquet"))
    for place in places:
        with pytest.raises(SpecError, match="Spark could not read") as caught:
            counted_rows(place, ["a", "b"])
        assert "Canary" not in "".join(format_exception(caught.value))
    (tmp_path / "old.csv").write_bytes("a,b\nü,2\n".encode("latin-1"))
    with pytest.raises(SpecError, match="is not UTF-8"):
        counted_rows(FileLocation(tmp_path / "old.csv"), ["a", "b"])
    (tmp_path / "none.csv").write_text("a,b\n", encoding="utf-8")
    with pytest.raises(SpecError, match="no records"):
        counted_rows(FileLocation(tmp_path / "none.csv"), ["a", "b"])
    assert "Canary" not in "".join(capfd.readouterr())


def test_a_frame_is_counted_whatever_its_columns_are_called(spark: Any) -> None:
    records = [("x", 1.5, None), ("x", 1.5, None), ("-", 2.0, True)]
    frame = spark.createDataFrame(records, "`a.b` string, c1 double, `A` boolean")
    found = counter(counted_frame(frame, ["c1", "a.b", "A"], blanks=("-",)))
    assert found == Counter({("1.5", "x", None): 2, ("2", None, "true"): 1})
    with pytest.raises(SpecError, match="more than once"):
        counted_frame(frame.toDF("a", "a", "b"), ["a"])
    nested = spark.createDataFrame([([1],)], "a array<int>")
    with pytest.raises(SpecError, match="Column 'a' of the DataFrame is nested"):
        counted_frame(nested, ["a"])


def test_a_frame_comes_back_with_its_types(spark: Any) -> None:
    """Moments are the same, in whatever zone the session shows them, and categories need not be known to Spark."""
    schema = "age int, income long, weight double, day date, moment timestamp, ok boolean, paid decimal(8,2)"
    schema += ", clock timestamp_ntz"
    values = [(i % 3, 1000 + i, i / 2 if i % 5 else None, i) for i in range(24)]
    records = [
        (
            age,
            income,
            weight,
            date(2024, 5, 1 + i),
            datetime(2024, 5, 1, i),
            i % 2 == 0,
            Decimal(i) / 4,
            datetime(2024, 3, 10, i, 30),
        )
        for age, income, weight, i in values
    ]
    frame = spark.createDataFrame(records, schema)
    names = frame.columns[1:]
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    release = front.anonymize(frame, quasi=["age"], sensitive=names[:1], insensitive=names[1:], k=3)
    assert release.data.select(names).dtypes == frame.select(names).dtypes
    assert Counter(release.data.select(names).collect()) == Counter(frame.select(names).collect())
    assert release.types["age"] == "string"


def test_files_give_files_with_their_types(spark: Any, tmp_path: Path) -> None:
    typed = pl.DataFrame(TYPED).drop("clock").select(pl.all().repeat_by(2).explode())
    typed = typed.with_columns(age=pl.lit(7), ranked=pl.lit("b").cast(pl.Enum(["canary", "b"])))
    typed.write_parquet(tmp_path / "raw.parquet")
    names = [name for name in typed.columns if name != "age"]
    made = front.anonymize(tmp_path / "raw.parquet", quasi=["age"], insensitive=names, k=2, engine="spark")
    made.write(tmp_path / "out")
    (part,) = (tmp_path / "out").rglob("*.parquet")
    found = pl.read_parquet(part).select(names)
    assert b"canary" not in part.read_bytes()
    assert found.drop("ranked").schema == typed.select(names).drop("ranked").schema
    number = pl.col("number").fill_nan(None).replace(-0.0, 0.0)
    read = typed.with_columns(number, pl.col("text").replace("", None)).select(names)
    assert Counter(map(str, found.rows())) == Counter(map(str, read.rows()))
    assert front.verify(tmp_path / "out").not_derived == {}
