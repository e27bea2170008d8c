import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.formats import lines
from shoal.formats.lines import write_lines

cells = st.none() | st.text(st.sampled_from("ab ,;\"\n\r\té日'#"), max_size=12)


@given(
    st.integers(1, 4).flatmap(lambda width: st.lists(st.tuples(*[cells] * width), min_size=1, max_size=20)),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from([pl.String(), pl.Categorical()]),
)
def test_writes_as_polars_does(rows: list[tuple[str | None, ...]], delimiter: str, dtype: pl.DataType) -> None:
    columns = {f"c{delimiter * j}{j}": [row[j] for row in rows] for j in range(len(rows[0]))}
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)).cast(dtype)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out.csv"
        write_lines(frame, path, delimiter)
        assert path.read_bytes() == frame.write_csv(separator=delimiter).encode()


def test_blocks_stay_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_BLOCK", 7)
    frame = pl.DataFrame({"a": [str(i) for i in range(1000)], "b": ["x", None] * 500})
    write_lines(frame, tmp_path / "out.csv", ";")
    assert (tmp_path / "out.csv").read_bytes() == frame.write_csv(separator=";").encode()


def test_a_table_without_records_is_a_header(tmp_path: Path) -> None:
    write_lines(pl.DataFrame({"a": [], "b": []}, schema={"a": pl.String, "b": pl.String}), tmp_path / "out.csv", ",")
    assert (tmp_path / "out.csv").read_bytes() == b"a,b\n"
