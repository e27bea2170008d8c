import traceback
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from shoal.foundation.errors import SpecError
from shoal.tables.formats import parquet as room
from shoal.tables.formats.column_type import ColumnType
from shoal.tables.formats.format import Format
from shoal.tables.formats.parquet import Parquet

CANARIES = [f"CANARY-{number:04d}" for number in range(50)]


def texts(tmp_path: Path, values: list[Any], dtype: Any = None) -> list[str | None]:
    path = tmp_path / "in.parquet"
    pl.DataFrame({"a": pl.Series(values, dtype=dtype)}).write_parquet(path)
    return Parquet().read(path, text=["a"])["a"].to_list()


@pytest.mark.parametrize(
    ("values", "dtype", "expected"),
    [
        ([7, -3, None], pl.Int64, ["7", "-3", None]),
        ([2**64 - 1], pl.UInt64, ["18446744073709551615"]),
        ([2.0, 0.1, -0.0, 1e-7, 1e21, float("nan"), None], pl.Float64, ["2", "0.1", "0", "1e-7", "1e+21", None, None]),
        ([0.1], pl.Float32, ["0.1"]),
        ([Decimal("1.50")], pl.Decimal(10, 2), ["1.50"]),
        ([True, False, None], pl.Boolean, ["true", "false", None]),
        ([date(1999, 1, 2), None], pl.Date, ["1999-01-02", None]),
        ([datetime(1999, 1, 2), None], pl.Datetime, ["1999-01-02", None]),
        ([datetime(1999, 1, 2, 3, 4, 5), datetime(1999, 1, 2)], None, ["1999-01-02T03:04:05", "1999-01-02T00:00:00"]),
        ([datetime(1999, 1, 2, tzinfo=UTC)], None, ["1999-01-02T00:00:00+00:00"]),
        ([time(1, 2, 3)], pl.Time, ["01:02:03"]),
        ([timedelta(days=1, seconds=2)], pl.Duration, ["P1DT2S"]),
        (["00501", "", None], pl.String, ["00501", None, None]),
        (["x", None, ""], pl.Categorical, ["x", None, None]),
        (["x", None], pl.Enum(["y", "x"]), ["x", None]),
        ([None], pl.Null, [None]),
    ],
)
def test_every_plain_type_becomes_text(
    tmp_path: Path, values: list[Any], dtype: Any, expected: list[str | None]
) -> None:
    assert texts(tmp_path, values, dtype) == expected


