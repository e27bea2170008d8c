import os
from pathlib import Path

import pytest

from tests.cli.run import done, patients_csv, shoal, write_csv
from tests.models.papers import FIGURE_18

QUASI = [("2203*", "been married", "F"), ("2203*", "never married", "M"), ("2204*", "been married", "M")]


@pytest.fixture
def figure_18(tmp_path: Path) -> Path:
    rows = [(*cells, ill) for cells, part in zip(QUASI, FIGURE_18, strict=True) for ill in part]
    return write_csv(tmp_path / "figure.csv", ("zip", "status", "sex", "disease"), rows)


def test_the_figure_of_the_chapter(figure_18: Path) -> None:
    asked = ("check", figure_18, "--quasi", "zip,status,sex", "--sensitive", "disease")
    found = done(*asked, "--json").json
    assert found["records"] == 9
    assert found["classes"]["count"] == 3
    assert found["k"] == found["k_wildcard"] == 3
    assert found["sensitive"]["disease"]["distinct_l"] == 1
    text = done(*asked).out
    for line in ("records:    9", "classes:    3, of 3 to 3 records", "k:          3", "disease:", "  distinct_l: 1"):
        assert line in text


@pytest.mark.parametrize(
    ("promise", "code"),
    [
        ("k-anonymity:k=3", 0),
        ("k-anonymity:k=4", 4),
        ("distinct-l-diversity:l=1,column=disease", 0),
        ("distinct-l-diversity:l=2,column=disease", 4),
        ("alpha-k-anonymity:alpha=0.4,k=3,column=disease,value=HIV", 4),
        ("alpha-k-anonymity:alpha=0.7,k=3,column=disease,value=HIV", 0),
        ("t-closeness:t=0.7,column=disease", 0),
        ("t-closeness:t=0.66,column=disease", 4),
    ],
)
def test_a_promise_makes_the_exit_code_the_verdict(figure_18: Path, promise: str, code: int) -> None:
    flags = ("--quasi", "zip,status,sex", "--sensitive", "disease", "--require", promise)
    ran = shoal("check", figure_18, *flags, "--json")
    assert ran.code == code, ran.err
    assert ran.json["claims"][0]["holds"] is (code == 0)
    assert bool(ran.json["failing"]) is (code == 4)
    shown = shoal("check", figure_18, *flags)
    assert shown.code == code
    assert ("NO" in shown.out) is (code == 4)
    assert ("fail" in shown.out) is (code == 4)


def test_all_promises_must_hold_and_failing_classes_are_listed_by_size(tmp_path: Path) -> None:
    rows = [("a",)] * 1 + [("b",)] * 2 + [("c",)] * 2 + [("d",)] * 5
    table = write_csv(tmp_path / "t.csv", ("q",), rows)
    ran = shoal(
        "check", table, "--quasi", "q", "--require", "k-anonymity:k=1", "--require", "k-anonymity:k=3", "--json"
    )
    assert ran.code == 4
    assert [claim["holds"] for claim in ran.json["claims"]] == [True, False]
    assert ran.json["failing"] == [{"size": 1, "classes": 1}, {"size": 2, "classes": 2}]
    shown = shoal("check", table, "--quasi", "q", "--require", "k-anonymity:k=3").out
    assert "2 classes of 2 records fail" in shown


@pytest.mark.parametrize(("written", "delimiter"), [(";", ";"), ("\\t", "\t"), ("~", "~")])
def test_a_delimiter_may_be_given(tmp_path: Path, written: str, delimiter: str) -> None:
    table = patients_csv(tmp_path, delimiter=delimiter)
    assert done("check", table, "--quasi", "sex", "--delimiter", written, "--json").json["classes"]["count"] == 2


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--quasi", "agee"), "No column 'agee' in"),
        (("--quasi", ""), "No quasi column is named"),
        (("--quasi", "", "--sensitive", "disease"), "No quasi column is named"),
        (("--quasi", "age", "--sensitive", "age"), "Column 'age' is given two roles"),
        (("--quasi", "age", "--require", "k-anonimity:k=2"), "Did you mean 'k-anonymity'?"),
        (
            ("--quasi", "age", "--require", "t-closeness:t=0.1,column=disease"),
            "which does not have the role 'sensitive'",
        ),
        (("--quasi", "age", "--require", "k"), "unknown privacy model 'k'"),
        (("--quasi", "age", "--delimiter", ";"), "The delimiter ';' does not occur in the header"),
        ((), "Missing option '--quasi'"),
    ],
)
def test_a_mistake_is_told(tmp_path: Path, flags: tuple[str, ...], words: str) -> None:
    ran = shoal("check", patients_csv(tmp_path), *flags)
    assert ran.code == 2
    assert words in ran.err


def test_a_table_that_is_not_there_or_not_known(tmp_path: Path) -> None:
    assert "There is no file" in shoal("check", tmp_path / "no.csv", "--quasi", "a").err
    (tmp_path / "t.doc").touch()
    assert "its format is not known" in shoal("check", tmp_path / "t.doc", "--quasi", "a").err
    assert shoal("check", tmp_path, "--quasi", "a").code == 2


def test_a_check_writes_nothing(figure_18: Path) -> None:
    before = os.listdir(figure_18.parent)  # noqa: PTH208
    done("check", figure_18, "--quasi", "zip")
    assert os.listdir(figure_18.parent) == before  # noqa: PTH208
