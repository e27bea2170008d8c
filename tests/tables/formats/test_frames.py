import subprocess
import sys
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.foundation.errors import SpecError
from shoal.tables.formats.frames import FrameKind, frame_kind_of, from_polars, to_polars

COLUMNS = {"zip": ["00501", None, ""], "age": [30, 41, None]}
TEXT = {"zip": ["00501", None, None], "age": ["30", "41", None]}


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (pl.DataFrame(COLUMNS), FrameKind.POLARS),
        (pl.LazyFrame(COLUMNS), FrameKind.LAZY),
        (pd.DataFrame(COLUMNS), FrameKind.PANDAS),
        (pa.table(COLUMNS), FrameKind.PYARROW),
    ],
)
def test_each_kind_comes_back_as_it_came(data: Any, kind: FrameKind) -> None:
    frame, found = to_polars(data)
    assert found is kind
    assert frame.to_dict(as_series=False) == TEXT
    back = from_polars(frame, kind)
    assert type(back) is type(data)
    again, _ = to_polars(back)
    assert again.equals(frame)


class Patients(pd.DataFrame):  # type: ignore[misc]  # pandas comes without types
    pass


def test_a_class_made_from_a_frame_is_one() -> None:
    assert frame_kind_of(Patients(COLUMNS)) is FrameKind.PANDAS


@pytest.mark.parametrize("data", [[1, 2], {"a": [1]}, pl.Series([1])])
def test_what_is_no_frame(data: Any) -> None:
    with pytest.raises(SpecError, match=r"A (list|dict|Series) is not a supported table: give a polars, pandas"):
        to_polars(data)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pd.Series([1, 2]), ["1", "2"]),
        (pd.Series([1, None]), ["1", None]),
        (pd.Series([1, None], dtype="Int64"), ["1", None]),
        (pd.Series([1, None], dtype="int64[pyarrow]"), ["1", None]),
        (pd.Series([0.1, np.nan, 1e-7, -0.0]), ["0.1", None, "1e-7", "0"]),
        (pd.Series([0.1, None, 1e-7, 1e21], dtype="Float64"), ["0.1", None, "1e-7", "1e+21"]),
        (pd.Series([True, False]), ["true", "false"]),
        (pd.Series([True, None], dtype="boolean"), ["true", None]),
        (pd.Series(["x", None, pd.NA, np.nan, ""], dtype=object), ["x", None, None, None, None]),
        (pd.Series(["x", None], dtype="string"), ["x", None]),
        (pd.Series(["x", None], dtype="category"), ["x", None]),
        (pd.Series([2020, 2021], dtype="category"), ["2020", "2021"]),
        (
            pd.Series([1, "x", 2.5, True, Decimal("1.50"), np.int8(3)], dtype=object),
            ["1", "x", "2.5", "true", "1.50", "3"],
        ),
        (pd.Series([date(1999, 1, 2), time(3, 4)], dtype=object), ["1999-01-02", "03:04:00"]),
        (pd.Series([datetime(1999, 1, 2), None]), ["1999-01-02", None]),
        (pd.Series([datetime(1999, 1, 2, 3)]), ["1999-01-02T03:00:00"]),
        (pd.Series([datetime(1999, 1, 2, 3, tzinfo=UTC), None]), ["1999-01-02T03:00:00+00:00", None]),
        (pd.Series([timedelta(days=1)]), ["P1D"]),
        (pd.Series([None, None], dtype=object), [None, None]),
    ],
)
def test_every_type_of_pandas_becomes_text(values: Any, expected: list[str | None]) -> None:
    frame, _ = to_polars(pd.DataFrame({"a": values}))
    assert frame["a"].to_list() == expected


def test_the_index_of_pandas_is_never_published() -> None:
    data = pd.DataFrame({"a": ["1", "2"]}, index=pd.Index(["CANARY-1", "CANARY-2"], name="patient"))
    data.attrs["note"] = "CANARY-3"
    frame, kind = to_polars(data)
    assert frame.columns == ["a"]
    back = from_polars(frame, kind)
    assert back.index.equals(pd.RangeIndex(2))
    assert back.index.name is None
    assert back.attrs == {}


