"""`check`, `risk` and `attack` read every format as `anonymize` does, and give the figures that CSV gives."""

import csv
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import xlsxwriter

import shoal as front
from shoal.tables.formats import FORMATS
from tests.cli.run import HEADER, ROLES, done, patients, shoal
from tests.tables.formats import survey

WRITERS = [member for member in FORMATS if member.writes and member.name != "csv"]
ROWS = [tuple(map(str, row)) for row in patients()]
QUASI, SENSITIVE = ("--quasi", "age,zip,sex"), ("--sensitive", "disease")


def table(folder: Path) -> Path:
    path = folder / "data.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *ROWS])
    return path


def told(command: str, data: Path, *flags: object) -> Any:
    return done(command, data, *flags, "--json").json


@pytest.mark.parametrize("member", WRITERS, ids=[member.name for member in WRITERS])
def test_any_format_gives_the_figures_of_csv(member: Any, tmp_path: Path) -> None:
    known = table(tmp_path)
    path = tmp_path / f"same.{member.name}"
    member().write(pl.DataFrame(ROWS, HEADER, orient="row"), path)
    assert told("check", path, *QUASI, *SENSITIVE) == told("check", known, *QUASI, *SENSITIVE)
    assert told("risk", path, *QUASI, "--population", path) == told("risk", known, *QUASI, "--population", known)
    assert front.singling_out(path, quasi=["zip"]) == front.singling_out(known, quasi=["zip"])
    done("anonymize", path, *ROLES, "--k", "4", "--algorithm", "optimal", "--out", tmp_path / "out")
    for flags in (("--truth", "ssn"), ("--truth", "ssn", "--raw", path), ("--other", tmp_path / "out")):
        found = told("attack", tmp_path / "out", "--public", path, *flags)
        assert found == told("attack", tmp_path / "out", "--public", known, *flags)


def test_sheets_are_named_for_each_table(tmp_path: Path) -> None:
    known, path = table(tmp_path), tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(path) as book:
        for name, rows in (("few", ROWS[:9]), ("all", ROWS)):
            page = book.add_worksheet(name)
            for number, row in enumerate([tuple(HEADER), *rows]):
                page.write_row(number, 0, row)
    sheet = (*QUASI, "--sheet", "all")
    assert told("check", path, *sheet) == told("check", known, *QUASI)
    assert told("check", path, *QUASI)["records"] == 9
    everybody = ("--population", path, "--population-sheet", "all")
    assert told("risk", path, *sheet, *everybody) == told("risk", known, *QUASI, "--population", known)
    people = ("--public", path, "--public-sheet", "all", "--raw", path, "--raw-sheet", "all")
    other = ("--other", path, "--other-sheet", "all")
    found = told("attack", path, *sheet, *SENSITIVE, *people, *other, "--truth", "ssn")
    by_file = ("--public", known, "--raw", known, "--other", known, "--truth", "ssn")
    assert found == told("attack", known, *QUASI, *SENSITIVE, *by_file)


def test_a_file_of_sas_is_audited() -> None:
    path = Path(__file__).parent / "visits.sas7bdat"
    for command in ("check", "risk"):
        assert told(command, path, "--quasi", "sex,age")["records"] == 5


def test_what_is_named_for_the_wrong_kind_of_table_is_refused(tmp_path: Path) -> None:
    known = table(tmp_path)
    done("anonymize", known, *ROLES, "--k", "4", "--algorithm", "optimal", "--out", tmp_path / "out")
    for flags in (("--table", "x"), ("--sheet", "x")):
        for command in ("risk", "attack"):
            assert shoal(command, tmp_path / "out", *flags).code == 2
            assert shoal(command, known, *QUASI, *SENSITIVE, *flags).code == 2


@pytest.mark.parametrize("suffix", ["sav", "dta"])
@pytest.mark.parametrize(
    "age",
    ["age={ type = 'intervals', widths = [10, 20] }", "age=sets", "age=ranges"],
    ids=["intervals", "sets", "ranges"],
)
def test_nobody_is_missed_whose_values_are_declared_as_missing(suffix: str, age: str, tmp_path: Path) -> None:
    """Reasons that the release keeps apart are values of the public table too, and those that it merges are missing."""
    write = {"sav": survey.write_sav, "dta": survey.write_dta}[suffix]
    source, out = write(tmp_path / f"in.{suffix}"), tmp_path / "out"
    flags = ("--hierarchy", age, "--k", "3", "--algorithm", "mondrian", "--format", suffix)
    done("anonymize", source, *survey.ROLES, *flags, "--out", out)
    link = front.attack(out, public=source, truth="name", attacks=["linkage"]).linkage
    assert link is not None
    assert link.truth is not None
    assert link.truth.present == link.truth.found == 120
    both = front.attack(out, public=source, other=out, attacks=["composition"])
    assert next(iter(both)).as_dict()["possible"] == 120


@pytest.mark.parametrize("suffix", ["sav", "dta"])
@pytest.mark.parametrize("released", ["same", "csv"])
def test_codes_with_labels_are_no_numbers(suffix: str, released: str, tmp_path: Path) -> None:
    """Be they those of the release itself, or of the file that it was made of."""
    write = {"sav": survey.write_sav, "dta": survey.write_dta}[suffix]
    source, out = write(tmp_path / f"in.{suffix}"), tmp_path / "out"
    kind = suffix if released == "same" else "csv"
    flags = ("--k", "3", "--algorithm", "optimal", "--format", kind, "--out", out)
    done("anonymize", source, *survey.ROLES, *flags)
    lines = {one.name: one.scale.reading.line for one in front.utility(out, figures=["columns"]).columns}
    assert {name for name, line in lines.items() if line is not None} == {"age", "score"}
    assert "no numbers" in front.attack(out).not_run["similarity (income)"]
    assert "no numbers" in front.attack(source, quasi=["sex"], sensitive=["income"]).not_run["similarity (income)"]
    assert "all values of the class are within" not in (out / "private/report.html").read_text(encoding="utf-8")


def test_texts_with_spaces_at_their_end_are_found(tmp_path: Path) -> None:
    """An SPSS file fills texts up with spaces: those of the raw table are no others."""
    rows = [(f"p{i}", ["north ", "south"][i % 2], ["a  ", "b"][i // 2 % 2]) for i in range(16)]
    pl.DataFrame(rows, ["name", "place", "note"], orient="row").write_csv(tmp_path / "in.csv")
    roles = ("--quasi", "place", "--insensitive", "note", "--drop", "name", "--k", "4")
    done(
        "anonymize", tmp_path / "in.csv", *roles, "--algorithm", "optimal", "--format", "sav", "--out", tmp_path / "out"
    )
    link = front.attack(tmp_path / "out", public=tmp_path / "in.csv", truth="name").linkage
    assert link is not None
    assert link.truth is not None
    assert link.truth.present == link.truth.found == 16
    assert [one.total_variation for one in front.utility(tmp_path / "out", figures=["columns"]).columns] == [0, 0]
