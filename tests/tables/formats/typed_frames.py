"""Random frames with columns of every type, in each library, and what is to come back of them."""

import math
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
from hypothesis import strategies as st

from shoal.tables.formats.column_type import ColumnType
from shoal.tables.formats.frames import to_polars, types_in

_WORDS = st.sampled_from(["a", "b", "c", "12", "é"])
_MOMENTS = st.datetimes(datetime(1950, 1, 1), datetime(2090, 1, 1))
_BERLIN = pl.Datetime("us", "Europe/Berlin")
KINDS: dict[str, tuple[pl.DataType, st.SearchStrategy[Any]]] = {
    "int8": (pl.Int8(), st.integers(-128, 127)),
    "int64": (pl.Int64(), st.integers(-(2**63), 2**63 - 1)),
    "uint64": (pl.UInt64(), st.integers(0, 2**64 - 1)),
    "float32": (pl.Float32(), st.floats(width=32)),
    "float64": (pl.Float64(), st.floats()),
    "boolean": (pl.Boolean(), st.booleans()),
    "text": (pl.String(), st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=3)),
    "date": (pl.Date(), st.dates(date(1, 1, 1), date(9999, 12, 31))),
    "days": (
        pl.Datetime("ms"),
        st.dates(date(1950, 1, 1), date(2090, 1, 1)).map(lambda day: datetime.combine(day, time())),
    ),
    "stamp": (pl.Datetime("us"), _MOMENTS),
    "nano": (pl.Datetime("ns"), _MOMENTS),
    "zoned": (_BERLIN, _MOMENTS.map(lambda one: one.replace(tzinfo=UTC).astimezone(ZoneInfo("Europe/Berlin")))),
    "clock": (pl.Time(), st.times()),
    "span": (pl.Duration("us"), st.timedeltas(timedelta(days=-400), timedelta(days=400))),
    "money": (pl.Decimal(12, 2), st.decimals(-1000, 1000, places=2).map(lambda one: one + Decimal("0.00"))),
    "grouped": (pl.Categorical(), _WORDS),
    "ranked": (pl.Enum(["canary", "é", "12", "c", "b", "a"]), _WORDS),
}


@st.composite
def typed_frames(draw: st.DrawFn) -> pl.DataFrame:
    """Return a frame of polars with some columns, each with missing values, and one more to generalize."""
    names = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=4, unique=True))
    height = draw(st.integers(2, 6))
    columns = [
        pl.Series(name, draw(st.lists(st.none() | values, min_size=height, max_size=height)), dtype=dtype)
        for name, (dtype, values) in ((name, KINDS[name]) for name in names)
    ]
    return pl.DataFrame([pl.Series("age", [*range(height)]), *columns])


def texts_and_types(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, ColumnType]]:
    """Return a frame as a release holds it: texts, and the types that give them back."""
    texts, _ = to_polars(frame)
    found = types_in(frame, frame.columns)
    return texts, {name: one.among(texts[name].unique().drop_nulls().to_list()) for name, one in found.items()}


def in_libraries(frame: pl.DataFrame) -> dict[str, Any]:
    """Return a frame as one of each library, and of each family of types of pandas."""
    return {
        "polars": frame,
        "pyarrow": frame.to_arrow(),
        "pandas": frame.to_pandas(),
        "nullable": frame.to_pandas().convert_dtypes(),
        "arrow in pandas": frame.to_pandas(use_pyarrow_extension_array=True),
    }


def values_in(data: Any, name: str) -> list[str]:
    """Return the values of a column, sorted, with NaN and an empty text as missing, and minus zero as zero."""
    column = data[name]
    values = column.to_list() if hasattr(column, "to_list") else column.to_pylist()
    return sorted(f"{type(one).__name__} {one!r}" for one in map(_plain, values))


def type_in(data: Any, name: str) -> object:
    """Return the type of a column, without its categories."""
    if isinstance(data, pl.DataFrame):
        dtype = data.schema[name]
        return type(dtype) if isinstance(dtype, pl.Enum) else dtype
    if hasattr(data, "column_names"):
        return data.schema.field(name).type
    dtype = data[name].dtype
    return (dtype.name, dtype.ordered, dtype.categories.dtype) if hasattr(dtype, "categories") else dtype


def _plain(value: Any) -> Any:
    if type(value).__name__ in ("NAType", "NaTType") or value is None or value == "":
        return None
    if isinstance(value, float):
        return None if math.isnan(value) else value + 0.0
    return value
