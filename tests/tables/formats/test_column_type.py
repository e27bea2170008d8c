"""A column that leaves as it came has its type and its very values; what cannot be had back is text."""

import pickle
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings

from shoal.foundation.errors import SpecError
from shoal.tables.formats.column_type import ColumnType
from shoal.tables.formats.frames import from_polars, to_polars, type_names, types_in
from tests.tables.formats.typed_frames import in_libraries, type_in, typed_frames, values_in


def returned(data: Any, without: tuple[str, ...] = ()) -> Any:
    """Return a frame as texts and back, without records that have some values."""
    texts, kind = to_polars(data)
    left = texts.filter(~pl.any_horizontal(pl.all().is_in(without).fill_null(False))) if without else texts
    types = {
        name: one.among(left[name].unique().drop_nulls().to_list())
        for name, one in types_in(data, texts.columns).items()
    }
    back = from_polars(left, kind, types)
    assert to_polars(back)[0].equals(left)
    return back


@given(frame=typed_frames())
@settings(max_examples=150)
def test_every_column_comes_back_in_its_type_with_its_values(frame: pl.DataFrame) -> None:
    for library, data in in_libraries(frame).items():
        back = returned(data)
        for name in frame.columns:
            assert values_in(back, name) == values_in(data, name), (library, name)
            assert type_in(back, name) == type_in(data, name), (library, name)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.to_datetime(["2024-05-31", None])).dt.as_unit("s"),
        pd.Series(pd.to_datetime(["3024-05-31"])).dt.as_unit("s"),
        pd.Series(pd.to_datetime(["2024-05-31T10:00:00.5+02:00", None])),
        pd.Series(pd.to_datetime(["2024-05-31T10:00:00.5Z", None])).dt.tz_convert("Asia/Tokyo"),
        pd.Series([1, None], dtype="Int8"),
        pd.Series([1.5, None], dtype="Float32"),
        pd.Series([True, None], dtype="boolean"),
        pd.Series(["a", None], dtype="string"),
        pd.Series(["a", None], dtype=object),
        pd.Series([Decimal("1.50"), Decimal("2"), None], dtype=object),
        pd.Series([date(2024, 5, 31), None], dtype=object),
        pd.Series([datetime(2024, 5, 31, 1), None], dtype=object),
        pd.Series([7, None], dtype=object),
        pd.Series([True, None], dtype=object),
        pd.Series([0.5, None], dtype=object),
        pd.Series([0.5, 0.25], dtype="float16"),
        pd.Series(np.array([200, 3], dtype=np.uint8)),
        pd.Series(pd.Categorical([10, 9, None], categories=[9, 10])),
        pd.Series(pd.Categorical([10, 9], categories=[10, 9], ordered=True)),
        pd.Series(pd.Categorical(pd.to_datetime(["2024-05-31", None]))),
        pd.Series(pd.Categorical(pd.array([10, 9], dtype="int64[pyarrow]"))),
        pd.Series(pd.Categorical(pd.array([0.1, None], dtype="Float32"))),
        pd.Series([Decimal("1e-50")], dtype=object),
        pd.Series([Decimal("1.50")], dtype=pd.ArrowDtype(pa.decimal256(60, 2))),
        pd.Series([2**70], dtype=object),
        pd.Series([Decimal("1.50"), None], dtype=pd.ArrowDtype(pa.decimal128(9, 2))),
        pd.Series(["a", "b"], dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
    ],
)
def test_types_of_pandas(column: Any) -> None:
    pd.testing.assert_series_equal(returned(pd.DataFrame({"v": column}))["v"], column.rename("v"))


@pytest.mark.parametrize(
    "column",
    [
        pa.array([86_400_000, None], pa.date64()),
        pa.array([1, None], pa.date32()),
        pa.array([1, None], pa.time32("s")),
        pa.array([1, None], pa.time64("ns")),
        pa.array([1, None], pa.duration("s")),
        pa.array([1, None], pa.timestamp("s")),
        pa.array([1, None], pa.timestamp("ns", "Europe/Paris")),
        pa.array([1, None], pa.timestamp("us", "+02:00")),
        pa.array([Decimal("1.50"), None], pa.decimal256(60, 2)),
        pa.array([1.5, None], pa.float16()),
        pa.array(["a", None], pa.string()),
        pa.array([None, None]),
        pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int8()), pa.array([5, 7])),
    ],
)
def test_types_of_pyarrow(column: Any) -> None:
    assert returned(pa.table({"v": column}))["v"].combine_chunks() in (column, pa.chunked_array([column]))


