"""A series on the command line: what `anonymize` and `verify` print of it, and how they end."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.run import done, read_csv, shoal, write_csv

CLINIC = Path(__file__).parents[3] / "examples" / "clinic"
ROLES = ("--quasi", "age,town,sex", "--sensitive", "diagnosis", "--drop", "patient", "--k", "3", "--seed", "1")
HEADER = ("patient", "age", "town", "sex", "diagnosis")
SERIES = "m-invariance:m=3,person=patient,key=clinic.key"
JOB = """
require = [{ model = "k-anonymity", k = 3 }]
[input]
path = "january.csv"
[columns]
patient = { role = "identifier" }
age = { role = "quasi" }
town = { role = "quasi" }
sex = { role = "quasi" }
diagnosis = { role = "sensitive" }
[search]
max_suppressed = 0.05
seed = 1
[series]
promise = "m-invariance"
m = 3
person = "patient"
key = "clinic.key"
"""


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with three releases: the first by a job, the others by that of the release before."""
    folder = tmp_path_factory.mktemp("clinic")
    done("pseudonym", "--new-key", folder / "clinic.key")
    shutil.copy(CLINIC / "january.csv", folder)
    (folder / "job.toml").write_text(JOB, encoding="utf-8")
    done("anonymize", folder / "job.toml", "--out", folder / "january")
    before = "january"
    for month in ("february", "march"):
        table, last = CLINIC / f"{month}.csv", folder / before
        done("anonymize", last, "--input", table, "--after", last, "--out", folder / month)
        before = month
    return folder


def test_a_series_is_told_when_it_goes_on(chain: Path, tmp_path: Path) -> None:
    ran = done(
        *("anonymize", chain / "march", "--input", CLINIC / "april.csv", "--after", chain / "march"),
        *("--out", tmp_path / "april"),
    )
    assert "series:      m-invariance, release 4; at least 3 values and 3 persons in each group\n" in ran.out
    assert "everybody's posterior, after all releases, is at most 1/3" in ran.out
    told = json.loads((tmp_path / "april/private/certificate.json").read_text(encoding="utf-8"))["series"]
    assert (
        f"{told['counterfeits']} counterfeits, {told['withheld']} withheld for good, {told['waiting']} wait" in ran.out
    )
    assert [one["number"] for one in told["earlier"]] == [1, 2, 3]


