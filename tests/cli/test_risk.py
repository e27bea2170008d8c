import re
from pathlib import Path

import polars as pl
import pytest

from tests.cli.run import JOB, K_ANONYMITY, done, patients_csv, shoal, write_csv

PROSECUTOR = ("prosecutor", "prosecutor_wildcard")
JOURNALIST = ("population", "population_wildcard", "journalist", "journalist_wildcard", "journalist_fitted")
HOUSEHOLD = ("household", "household_strict")
ROWS = [
    ("30", "F", "p1", "h1", "10"),
    ("30", "F", "p1", "h1", "10"),
    ("30", "F", "p2", "h1", "12"),
    ("41", "M", "p3", "h2", "9"),
    ("41", "", "p4", "h2", "9"),
]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "t.csv", ("age", "sex", "id", "home", "w"), ROWS)


def test_all_figures_as_json_and_as_text(table: Path, tmp_path: Path) -> None:
    flags = ("--quasi", "age,sex", "--entity", "id", "--household", "home", "--weights", "w", "--suda", "2")
    found = done("risk", table, *flags, "--json", "--out", tmp_path / "records.csv").json
    assert (found["records"], found["persons"], found["k"], found["k_wildcard"]) == (5, 4, 1, 2)
    assert found["journalist"]["basis"] == "weights"
    assert found["household"]["households"] == 2
    assert found["suda"]["largest_size"] == 2
    assert found["before"] is None
    written = pl.read_csv(tmp_path / "records.csv")
    assert written["k"].to_list() == [2, 2, 2, 1, 1]
    assert written.columns == ["k", "k_wildcard", *PROSECUTOR, *JOURNALIST, *HOUSEHOLD, "suda", "dis_suda"]
    text = done("risk", table, *flags).out
    for words in (
        "5 records of 4 persons in 3 classes",
        "prosecutor",
        "wildcards",
        "journalist",
        "household",
        "k < 12",
        "records are expected to be found if whoever finds one of a household finds all",
    ):
        assert words in text
    assert "estimated, model" in text
    assert "41" not in text.split("risk")[0]


@pytest.mark.parametrize(("threshold", "code"), [("1", 0), ("0.5", 4), ("0.09", 4)])
def test_a_threshold_makes_the_exit_code_the_verdict(table: Path, threshold: str, code: int) -> None:
    ran = shoal("risk", table, "--quasi", "age,sex", "--threshold", threshold, "--suda", "0")
    assert ran.code == code, ran.err


def test_against_a_population_the_journalist_is_the_judge(table: Path, tmp_path: Path) -> None:
    everybody = write_csv(tmp_path / "e.csv", ("age", "sex"), [row[:2] for row in ROWS] * 5)
    flags = ("--quasi", "age,sex", "--population", everybody, "--threshold", "0.2")
    assert shoal("risk", table, *flags).code == 0
    lacking = write_csv(tmp_path / "e.csv", ("age", "sex"), [("30", "F")])
    ran = shoal("risk", table, "--quasi", "age,sex", "--population", lacking)
    assert "5 records have more like them here than in the population" in ran.out


def test_a_release_before_and_after(tmp_path: Path) -> None:
    patients_csv(tmp_path)
    (tmp_path / "job.toml").write_text(JOB + K_ANONYMITY, encoding="utf-8")
    done("anonymize", tmp_path / "job.toml", "--algorithm", "optimal", "--out", tmp_path / "out")
    text = done("risk", tmp_path / "out").out
    for words in ("^before:", "^after:", r"^prosecutor +before +1 ", r"^prosecutor +after +0\.\d"):
        assert re.search(words, text, re.MULTILINE), words
    assert done("risk", tmp_path / "out", "--json").json["before"]["k"] == 1


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ((), "No quasi column is named"),
        (("--quasi", "age", "--threshold", "7"), "A threshold of risk is above 0 and at most 1"),
        (("--quasi", "age", "--fraction", "2"), "A sampling fraction is above 0"),
        (("--quasi", "age", "--entity", "idd"), "No column 'idd'"),
        (("--quasi", "age", "--weights", "sex"), "no sampling weight above 0 in 5 records"),
        (("--quasi", "age", "--entity", "sex"), "has no value in 1 records"),
        (("--quasi", "age", "--out", "nowhere/r.csv"), "there is no folder"),
    ],
)
def test_a_mistake_is_told(table: Path, flags: tuple[str, ...], words: str) -> None:
    ran = shoal("risk", table, *flags)
    assert ran.code == 2
    assert words in ran.err
