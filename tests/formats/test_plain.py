from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.formats.encoding import CHUNK
from shoal.formats.plain import read_plain

fields = st.text(st.sampled_from("ab 1é\t'日"), max_size=12)


def parsed(content: bytes, header: list[str]) -> pl.DataFrame:
    """Parse with polars."""
    return pl.read_csv(content, separator=";", has_header=False, skip_rows=1, schema=dict.fromkeys(header, pl.String))


def as_text(frame: pl.DataFrame | None) -> list[tuple[str | None, ...]] | None:
    return None if frame is None else frame.cast(pl.String).rows()


@given(
    st.lists(st.tuples(fields, fields, fields), min_size=1, max_size=30),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_reads_as_polars_does(rows: list[tuple[str, str, str]], end: str, ended: bool) -> None:
    text = "a;b;c" + end + end.join(";".join(row) for row in rows) + end * ended
    found = read_plain(text.encode(), ";", ["a", "b", "c"], ["a", "c"])
    assert as_text(found) == parsed(text.encode(), ["a", "b", "c"]).select("a", "c").rows()


def test_pieces_stay_in_order_and_texts_that_are_new_late_are_found(tmp_path: Path) -> None:
    n_records = 4 * CHUNK // 12
    frame = pl.DataFrame({"a": range(n_records), "b": [None, "x", "yy"] * (n_records // 3) + ["z"] * (n_records % 3)})
    path = tmp_path / "long.csv"
    frame.write_csv(path, separator=";")
    found = read_plain(path, ";", ["a", "b"], ["a", "b"])
    assert found is not None
    assert found.dtypes == [pl.Categorical, pl.Categorical]
    assert found.cast(pl.String).equals(frame.cast(pl.String))


@pytest.mark.parametrize(
    "content",
    [
        b'a;b\n1;"2"\n',
        b"a;b\n1;2;3\n",
        b"a;b\n1\n",
        b"a;b\n1\n2;3;4\n",
        b"a;b\n1;2\n\n",
        b"a;b\n\n1;2\n",
        b"a;b\n",
        b"a;b\n1\r;2\n",
    ],
    ids=["quoted", "long", "short", "short and long", "blank at the end", "blank", "no records", "a return"],
)
def test_leaves_what_is_not_plain_to_others(content: bytes) -> None:
    assert read_plain(content, ";", ["a", "b"], ["b"]) is None


def test_leaves_one_column_to_others() -> None:
    assert read_plain(b"a\n1\n", ";", ["a"], ["a"]) is None