def test_flags_alone_say_the_same_as_a_job(chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(chain)
    asked = ("--series", SERIES, "--max-suppressed", "0.05", *ROLES)
    done("anonymize", CLINIC / "february.csv", *asked, "--after", "january", "--out", tmp_path / "flags")
    first, second = (read_csv(one / "public/data.csv") for one in (chain / "february", tmp_path / "flags"))
    assert first == second


def test_the_steward_verifies_the_chain_and_its_links(chain: Path) -> None:
    shown = done("verify", chain / "march", "--raw").out
    assert "series: m-invariance with m = 3 on 'diagnosis', release 3; everybody's posterior is at most 1/3" in shown
    assert "2 of 2 earlier releases compared, 2 linked by states; the raw table was put to the state" in shown
    lines = [line.split() for line in shown.splitlines()]
    assert [line[-1] for line in lines if line[:1] in (["1"], ["2"])] == ["linked", "linked"]
    assert "not derived here: series" not in shown


def test_those_who_got_public_folders_verify_the_chain(chain: Path, tmp_path: Path) -> None:
    got = {month: shutil.copytree(chain / month / "public", tmp_path / month) for month in ("january", "february")}
    public = shutil.copytree(chain / "march" / "public", tmp_path / "march")
    shown = done("verify", public, "--earlier", got["january"], "--earlier", got["february"]).out
    assert "2 of 2 earlier releases compared, 0 linked by states" in shown
    assert "not derived here: series (link): who is in which class is the steward's to tell" in shown
    found = done("verify", public, "--earlier", got["february"], "--json").json
    assert found["series"]["compared"] == [2]
    assert [one["records"] for one in found["series"]["releases"]] == [400, 400, 400]
    assert "1 are not at hand (--earlier)" in found["not_derived"]["series"]


def test_a_steward_may_keep_the_public_half_alone_of_old_releases(chain: Path, tmp_path: Path) -> None:
    kept = Path(shutil.copytree(chain, tmp_path / "kept"))
    shutil.rmtree(kept / "january" / "private")
    shown = done("verify", kept / "march").out
    assert "2 of 2 earlier releases compared, 1 linked by states" in shown
    shutil.rmtree(kept / "february" / "private")
    shown = done("verify", kept / "march", "--earlier", kept / "january").out
    assert "2 of 2 earlier releases compared, 0 linked" in shown
    assert "the state of the release before is not where the job says" in shown


def test_a_changed_link_ends_with_4(chain: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(chain, tmp_path / "chain"))
    other = shoal(
        *("anonymize", folder / "february", "--input", CLINIC / "february.csv", "--after", folder / "january"),
        *("--seed", "2", "--out", folder / "february", "--force"),
    )
    assert other.code == 0
    for asked in ([folder / "march"], [folder / "march/public", "--earlier", folder / "february/public"]):
        ran = shoal("verify", *asked)
        assert (ran.code, "is not the one of number 2 in the chain of the series" in ran.err) == (4, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--after", "january"], "a series needs a 'promise', 'm-invariance' or 'companions'"),
        (["--series", "m-invariance:m=3,person=patient,key=lost.key"], "There is no key at"),
        (["--series", "m-invariance:m=3,person=patient", "--after", "january"], "series.key: is missing"),
        (["--series", SERIES, "--after", "nowhere"], "is not a release"),
        (
            ["--series", "companions:m=3,person=patient,key=clinic.key"],
            "'m', 'counterfeits' and 'signatures' are for m-invariance",
        ),
    ],
)
def test_what_is_at_fault_ends_with_2(
    chain: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(chain)
    ran = shoal("anonymize", CLINIC / "february.csv", *ROLES, *arguments, "--out", "never")
    assert (ran.code, words in ran.err) == (2, True), ran.err
    assert not (chain / "never").exists()


def test_the_rules_of_a_series_are_not_applied_to_another_table(chain: Path, tmp_path: Path) -> None:
    for rules in (chain / "january", chain / "january" / "private" / "rules.json"):
        ran = shoal("apply", rules, CLINIC / "february.csv", "--out", tmp_path / "applied")
        assert (ran.code, "continue the series instead (anonymize --after)" in ran.err) == (2, True)


def test_settings_of_a_series_are_not_compared_nor_changed(chain: Path, tmp_path: Path) -> None:
    ran = shoal("compare", chain / "job.toml", "--k", "3,5", "--out", tmp_path / "compared")
    assert (ran.code, "depend on each other" in ran.err) == (2, True)
    table = write_csv(
        tmp_path / "wide.csv", HEADER, ((f"p{i}", i * 100, f"t{i}", "FM"[i % 2], "xyz"[i % 3]) for i in range(3))
    )
    key = chain / "clinic.key"
    asked = ("--series", f"m-invariance:m=3,person=patient,key={key}", "--max-suppressed", "1", *ROLES)
    ran = done("anonymize", table, *asked, "--out", tmp_path / "wide")
    assert "of little use" in ran.out
    assert "the release is one of a series, whose classes keep what earlier ones promised" in ran.out
    assert "shoal anonymize" not in ran.out


def test_a_series_may_follow_a_release_that_was_passed_on_and_was_wrong(chain: Path, tmp_path: Path) -> None:
    """The corrected release comes after it; who has another value than before is withheld."""
    rows = read_csv(CLINIC / "march.csv")
    known = {row["patient"] for row in read_csv(CLINIC / "february.csv")}
    wrong = next(row for row in rows if row["patient"] in known)
    wrong["diagnosis"] = next(row["diagnosis"] for row in rows if row["diagnosis"] != wrong["diagnosis"])
    table = write_csv(tmp_path / "corrected.csv", HEADER, ([row[name] for name in HEADER] for row in rows))
    march = chain / "march"
    done("anonymize", march, "--input", table, "--after", march, "--out", tmp_path / "corrected")
    found = done("verify", tmp_path / "corrected", "--raw", "--json").json["series"]
    assert found["compared"] == [1, 2, 3]
    assert found["releases"][-1]["withheld"] == 1
    assert found["posterior"] == "1/3"
