"""Rows that Spark keeps are the rows that it counts, in blocks and in parts, with values as a job takes them."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.foundation.errors import SpecError
from shoal.search.engines.spark import SparkRows, counted_or_kept, spilling
from shoal.tables.location import FileLocation
from shoal.tables.rows import Rows
from tests.search.engines.duckdb.test_counting import TYPED, counter
from tests.search.engines.duckdb.test_spilling import FRAME, check_kept, check_left_out

pytestmark = pytest.mark.engines


def kept(folder: Path, ending: str, most: int = 3) -> Rows | SparkRows:
    path = folder / f"data.{ending}"
    FRAME.write_csv(path) if ending == "csv" else FRAME.write_parquet(path)
    return counted_or_kept(FileLocation(path, blanks=("?",)), FRAME.columns, None, None, most)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_blocks_and_parts_hold_every_record(spark: Any, tmp_path: Path, ending: str) -> None:
    found = kept(tmp_path, ending)
    assert isinstance(found, SparkRows)
    check_kept(found)


def test_records_that_lack_a_value_are_left_out(spark: Any, tmp_path: Path) -> None:
    found = kept(tmp_path, "parquet")
    assert isinstance(found, SparkRows)
    check_left_out(found)


def test_few_rows_come_to_the_driver(spark: Any, tmp_path: Path) -> None:
    found = kept(tmp_path, "parquet", 30)
    assert isinstance(found, Rows)
    assert sum(counter(found).values()) == 30


def test_typed_columns_have_the_texts_of_the_local_reader(spark: Any, tmp_path: Path) -> None:
    typed = pl.DataFrame(TYPED).drop("clock")
    typed.write_parquet(tmp_path / "data.parquet")
    place = FileLocation(tmp_path / "data.parquet")
    found = counted_or_kept(place, typed.columns, None, None, 1)
    assert isinstance(found, SparkRows)
    shown = place.read().cast(pl.String)
    for name in typed.columns:
        assert {text for text in found.texts(name) if text is not None} == set(shown[name].drop_nulls()), name
    assert found.n_records == typed.height


def test_a_column_has_no_more_values_than_executors_hold(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spilling, "MOST_VALUES", 5)
    with pytest.raises(SpecError, match="Column 'c0' has more than 5 different values"):
        kept(tmp_path, "parquet")
