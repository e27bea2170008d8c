"""DuckDB counts the records of files as the local reader reads them."""

from collections import Counter
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from traceback import format_exception
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.foundation import watching
from shoal.foundation.errors import SpecError
from shoal.search.engines.duckdb import coding, counted_rows, session
from shoal.tables.folder import FolderLocation
from shoal.tables.location import FileLocation, Location
from shoal.tables.rows import Rows

quick = settings(deadline=None, max_examples=30)
WORDS = st.sampled_from(["", "a", "A", " a", "a ", 'x"y', "x'y", "1", "01", "x,y", "x\ny", "ä", "NULL", "*", None])
TYPED: dict[str, list[Any]] = {
    "whole": [1, -2, 10**15, None, 1],
    "number": [0.1, -0.0, 1e20, float("nan"), 0.1],
    "day": [date(2020, 1, 2), None, date(1850, 3, 4), date(2020, 1, 2), date(2020, 1, 2)],
    "moment": [datetime(2020, 1, 2, 3, 4, 5, 600_000), datetime(2020, 1, 2), None, None, datetime(2020, 1, 2)],
    "midnight": [datetime(2020, 1, 2)] * 5,
    "clock": [time(1, 2, 3), None, time(0), time(0), time(1, 2, 3, 500_000)],
    "truth": [True, False, None, True, True],
    "exact": [Decimal("1.50"), Decimal("-2.25"), None, Decimal("0.00"), Decimal("1.50")],
    "text": ["a", "", None, "A", "a"],
}


def plain(location: Location) -> Counter[tuple[str | None, ...]]:
    return Counter(location.read().cast(pl.String).rows())


def counter(rows: Rows) -> Counter[tuple[str | None, ...]]:
    found = Counter[tuple[str | None, ...]]()
    for row, count in zip(rows.frame.cast(pl.String).rows(), rows.counts.tolist(), strict=True):
        found[row] += count
    return found


@quick
@given(records=st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=12), ending=st.sampled_from(["csv", "parquet"]))
def test_texts_are_counted_as_they_are(records: list[tuple[str | None, str | None]], ending: str) -> None:
    frame = pl.DataFrame(records, schema={"a b": pl.String, 'c"': pl.String}, orient="row")
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"data.{ending}"
        frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)
        place = FileLocation(path)
        assert counter(counted_rows(place, place.columns())) == plain(place)


@pytest.mark.parametrize("most", [coding.MOST_VALUES, 0])
def test_typed_columns_have_the_texts_of_the_local_reader(
    tmp_path: Path, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coding, "MOST_VALUES", most)
    typed = pl.DataFrame(TYPED).with_columns(utc=pl.col("moment").dt.replace_time_zone("UTC"))
    typed = typed.with_columns(zoned=pl.col("utc").dt.convert_time_zone("Europe/Paris"))
    typed.write_parquet(tmp_path / "data.parquet")
    place = FileLocation(tmp_path / "data.parquet")
    assert counter(counted_rows(place, typed.columns)) == plain(place)


def test_keys_that_do_not_fit_into_64_bits_are_several(tmp_path: Path) -> None:
    names = ["c0", "c1", "n", "t", "v", "kind0", "*", "c2"]  # such as queries use themselves
    frame = pl.DataFrame({names[j]: [str((i * (j + 3)) % 1000) for i in range(1000)] for j in range(8)})
    frame.write_parquet(tmp_path / "data.parquet")
    place = FileLocation(tmp_path / "data.parquet")
    assert counter(counted_rows(place, frame.columns)) == plain(place)
    columns = [coding.Dictionary(name, "kind", [None] * 1001) for name in frame.columns]
    assert [len(key) for key in coding.keys_of(columns)] == [6, 2]


def test_a_folder_is_counted_with_what_its_folders_tell(tmp_path: Path) -> None:
    for year in ("2020", "2021"):
        (tmp_path / "data" / f"year={year}").mkdir(parents=True)
        pl.DataFrame({"a": ["1", year, None]}).write_parquet(tmp_path / "data" / f"year={year}" / "x.parquet")
    place = FolderLocation(tmp_path / "data", blanks=("1",))
    assert counter(counted_rows(place, ["a", "year"])) == plain(place)
    assert counter(counted_rows(place, ["year"])) == Counter({("2020",): 3, ("2021",): 3})


def test_damaged_files_are_told_without_a_value(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("a,b\n1,2\nCanary,3,4\n", encoding="utf-8")
    with pytest.raises(SpecError, match="DuckDB could not read") as caught:
        counted_rows(FileLocation(tmp_path / "data.csv"), ["a", "b"])
    assert "Canary" not in "".join(format_exception(caught.value))
    (tmp_path / "old.csv").write_bytes("a,b\nü,2\n".encode("latin-1"))
    with pytest.raises(SpecError, match="is not UTF-8"):
        counted_rows(FileLocation(tmp_path / "old.csv"), ["a", "b"])
    (tmp_path / "none.csv").write_text("a,b\n", encoding="utf-8")
    with pytest.raises(SpecError, match="no records"):
        counted_rows(FileLocation(tmp_path / "none.csv"), ["a", "b"])


def test_types_that_would_be_read_otherwise_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pl.DataFrame({"a": [timedelta(seconds=1)], "b": [b"x"], "c": [[1]], "d": ["x"]}).write_parquet(path)
    for name, words in (("a", "holds durations, which the engine duckdb"), ("b", "holds bytes"), ("c", "is nested")):
        with pytest.raises(SpecError, match=f"Column '{name}' of .* {words}"):
            counted_rows(FileLocation(path), [name, "d"])
    assert counter(counted_rows(FileLocation(path), ["d"])) == Counter({("x",): 1})


def test_spilled_files_are_private_encrypted_and_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left = tmp_path / "shoal-spill-999999999-left"
    left.mkdir()
    n, canary = 300_000, "CanaryValue"
    with session.opened("32MB") as opened:
        assert not left.exists()
        (folder,) = tmp_path.iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        made = f"SELECT '{canary}' || hash(i) AS v, i FROM range({n}) r(i) ORDER BY v"  # noqa: S608
        opened.run(f"CREATE TEMP TABLE t AS {made}", "t")
        spilled = [path for path in folder.rglob("*") if path.is_file()]
        assert spilled
        assert not any(canary.encode() in path.read_bytes() for path in spilled)
        assert opened.frame("SELECT count(*) AS n FROM t", "t").item() == n
    assert not list(tmp_path.iterdir())


def test_a_folder_of_a_run_that_goes_on_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with session.opened(), session.opened():
        assert len(list(tmp_path.iterdir())) == 2


def test_it_is_told_how_far_counting_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "SECONDS", 0.001)
    pl.DataFrame({"a": [f"{number % 9_973}" for number in range(300_000)]}).write_parquet(tmp_path / "data.parquet")
    steps, shares = list[str](), list[float | None]()

    def told(step: str, share: float | None = None) -> None:
        steps.append(step)
        shares.append(share)

    found = counted_rows(FileLocation(tmp_path / "data.parquet"), ["a"], progress=told)
    assert len(found.counts) == 9_973
    assert list(dict.fromkeys(steps)) == ["listing the values", "counting the records"]
    assert all(0 <= share <= 1 for share in shares if share is not None)
    assert len(steps) > 3