def test_a_number_that_goes_missing_has_a_type_that_knows_such() -> None:
    data = pd.DataFrame({"n": np.array([7, 9], dtype=np.uint16), "b": [True, False]})
    types = {name: one.among(["7"] if name == "n" else ["true"]) for name, one in types_in(data, ["n", "b"]).items()}
    back = from_polars(pl.DataFrame({"n": ["7", None], "b": ["true", None]}), to_polars(data)[1], types)
    assert [str(dtype) for dtype in back.dtypes] == ["UInt16", "boolean"]
    assert back["n"].tolist()[0] == 7


def test_categories_are_those_of_the_release_and_keep_a_declared_order() -> None:
    values, known = ["b", "a", "gone"], ["unused", "gone", "b", "a"]
    ordered = pd.Categorical(values, categories=known, ordered=True)
    plain = pd.Categorical(values, categories=known)
    data = pd.DataFrame({"o": ordered, "p": plain})
    back = returned(data, ("gone",))
    assert list(back["o"].cat.categories) == ["b", "a"]
    assert back["o"].cat.ordered
    assert list(back["p"].cat.categories) == ["a", "b"]
    table = pa.table({"o": pa.DictionaryArray.from_arrays([2, 3, 1], known, ordered=True)})
    assert returned(table, ("gone",))["o"].chunk(0).dictionary.to_pylist() == ["b", "a"]
    unordered = pa.table({"p": pa.DictionaryArray.from_arrays([2, 3, 1], known)})
    assert returned(unordered, ("gone",))["p"].chunk(0).dictionary.to_pylist() == ["a", "b"]
    frame = pl.DataFrame({"o": pl.Series(values, dtype=pl.Enum(known)), "p": pl.Series(values, dtype=pl.Categorical)})
    back = returned(frame, ("gone",))
    assert back.schema == {"o": pl.Enum(["b", "a"]), "p": pl.Categorical()}
    assert b"gone" not in pickle.dumps(back)


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        (pl.Int64(), ["7", "*"]),
        (pl.Int8(), ["700"]),
        (pl.Int64(), ["07"]),
        (pl.Float64(), ["1.50"]),
        (pl.Decimal(9, 2), ["1.5"]),
        (pl.Boolean(), ["yes"]),
        (pl.Date(), ["31.5.2024"]),
        (pl.Datetime("us"), ["2024-05-31T00:00:00"]),  # it is read as a date
        (pl.Datetime("ms"), ["2024-05-31T10:00:00.123456"]),
        (pl.Datetime("us", "UTC"), ["2024-05-31T10:00:00+02:00"]),
        (pl.Duration("ms"), ["one day"]),
        (pl.Duration("ms"), ["PT0.000001S"]),
    ],
)
def test_what_cannot_be_had_back_is_text(dtype: pl.DataType, values: list[str]) -> None:
    kind = ColumnType.of(dtype).among(values)
    assert kind.dtype is None
    assert from_polars(pl.DataFrame({"v": values}), to_polars(pl.DataFrame())[1], {"v": kind}).schema == {
        "v": pl.String()
    }
    with pytest.raises(TypeError, match="no type"):
        kind.series(values)


def test_a_value_that_is_no_category_takes_the_type_away() -> None:
    assert ColumnType.of(pl.Enum(["a"])).among(["a", "*"]).categories is None


def test_values_that_come_some_at_a_time_decide_together() -> None:
    numbers, known = ColumnType.of(pl.Float64()), ColumnType.of(pl.Enum(["b", "a", "c"]))
    assert numbers.among_all([["1.5", "2"], [], ["0.25"]]).dtype == pl.Float64
    assert numbers.among_all([["1.5"], ["no number"], ["2"]]).dtype is None
    assert numbers.among_all([]) == numbers
    assert known.among_all([["a"], ["b", "a"]]) == known.among(["a", "b"])
    assert known.among_all([["a"], ["b", "a"]]).categories == ("b", "a")


def test_objects_of_several_types_are_text() -> None:
    data = pd.DataFrame({"v": pd.Series([1, "a"], dtype=object), "w": pd.Series([timedelta(1)], dtype=object)})
    assert types_in(data, ["v", "w"]) == {}
    assert type_names(from_polars(pl.DataFrame({"v": ["1", "a"]}), to_polars(data[["v"]])[1])) == {"v": "str"}


def test_decimals_that_are_too_long_are_told() -> None:
    table = pa.table({"v": pa.array([Decimal("1" * 40)], pa.decimal256(60, 0))})
    with pytest.raises(SpecError, match=r"Column 'v' holds decimals of more than 38 digits"):
        to_polars(table)


def test_types_are_told_by_their_names() -> None:
    frame = pl.DataFrame({"v": [1], "d": [date(2024, 5, 31)]})
    assert type_names(frame) == type_names(frame.lazy()) == {"v": "Int64", "d": "Date"}
    assert type_names(frame.to_arrow()) == {"v": "int64", "d": "date32[day]"}
    assert type_names(pd.DataFrame({"v": [1]})) == {"v": "int64"}
