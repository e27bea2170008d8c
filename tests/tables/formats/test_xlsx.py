"""Workbooks made by other programs are read, and a release is looked at by opening its package."""

import builtins
import zipfile
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import polars as pl
import pytest
import xlsxwriter

from shoal.foundation.errors import MissingExtraError, SpecError
from shoal.tables.formats.xlsx import Xlsx
from tests.cli.run import HEADER, ROLES, done, patients


def workbook(path: Path, rows: list[list[Any]], sheet: str = "Patients") -> Path:
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    page.title = sheet
    for row in rows:
        page.append(row)
    book.save(path)
    return path


def texts(path: Path, **options: Any) -> dict[str, list[str | None]]:
    frame = Xlsx(**options).read(path)
    return frame.cast(pl.String).to_dict(as_series=False)


def test_cells_become_the_text_a_person_expects(tmp_path: Path) -> None:
    rows: list[list[Any]] = [
        ["whole", "number", "code", "day", "moment", "truth", 2024],
        [1, 0.1 + 0.2, "00501", date(2024, 5, 31), datetime(2024, 5, 31, 14, 30), True, "x"],
        [2.0, 1e-7, None, None, datetime(2024, 6, 1), False, None],
    ]
    assert texts(workbook(tmp_path / "a.xlsx", rows)) == {
        "whole": ["1", "2"],
        "number": ["0.3", "0.0000001"],
        "code": ["00501", None],
        "day": ["2024-05-31", None],
        "moment": ["2024-05-31T14:30:00", "2024-06-01T00:00:00"],
        "truth": ["true", "false"],
        "2024": ["x", None],
    }


def test_formulas_count_as_their_values_and_errors_as_missing(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(path) as book:
        page = book.add_worksheet()
        page.write_row(0, 0, ["a", "b"])
        page.write_formula(1, 0, "=1+1", None, 2)
        page.write_formula(1, 1, "=1/0", None, "#DIV/0!")
        page.write_row(2, 0, [3, "x"])
    assert texts(path) == {"a": ["2", "3"], "b": [None, "x"]}


def test_a_sheet_by_name_and_the_first_that_can_be_seen(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(path) as book:
        hidden = book.add_worksheet("hidden")
        for number, page in enumerate([hidden, book.add_worksheet("first"), book.add_worksheet("second")]):
            page.write_column(2, 3, ["a", number])
        book.worksheets()[1].activate()
        book.worksheets()[1].set_first_sheet()
        hidden.hide()
    assert texts(path) == {"a": ["1"]}  # and leading blank rows and columns do not count
    assert texts(path, sheet="second") == {"a": ["2"]}
    assert texts(path, sheet="hidden") == {"a": ["0"]}
    with pytest.raises(SpecError, match=r"No sheet 'Second' in .* Did you mean 'second'"):
        texts(path, sheet="Second")


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", [["a", "b"]])
    with pytest.raises(SpecError, match="has no records"):
        texts(path)
    with pytest.raises(SpecError, match="is empty: a header and records are needed"):
        texts(workbook(tmp_path / "b.xlsx", []))
    named = texts(workbook(tmp_path / "c.xlsx", [["a", None, "a"], [1, 2, 3]]))
    assert named == {"a": ["1"], "column 2": ["2"], "a (2)": ["3"]}
    merged = tmp_path / "d.xlsx"
    with xlsxwriter.Workbook(merged) as book:
        page = book.add_worksheet()
        page.write_row(0, 0, ["a"])
        page.merge_range(1, 0, 2, 0, "CANARY")
    with pytest.raises(SpecError, match="has 1 merged cells"):
        texts(merged)


def test_a_release_has_types_and_nothing_else(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "whole": pl.Series(["CANARY", "1", "2"]).cast(pl.Categorical),
            "day": ["1900-01-01", "2024-05-31", None],
            "code": ["*", "00501", "=1+1"],
            "truth": ["x", "true", "false"],
            "range": ["x", "1 - 5", "6 - 9"],
        }
    ).tail(2)
    path = tmp_path / "data.xlsx"
    Xlsx().write(frame, path)
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["data"]
    rows = list(book["data"].iter_rows(min_row=2, values_only=True))
    assert rows == [(1, datetime(2024, 5, 31), "00501", True, "1 - 5"), (2, None, "=1+1", False, "6 - 9")]
    assert book["data"]["C3"].data_type == "s"  # what looks like a formula is a text
    assert not book.properties.creator
    assert not book.properties.lastModifiedBy
    assert book.properties.created == datetime(2000, 1, 1)
    assert not list(book.defined_names)
    with zipfile.ZipFile(path) as package:
        content = b"".join(package.read(name) for name in package.namelist())
        assert {info.date_time[0] for info in package.infolist()} == {1980}
    assert b"CANARY" not in content
    assert [entry.name for entry in tmp_path.iterdir()] == ["data.xlsx"]


def test_what_no_sheet_holds_is_refused_before_the_search() -> None:
    with pytest.raises(SpecError, match="A sheet holds 1048575 records and 16384 columns at most"):
        Xlsx().check(["a"], 1_048_576)
    with pytest.raises(SpecError, match="too long for a cell"):
        Xlsx().write(pl.DataFrame({"a": ["x" * 40_000]}), Path("a.xlsx"))


def test_a_release_from_workbook_to_workbook(tmp_path: Path) -> None:
    path = workbook(tmp_path / "in.xlsx", [list(HEADER), *map(list, patients())], "Ward 3")
    out = tmp_path / "out"
    done(
        "anonymize",
        path,
        *ROLES,
        "--sheet",
        "Ward 3",
        "--k",
        "4",
        "--algorithm",
        "optimal",
        "--format",
        "xlsx",
        "--out",
        out,
    )
    done("verify", out)
    assert 'sheet = "Ward 3"' in (out / "private/job.toml").read_text(encoding="utf-8")
    done("check", out / "public/data.xlsx", "--sheet", "data", "--quasi", "age,zip,sex", "--require", "k-anonymity:k=4")


@pytest.mark.parametrize(("package", "act"), [("python_calamine", "read"), ("xlsxwriter", "write")])
def test_a_missing_package_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, act: str
) -> None:
    path = workbook(tmp_path / "a.xlsx", [["a"], [1]])
    load = builtins.__import__

    def without(name: str, *args: Any, **others: Any) -> Any:
        if name == package:
            raise ImportError(name)
        return load(name, *args, **others)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'shoal\[excel\]'"):
        Xlsx().read(path) if act == "read" else Xlsx().write(pl.DataFrame({"a": ["1"]}), tmp_path / "b.xlsx")
