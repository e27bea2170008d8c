from pathlib import Path

import pytest

from tests.audits import papers
from tests.cli.run import HEADER, JOB, K_ANONYMITY, done, job_toml, patients, shoal, write_csv


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a release, another of the same table, and a list of persons of whom half are in it."""
    folder = tmp_path_factory.mktemp("attack")
    done("anonymize", job_toml(folder), "--out", folder / "release", "--algorithm", "optimal", "--seed", 1, "-q")
    other = job_toml(folder, JOB + K_ANONYMITY, "other.toml")
    done("anonymize", other, "--out", folder / "other", "--algorithm", "mondrian", "--seed", 1, "-q")
    known = [(row[1], row[2], row[3], row[4]) for row in [*patients()[:80], *patients(80, seed=9)]]
    write_csv(folder / "persons.csv", ("ssn", "age", "code", "sex"), known)
    return folder


def test_all_attacks_in_one_table(place: Path) -> None:
    flags = (
        "--public",
        place / "persons.csv",
        "--on",
        "age,zip=code,sex",
        "--truth",
        "ssn",
        "--other",
        place / "other",
    )
    text = done("attack", place / "release", *flags).out
    for line in (
        "joined on age, zip, sex",
        "records per person",
        "persons per record",
        "right by chance",
        "truth: 80 persons are in the release, 80 match their own record",
        "base rate ",
        "in a class ",
        "at a printed end ",
        "the cells of a class ",
        "homogeneity (disease)",
        "1 ruled out:",
        "largest gain",
        "promised k: 4 and 4",
        "by all columns that both publish as they are",
        "not run: similarity (disease): the values of column 'disease' are no numbers",
    ):
        assert line in text, line
    found = done("attack", place / "release", *flags, "--json").json
    assert [one["attack"] for one in found["attacks"]] == [
        "linkage",
        "presence",
        "singling-out",
        "homogeneity",
        "background-knowledge",
        "skewness",
        "composition",
    ]
    assert found["attacks"][0]["truth"]["found"] == 80
    assert found["worst"] == max(one["share"] for one in found["attacks"])
    assert found["not_run"].keys() == {"similarity (disease)"}


def test_values_and_cells_are_shown_only_when_asked(place: Path) -> None:
    asked = ("attack", place / "release", "--rule-out", 9, "--gain", 0.01)
    released = (place / "release" / "public/data.csv").read_text(encoding="utf-8").splitlines()
    ages = {line.split(",")[0] for line in released[1:]}
    for flags in ((), ("--json",)):
        hidden, shown = done(*asked, *flags).out, done(*asked, *flags, "--show-cells").out
        for value in ("flu", "cold", "ulcer", "asthma"):
            assert value not in hidden
            assert value in shown
        assert any(age in shown for age in ages - {"*"}) or ages == {"*"}
    assert "more classes (--json lists all)" in done("attack", place / "other", "--rule-out", 9).out


@pytest.mark.parametrize(("share", "code"), [("0", 4), ("0.3", 4), ("0.34", 0), ("1", 0)])
def test_an_attack_that_succeeds_fails_only_where_it_is_asked_to(tmp_path: Path, share: str, code: int) -> None:
    table = write_csv(tmp_path / "t.csv", (*papers.CHAPTER, "disease"), papers.FIGURE_18)
    asked = ("attack", table, "--quasi", "zip,status,sex", "--sensitive", "disease", "--attack", "homogeneity")
    assert "3 of 9 records, in 1 of 3 classes" in done(*asked).out
    assert shoal("attack", *asked[1:], "--fail-above", share).code == code
    assert shoal("attack", *asked[1:], "--fail-above", share, "--json").json["attacks"][0]["records"] == 3


def test_the_chapter_with_hierarchies_as_flags(tmp_path: Path) -> None:
    table = write_csv(tmp_path / "t.csv", (*papers.CHAPTER, "disease"), papers.FIGURE_18, ";")
    people = write_csv(tmp_path / "p.csv", ("number", *papers.CHAPTER), [row[:4] for row in papers.FIGURE_1], ";")
    raw = write_csv(tmp_path / "r.csv", ("number", *papers.CHAPTER, "disease"), papers.FIGURE_1, ";")
    tree = 'status={ type = "taxonomy", tree = { any = { "been married" = ["married", "divorced", "widow"], '
    tree += '"never married" = ["single"] } } }'
    roles = ("--quasi", "zip,status,sex", "--sensitive", "disease", "--hierarchy", tree, "--hierarchy", "zip=masking")
    ran = done("attack", table, *roles, "--public", people, "--truth", "number", "--raw", raw, "--json").json
    link = ran["attacks"][0]
    assert (link["unique"], link["fewest"], link["certain"]) == (0, 3, {"disease": 3})
    assert link["truth"]["present"] == 9


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--attack", "linkage"), "needs a public table (--public)"),
        (("--attack", "homogeneiti"), "Did you mean 'homogeneity'?"),
        (("--public", "no.csv"), "There is no file 'no.csv'"),
        (("--hierarchy", "zip=masking"), "which is neither in --quasi nor in --sensitive"),
        (("--gain", "much"), "'gain' is much: a number from 0 to 1 is needed"),
        (("--missing", "drop"), "known are wildcard, category"),
        (("--other", "nowhere"), "There is no release 'nowhere'"),
        (("--quasi", "age"), "A release of shoal defines the roles of its columns"),
    ],
)
def test_a_mistake_is_told(place: Path, flags: tuple[str, ...], words: str) -> None:
    ran = shoal("attack", place / "release", *flags)
    assert ran.code == 2
    assert words in ran.err


def test_an_attack_writes_nothing(place: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in place.rglob("*")}
    done("attack", place / "release", "--public", place / "data.csv")
    assert {path: path.stat().st_mtime_ns for path in place.rglob("*")} == before
    assert HEADER[1] not in done("attack", place / "release").out


def test_a_series_of_releases(place: Path) -> None:
    again = done("apply", place / "release", place / "data.csv", "--out", place / "again", "--seed", 2)
    assert again.code == 0
    fewer = write_csv(place / "fewer.csv", HEADER, patients()[1:])
    done("apply", place / "release", fewer, "--out", place / "fewer", "--seed", 3, "--failing", "suppress")
    text = done("attack", place / "release", place / "again", place / "fewer", "--truth", "ssn", "--l", 3).out
    for line in (
        "releases: 3;",
        "certain: ",
        "likelier than 1/3: ",
        "below k = 4: ",
        "largest probability: ",
        "exact: ",
    ):
        assert line in text, line
    asked = ("attack", place / "release", place / "fewer", "--persons", place / "data.csv", "--persons", fewer)
    [found] = done(*asked, "--truth", "ssn", "--k", 2, "--worlds", 0, "--json").json["attacks"]
    assert (found["attack"], found["releases"], found["k"]) == ("series", 2, 2)
    assert found["certain"][0] >= 1  # who is in the first alone has the row that is missing in the second
    assert shoal(*asked, "--fail-above", 0).code == 4
    assert shoal("attack", place / "release", place / "again", "--persons", fewer).code == 2