def test_columns_are_categories_except_those_asked_as_text(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    pl.DataFrame({"a": [1, 2], "b": [1, 2], "name": ["x", "y"]}).write_parquet(path)
    frame = Parquet().read(path, keep=["b", "a"], text=["b"])
    assert frame.columns == ["a", "b"]
    assert frame.dtypes == [pl.Categorical, pl.String]
    assert Parquet().columns(path) == ["a", "b", "name"]
    formats: list[Format] = [Parquet()]
    assert formats[0].delimiter(path) is None


def test_reads_dictionaries_of_pyarrow(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    column = pa.array(["x", "y", None, "x"]).dictionary_encode()
    pyarrow.parquet.write_table(pa.table({"a": column}), path)
    assert Parquet().read(path).cast(pl.String)["a"].to_list() == ["x", "y", None, "x"]


@pytest.mark.parametrize("values", [[[1, 2]], [{"x": 1}]])
def test_nested_columns_are_refused_unless_left_out(tmp_path: Path, values: list[Any]) -> None:
    path = tmp_path / "in.parquet"
    pl.DataFrame({"a": ["1"], "visits": values}).write_parquet(path)
    with pytest.raises(SpecError, match=r"Column 'visits' of '.*' is nested \((List|Struct)\): one value per record"):
        Parquet().read(path)
    assert Parquet().read(path, keep=["a"]).height == 1


def test_bytes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"Column 'a' of '.*' holds bytes: text, numbers, dates or booleans are needed"):
        texts(tmp_path, [b"x"])


def test_what_is_no_parquet_or_damaged(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    path.write_bytes(b"a,b\nCANARY-0001,2\n")
    with pytest.raises(SpecError, match="is not a Parquet file, or a damaged one") as caught:
        Parquet().read(path)
    assert caught.value.__context__ is None
    pl.DataFrame({"a": CANARIES * 1000}).write_parquet(path, compression="uncompressed", statistics=False)
    content = bytearray(path.read_bytes())
    content[4:2000] = b"\xff" * 1996
    path.write_bytes(content)
    with pytest.raises(SpecError, match="could not be read to its end") as caught:
        Parquet().read(path)
    assert caught.value.__context__ is None
    assert "CANARY" not in "".join(traceback.format_exception_only(caught.value))


def test_no_records_and_no_file(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="has no records"):
        texts(tmp_path, [], pl.String)
    with pytest.raises(SpecError, match="There is no file"):
        Parquet().read(tmp_path / "absent.parquet")


@pytest.mark.parametrize("compression", ["uncompressed", "snappy", "lz4", "gzip", "brotli", "zstd"])
def test_a_written_file_holds_nothing_but_the_text(
    tmp_path: Path, compression: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "COMPRESSION", compression)
    path = tmp_path / "out.parquet"
    raw = pl.DataFrame({"a": pl.Series([*CANARIES, "kept", None]).cast(pl.Categorical), "b": "z"})
    Parquet().write(raw.tail(2), path)
    content = path.read_bytes()
    assert not any(canary.encode() in content for canary in CANARIES)
    found = pyarrow.parquet.ParquetFile(path)
    assert [str(field.type) for field in found.schema_arrow] in (["large_string"] * 2, ["string_view"] * 2)
    assert found.schema_arrow.metadata is None
    groups = [found.metadata.row_group(group) for group in range(found.metadata.num_row_groups)]
    assert not any(group.column(column).is_stats_set for group in groups for column in range(group.num_columns))
    assert found.read().to_pydict() == {"a": ["kept", None], "b": ["z", "z"]}


def test_dictionaries_hold_only_what_is_written(tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    raw = pl.DataFrame({"a": pl.Series([*CANARIES, *["kept", "other"] * 5000]).cast(pl.Categorical)})
    Parquet().write(raw.tail(10_000), path)
    table = pyarrow.parquet.read_table(path, read_dictionary=["a"])
    assert {value.as_py() for chunk in table["a"].chunks for value in chunk.dictionary} == {"kept", "other"}


def test_raw_metadata_stays_behind(tmp_path: Path) -> None:
    source, path = tmp_path / "in.parquet", tmp_path / "out.parquet"
    table = pa.table({"a": CANARIES}, metadata={"pandas": CANARIES[0]})
    pyarrow.parquet.write_table(table, source)
    frame = Parquet().read(source).with_columns(a=pl.lit("*"))
    Parquet().write(frame, path)
    assert b"CANARY" not in path.read_bytes()
    assert b"pandas" not in path.read_bytes()


def test_a_column_that_is_text_anyway_is_written_as_all_others(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": ["x", None, "y"] * 50, "^b.*$": ["1", "2", "2"] * 50}).cast(pl.Categorical)
    text, number = ColumnType.of(pl.String()), ColumnType.of(pl.Int64())
    Parquet().write(frame, tmp_path / "plain.parquet")
    Parquet().write_typed(frame, tmp_path / "text.parquet", {"a": text, "^b.*$": text})
    assert (tmp_path / "text.parquet").read_bytes() == (tmp_path / "plain.parquet").read_bytes()
    Parquet().write_typed(frame, tmp_path / "both.parquet", {"a": text, "^b.*$": number})
    written = pl.read_parquet(tmp_path / "both.parquet")
    assert written.schema == {"a": pl.String(), "^b.*$": pl.Int64()}
    assert written["^b.*$"].to_list() == [1, 2, 2] * 50


def test_categories_are_written_by_their_numbers_as_the_texts_that_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = {"a": ["x", None, "y"] * 50, "^b.*$": ["1", "2", "2"] * 50, "ä": ["z"] * 150}
    frame = pl.DataFrame(cells).with_columns(pl.nth(0, 1).cast(pl.Categorical))
    sunk: list[pl.Schema] = []
    sink = pl.LazyFrame.sink_parquet

    def told(lazy: pl.LazyFrame, target: Any, **named: Any) -> Any:
        if isinstance(target, Path):
            sunk.append(lazy.collect_schema())
        return sink(lazy, target, **named)

    monkeypatch.setattr(pl.LazyFrame, "sink_parquet", told)
    Parquet().write(frame, tmp_path / "numbers.parquet")
    Parquet().write(frame.cast(pl.String), tmp_path / "texts.parquet")
    assert [[*one.values()] for one in sunk] == [[pl.Categorical, pl.Categorical, pl.String], [pl.String] * 3]
    written = [(tmp_path / name).read_bytes() for name in ("numbers.parquet", "texts.parquet")]
    assert written[0] == written[1]


def test_a_polars_that_keeps_its_own_schema_writes_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({"a": pl.Series(["x", None, "y"] * 50, dtype=pl.Categorical)})
    sink = pl.LazyFrame.sink_parquet
    monkeypatch.setattr(
        pl.LazyFrame, "sink_parquet", lambda *given, **named: sink(*given, **{**named, "metadata": None})
    )
    Parquet().write(frame, tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet").schema == {"a": pl.String()}