def test_pandas_text_has_the_type_that_pandas_gives_text() -> None:
    back = from_polars(pl.DataFrame({"a": ["x", None], "b": [None, None]}), FrameKind.PANDAS)
    assert list(back.dtypes) == [pd.Series(["x"]).dtype] * 2
    assert back.isna().sum().to_dict() == {"a": 1, "b": 2}


def test_pyarrow_metadata_stays_behind() -> None:
    frame, kind = to_polars(pa.table({"a": ["x"]}, metadata={"note": "CANARY"}))
    back = from_polars(frame, kind)
    assert back.schema.metadata is None
    assert [field.metadata for field in back.schema] == [None]


@pytest.mark.parametrize("kind", FrameKind)
def test_unused_categories_stay_behind(kind: FrameKind) -> None:
    raw = pl.DataFrame({"a": pl.Series(["CANARY", "kept"]).cast(pl.Categorical)})
    frame, _ = to_polars(from_polars(raw.tail(1), kind))
    assert frame.dtypes == [pl.String]
    assert frame["a"].to_list() == ["kept"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pd.DataFrame([[1, 2]]), "Column number 1 of the frame has a label of type int: a name in text is needed."),
        (pd.DataFrame([[1]], columns=[("a", "b")]), "Column number 1 of the frame has a label of type"),
        (pl.DataFrame({"": [1]}), "Without a name in the frame: column number 1 of 1."),
        (pl.DataFrame({"a": [[1]]}), "Column 'a' of the frame is nested"),
        (pa.table({"a": [[1]]}), "Column 'a' of the frame is nested"),
        (pl.DataFrame({"a": [b"CANARY"]}), "Column 'a' of the frame holds bytes"),
        (pd.DataFrame({"a": [["CANARY"]]}), "Column 'a' of the frame holds values of type list"),
        (pd.DataFrame({"a": [pd.Period("2020")]}), "Column 'a' of the frame holds values of type Period"),
    ],
)
def test_says_what_is_wrong_with_a_frame(data: Any, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        to_polars(data)
    assert str(caught.value).startswith(message)
    assert "CANARY" not in str(caught.value)


def run(script: str) -> str:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_pandas_and_pyarrow_are_not_imported_without_need() -> None:
    script = """
import sys, polars as pl
from shoal.tables.formats.frames import to_polars, from_polars
from_polars(*to_polars(pl.DataFrame({"a": [1, 2]})))
print([name for name in ("pandas", "pyarrow") if name in sys.modules])
"""
    assert run(script) == "[]"


def test_pandas_works_without_pyarrow() -> None:
    script = """
import sys
sys.modules["pyarrow"] = None
import pandas as pd
from shoal.tables.formats.frames import to_polars, from_polars
data = pd.DataFrame({"a": ["00501", None], "b": [1.0, None], "c": pd.Categorical(["x", None])})
frame, kind = to_polars(data)
back = from_polars(frame, kind)
print(frame.rows(), back.isna().sum().sum(), "pyarrow" in str(sys.modules.get("pyarrow")))
"""
    assert run(script) == "[('00501', '1', 'x'), (None, None, None)] 3 False"


@pytest.mark.parametrize("library", ["pandas", "pyarrow"])
def test_equal_labels_are_numbered_and_keep_their_types(library: str) -> None:
    ages, incomes = [30, 31, 30, 31, 30, 31], [1.5, 2.5, 3.5, 1.5, 2.5, 3.5]
    frame: Any = pa.table([ages, incomes, incomes, incomes], names=["age", "income", "income", ""])
    if library == "pandas":
        frame = pd.DataFrame(dict(enumerate([ages, incomes, incomes, incomes]))).set_axis(frame.column_names, axis=1)
    plain, _ = to_polars(frame)
    assert plain.columns == ["age", "income", "income (2)", "column 4"]
    release = shoal.anonymize(frame, quasi=["age"], insensitive=["income", "income (2)"], drop=["column 4"], k=2)
    data = release.data if library == "pandas" else release.data.to_pandas()
    assert data["income (2)"].mean() == sum(incomes) / 6
    assert any("numbered: 'income (2)'" in words for words in shoal.init(frame).warnings)
