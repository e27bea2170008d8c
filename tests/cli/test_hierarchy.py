from pathlib import Path

import pytest

import shoal as library
from shoal.foundation.errors import SpecError
from tests.cli.run import done, entries, shoal, write_csv


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows: list[tuple[object, ...]] = [
        (
            i % 30,
            f"021{i % 30:02}",
            f"2024-0{i % 9 + 1}-03",
            "abbcccdddd"[i % 10],
            "1,5",
            f"13.0{i % 9 + 1}.{1990 + i % 20}",
        )
        for i in range(90)
    ]
    rows += [("unknown", "02199", "?", "[red]x\x1b", "", ""), ("",) * 6]
    return write_csv(tmp_path / "t.csv", ("age", "zip", "day", "kind", "size", "born"), rows)


@pytest.mark.parametrize(
    ("column", "flags", "words"),
    [
        ("age", (), ["* ", "0-4", "levels: 31, 7", "1 record misses a value"]),
        ("age", ("--type", "intervals", "--widths", "10,20"), ["0-19", "20-39", "unknown"]),
        ("age", ("--type", "intervals", "--cuts", "10,20;20"), ["<20", ">=20"]),
        ("zip", ("--type", "masking", "--levels", "2", "--character", "x"), ["0212x", "0210x"]),
        ("zip", ("--type", "masking", "--from", "left"), ["***01", "02101"]),
        ("age", ("--type", "intervals"), ["0-4", "20-39", "unknown"]),
        ("day", ("--type", "dates", "--steps", "quarter,year"), ["2024-Q1", "?"]),
        ("born", ("--type", "dates"), ["1990s", "1990-Q1"]),
        ("kind", ("--type", "order", "--fanout", "2"), ["a  (9 records)", "- c  (4 values"]),
        ("kind", ("--type", "frequency"), ["Other (", r"[red]x\x1b"]),
        ("kind", ("--type", "suppression"), ["*  (5 values, 91 records)"]),
        ("age", ("--breadth", "2"), ["… 3 more"]),
    ],
)
def test_trees(table: Path, column: str, flags: tuple[str, ...], words: list[str]) -> None:
    out = done("hierarchy", table, column, *flags).out
    for word in words:
        assert word in out, (word, out)


def test_a_file_that_lacks_values_names_them_and_is_completed(table: Path, tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("A;x;*\nb;x;*\nc;y;*\n", encoding="utf-8")
    flags = ("--type", "levels", "--path", tmp_path / "h.csv")
    ran = shoal("hierarchy", table, "kind", *flags)
    assert ran.code == 2
    assert "The hierarchy lacks 3 of the 5 different values in the data:" in ran.err
    assert "'d' (36 records)" in ran.err
    assert "'a' (9 records; the hierarchy has 'A')" in ran.err
    assert shoal("hierarchy", table, "kind", *flags, "--json").json["lacking"]["d"] == 36
    done("hierarchy", table, "kind", *flags, "--complete", "--out", tmp_path / "whole.csv")
    assert "d;d;*" in (tmp_path / "whole.csv").read_text(encoding="utf-8")
    whole = done("hierarchy", table, "kind", "--type", "levels", "--path", tmp_path / "whole.csv", "--json").json
    assert whole["lacking"] == {}


def test_groups_that_cost_more_entropy_than_those_above_are_put_together(tmp_path: Path) -> None:
    """Example 4.7: c and d are a rare pair, whose entropy is a bit; that of all is far less."""
    table = write_csv(tmp_path / "t.csv", ("grade",), [(grade,) for grade in "a" * 97 + "bcd"])
    (tmp_path / "grades.csv").write_text("a;ab;*\nb;ab;*\nc;cd;*\nd;cd;*\n")
    flags = ("--type", "levels", "--path", tmp_path / "grades.csv")
    assert "levels: 4, 2, 1 nodes" in done("hierarchy", table, "grade", *flags).out
    made = done("hierarchy", table, "grade", *flags, "--coarsened", "--out", tmp_path / "coarse.csv")
    assert "levels: 4, 1 nodes" in made.out
    assert (tmp_path / "coarse.csv").read_text() == "a;*\nb;*\nc;*\nd;*\n"


def test_of_a_job(table: Path, tmp_path: Path) -> None:
    done("init", table, "--out", tmp_path / "job", "--quasi", "kind,age", "--drop", "size", "-y")
    job = tmp_path / "job/job.toml"
    assert done("hierarchy", job, "kind", "--json").json["lacking"] == {}
    file = tmp_path / "job/hierarchies/kind.csv"
    file.write_text("a;*\nb;*\n", encoding="utf-8")
    ran = shoal("anonymize", job, "--out", tmp_path / "out")
    assert ran.code == 2
    assert "lacks 3 of the 6" in ran.err
    assert "'shoal hierarchy' names them" in ran.err
    assert "'d' (36 records)" in shoal("hierarchy", job, "kind").err


def test_a_file_is_written_whole_and_not_over_another(table: Path, tmp_path: Path) -> None:
    done("hierarchy", table, "zip", "--out", tmp_path / "zip.csv")
    first = (tmp_path / "zip.csv").read_text(encoding="utf-8").splitlines()[0]
    assert first == "02100;0210*;021**;02***;0****;*"
    assert "exists already" in shoal("hierarchy", table, "zip", "--out", tmp_path / "zip.csv").err
    done("hierarchy", table, "zip", "--out", tmp_path / "zip.csv", "--force", "--type", "suppression")
    assert (tmp_path / "zip.csv").read_text(encoding="utf-8").startswith("02100;*\n")
    assert entries(tmp_path) == {"t.csv", "zip.csv"}


@pytest.mark.parametrize(
    ("column", "flags", "words"),
    [
        ("agee", (), "No column 'agee'"),
        ("age", ("--type", "interval"), "Did you mean 'intervals'?"),
        ("kind", ("--type", "intervals"), "intervals need 'widths' or 'cuts'"),
        ("age", ("--type", "frequency", "--widths", "5"), "takes no parameters, and no 'widths'"),
        ("kind", ("--type", "groups"), "give it (--path)"),
        ("kind", ("--type", "dates"), "must be written as"),
        ("kind", ("--type", "levels", "--path", "none.csv"), "does not exist"),
    ],
)
def test_wrong_requests(table: Path, column: str, flags: tuple[str, ...], words: str) -> None:
    ran = shoal("hierarchy", table, column, *flags)
    assert ran.code == 2
    assert words in ran.err, ran.err


def test_in_python(table: Path, tmp_path: Path) -> None:
    sheet = library.hierarchy(table, "age", "intervals", widths=[10, 20])
    assert repr(sheet) == "<Sheet of 'age': 31 > 4 > 3 > 1 nodes>"
    assert sheet.tree().records == 91
    assert sheet.hierarchy.height == 3
    assert library.hierarchy(table, "size").rows == [["1,5", "*"]]
    empty = write_csv(tmp_path / "e.csv", ("a", "b"), [("", "1"), ("", "2")])
    with pytest.raises(SpecError, match="has no value"):
        library.hierarchy(empty, "a")
