"""Files that are not read alike are counted as the local reader reads them, and never by the types of the first."""

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from shoal.foundation.errors import EmptyTableError, SpecError
from shoal.foundation.progress import silent
from shoal.search.engines import COUNTING, counted_apart, counted_by, counted_frame, counted_or_kept
from shoal.tables.folder import FolderLocation
from shoal.tables.rows import Rows
from shoal.tables.store_location import StoreLocation
from tests.search.engines.duckdb.test_counting import counter, plain

TWO_TYPES: dict[str, tuple[list[Any], list[Any]]] = {
    "whole and number": ([1, 2], [2.5, 1.0]),
    "whole and text": ([1, 2], ["01", "x"]),
    "day and moment": ([date(2026, 1, 1)], [datetime(2026, 1, 1, 5)]),
    "midnight and moment": ([datetime(2026, 1, 1)], [datetime(2026, 1, 1, 5)]),
    "scales": ([Decimal("1.1")], [Decimal("1.25")]),
    "truth and whole": ([True, False], [1, 2]),
    "nothing and whole": ([None], [7]),
}
every = pytest.mark.parametrize(
    "engine", ["duckdb", *(pytest.param(name, marks=pytest.mark.engines) for name in COUNTING if name != "duckdb")]
)


@pytest.fixture
def session(engine: str, request: pytest.FixtureRequest) -> None:
    if engine == "spark":
        request.getfixturevalue("spark")


def written(folder: Path, *frames: pl.DataFrame, ending: str = "parquet") -> FolderLocation:
    folder.mkdir()
    for number, frame in enumerate(frames):
        path = folder / f"{number}.{ending}"
        frame.write_parquet(path) if ending == "parquet" else frame.write_csv(path)
    return FolderLocation(folder)


@every
@pytest.mark.usefixtures("session")
def test_each_file_keeps_its_types(engine: str, tmp_path: Path) -> None:
    for kinds, values in TWO_TYPES.items():
        frames = [pl.DataFrame({"v": one}) for one in values]
        place = written(tmp_path / kinds, *frames, frames[0].head(0))
        expected = plain(place)
        assert counter(counted_by(engine, place, ["v"], silent)) == expected, kinds
        assert expected.total() == sum(map(len, values)), kinds


@every
@pytest.mark.usefixtures("session")
def test_columns_may_stand_in_any_order(engine: str, tmp_path: Path) -> None:
    one, two = pl.DataFrame({"a": ["1", "2"], "b": ["x", "y"]}), pl.DataFrame({"b": ["x", "z"], "a": ["1", None]})
    for ending in ("csv", "parquet"):
        place = written(tmp_path / ending, one, two, two.head(0), ending=ending)
        expected = {("1", "x"): 2, ("2", "y"): 1, (None, "z"): 1}
        assert counter(counted_by(engine, place, ["a", "b"], silent)) == expected
        assert dict(counter(place.rows(["a", "b"]))) == expected


def test_such_a_table_is_neither_kept_nor_counted_in_part(tmp_path: Path) -> None:
    place = written(tmp_path / "data", pl.DataFrame({"v": [1, 2, 3]}), pl.DataFrame({"v": [1.5]}))
    found = counted_or_kept("duckdb", place, ["v"], 4, silent)
    assert isinstance(found, Rows)
    assert found.n_records == 4
    with pytest.raises(SpecError, match=r"more than 3 different rows, and is solved in regions only if all"):
        counted_or_kept("duckdb", place, ["v"], 3, silent)
    assert counted_apart(place, ["v"], ["v"], None, (1, 10), silent) is None


def test_a_table_of_empty_files_has_no_records(tmp_path: Path) -> None:
    empty = pl.DataFrame({"v": [1, 2]}).head(0)
    place = written(tmp_path / "data", empty, empty.cast(pl.Float64))
    for read in (lambda: counted_by("duckdb", place, ["v"], silent), place.read, place.rows):
        with pytest.raises(EmptyTableError, match="has no records"):
            read()


@every
@pytest.mark.usefixtures("session")
def test_a_column_of_files_goes_before_one_of_folders(engine: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"sex": ["u", "v"], "a": ["1", "2"]})
    for place in ("data/sex=m", "data/sex=f", "more/sex=m/year=2026"):
        (tmp_path / place).mkdir(parents=True)
        frame.write_parquet(tmp_path / place / "x.parquet")
    found = counted_by(engine, FolderLocation(tmp_path / "data"), ["sex"], silent)
    assert dict(counter(found)) == {("u",): 2, ("v",): 2}
    with pytest.raises(SpecError, match=r"'sex' of .* is in its files and in the names of its folders, and 'year' in"):
        counted_by(engine, FolderLocation(tmp_path / "more"), ["sex"], silent)


def test_names_that_duckdb_takes_for_one_are_refused(tmp_path: Path) -> None:
    both = pl.DataFrame({"age": ["1"], "AGE": ["2"]})
    for ending in ("csv", "parquet"):
        place = written(tmp_path / ending, both, ending=ending)
        with pytest.raises(SpecError, match=r"'age' and 'AGE' of .* differ in capitals alone"):
            counted_by("duckdb", place, ["age"], silent)
    with pytest.raises(SpecError, match=r"differ in capitals alone"):
        StoreLocation(f"file://{tmp_path}/parquet").columns()
    with pytest.raises(SpecError, match=r"differ in capitals alone"):
        counted_frame(duckdb.sql("SELECT 1 AS age, 2 AS AGE"), ["AGE"])
    umlauts = written(tmp_path / "umlauts", pl.DataFrame({"\u00e4": ["1"], "\u00c4": ["2"]}))
    assert dict(counter(counted_by("duckdb", umlauts, ["\u00c4"], silent))) == {("2",): 1}


def test_files_of_a_store_have_the_same_types(tmp_path: Path) -> None:
    written(tmp_path / "data", pl.DataFrame({"v": [1, 2]}), pl.DataFrame({"v": [2.5]}))
    with pytest.raises(SpecError, match="do not have the same columns: all must have the same, of the same types"):
        StoreLocation(f"file://{tmp_path}/data").columns()


@pytest.mark.engines
def test_spark_would_leave_out_empty_lines(tmp_path: Path, spark: Any) -> None:
    place = written(tmp_path / "data", pl.DataFrame({"v": ["1", None]}), ending="csv")
    with pytest.raises(SpecError, match="Spark leaves out lines that are empty"):
        counted_by("spark", place, ["v"], silent)
    assert dict(counter(counted_by("duckdb", place, ["v"], silent))) == {("1",): 1, (None,): 1}
