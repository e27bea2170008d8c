"""A table in several files is read and counted as one."""

from datetime import datetime
from pathlib import Path

import polars as pl
import pytest

from shoal.foundation.budgets import limits
from shoal.foundation.errors import SpecError
from shoal.tables.folder import FolderLocation, folder_digest, folder_target, is_folder
from shoal.tables.location import file_digest

ONE = pl.DataFrame({"a": ["1", "2", None], "b": ["x", "x", "y"]})
TWO = pl.DataFrame({"a": ["2", "3"], "b": ["x", "z"]})


def parts(folder: Path, ending: str = ".csv") -> Path:
    folder.mkdir()
    for number, frame in enumerate((ONE, TWO)):
        path = folder / f"part-{number}{ending}"
        frame.write_csv(path) if ending == ".csv" else frame.write_parquet(path)
    return folder


def texts(frame: pl.DataFrame) -> list[tuple[str | None, ...]]:
    return frame.cast(pl.String).rows()


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_the_records_of_all_files_are_one_table(tmp_path: Path, ending: str) -> None:
    place = FolderLocation(parts(tmp_path / "data", ending))
    assert (place.name, place.columns(), place.there()) == ("data", ["a", "b"], True)
    assert place.delimiter == ("," if ending == ".csv" else None)
    assert texts(place.read()) == [*ONE.rows(), *TWO.rows()]
    assert texts(place.read(keep=["b"])) == [(b,) for _, b in [*ONE.rows(), *TWO.rows()]]
    rows, said = place.counted(["a", "b"])
    found = dict(zip(texts(rows.frame), rows.counts.tolist(), strict=True))
    assert found == {("1", "x"): 1, ("2", "x"): 2, (None, "y"): 1, ("3", "z"): 1}
    assert said == {"name": "data", "sha256": folder_digest(place.path, place.files), "columns": ["a", "b"]}
    frame, same = place.certified(["b"], text=True)
    assert same == said
    assert frame.dtypes == [pl.String]


def test_a_pattern_names_files(tmp_path: Path) -> None:
    parts(tmp_path / "data")
    (tmp_path / "data/other.csv").write_text("c\n1\n", encoding="utf-8")
    place = FolderLocation(tmp_path / "data/part-*.csv")
    assert is_folder(place.path)
    assert place.root == tmp_path / "data"
    assert place.read().height == 5
    assert not is_folder(tmp_path / "data/part-0.csv")
    (tmp_path / "odd[1].csv").write_text("a\n1\n", encoding="utf-8")
    assert not is_folder(tmp_path / "odd[1].csv")


def test_folders_may_tell_columns(tmp_path: Path) -> None:
    for year, frame in (("2020", ONE), ("__HIVE_DEFAULT_PARTITION__", TWO)):
        (tmp_path / "data" / f"year={year}" / "town=a%20b").mkdir(parents=True)
        frame.write_csv(tmp_path / "data" / f"year={year}" / "town=a%20b" / "x.csv")
    place = FolderLocation(tmp_path / "data")
    assert place.columns() == ["a", "b", "year", "town"]
    assert place.told == ["year", "town"]
    assert set(texts(place.read(keep=["year", "town"]))) == {("2020", "a b"), (None, "a b")}
    rows, _ = place.counted(["year"])
    assert dict(zip(rows.frame["year"].to_list(), rows.counts.tolist(), strict=True)) == {"2020": 3, None: 2}


def test_what_other_programs_put_beside_is_no_part_of_it(tmp_path: Path) -> None:
    folder = parts(tmp_path / "data", ".parquet")
    for name in ("_SUCCESS", ".part-0.parquet.crc"):
        (folder / name).write_text("?", encoding="utf-8")
    assert FolderLocation(folder).read().height == 5


def test_timestamps_have_a_clock_if_those_of_any_file_do(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for number, hour in enumerate((0, 7)):
        pl.DataFrame({"t": [datetime(2020, 1, 2, hour)], "s": ["x"]}).write_parquet(tmp_path / f"data/{number}.parquet")
    assert texts(FolderLocation(tmp_path / "data").read(keep=["t"])) == [
        ("2020-01-02T00:00:00",),
        ("2020-01-02T07:00:00",),
    ]
    assert texts(FolderLocation(tmp_path / "data/0*.parquet").read(keep=["t"])) == [("2020-01-02",)]


def _forbidden(*_: object) -> None:
    raise PermissionError


def test_wrong_folders_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SpecError, match="There is no file in"):
        FolderLocation(tmp_path / "empty").read()
    folder = parts(tmp_path / "data")
    (folder / "z.csv").write_text("a,c\n1,1\n", encoding="utf-8")
    with pytest.raises(SpecError, match=r"z.csv' has other columns than '.*part-0.csv'"):
        FolderLocation(folder).read()
    (folder / "z.csv").unlink()
    with limits(max_records=4), pytest.raises(SpecError, match="more than 4 records"):
        FolderLocation(folder).read()
    with limits(max_bytes=5), pytest.raises(SpecError, match="more than 5 bytes"):
        FolderLocation(folder).counted()
    with monkeypatch.context() as patched:
        patched.setattr("os.scandir", _forbidden)
        with pytest.raises(SpecError, match="cannot be listed"):
            FolderLocation(folder).read()
    ONE.write_parquet(folder / "z.parquet")
    with pytest.raises(SpecError, match="csv, parquet: all must be CSV, or all Parquet"):
        FolderLocation(folder).read()


def test_a_folder_of_parts_is_written_and_bound_by_one_digest(tmp_path: Path) -> None:
    place = FolderLocation(tmp_path / "data", ";", quoted=True)
    folder_target(place, "csv", {}).put(iter([ONE.with_columns(b=pl.lit("=1")), TWO]))
    assert [path.name for path in place.files] == ["part-00000.csv", "part-00001.csv"]
    assert "'=1" in place.files[0].read_text(encoding="utf-8")
    assert texts(place.read(keep=["b"]))[0] == ("=1",)
    before = folder_digest(place.path, place.files)
    assert before != file_digest(place.files[0])
    place.files[1].rename(place.path / "part-00002.csv")
    renamed = FolderLocation(place.path, ";", quoted=True)
    assert folder_digest(place.path, renamed.files) != before
