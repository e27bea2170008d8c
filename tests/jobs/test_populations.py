"""Promises that refer to other files: populations, matrices of distances, hierarchies of sensitive columns."""

import random
import shutil
from pathlib import Path

import pytest

from tests.cli.run import Ran, done, shoal, write_csv

HEAD = """
[input]
path = "raw/data.csv"
[columns.age]
role = "quasi"
hierarchy = { type = "intervals", widths = [5, 10, 20] }
[columns.sex]
role = "quasi"
[columns.ill]
role = "sensitive"
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A sample of a population, with both files in folders of their own."""
    home = tmp_path / "das haus"
    for name in ("raw", "people"):
        (home / name).mkdir(parents=True)
    draw = random.Random(6)  # noqa: S311
    people = [(draw.randrange(20, 60), draw.choice("MF")) for _ in range(900)]
    write_csv(home / "people/all.csv", ("sex", "age", "more"), [(sex, age, "x") for age, sex in people])
    sample = [(*person, draw.choice("abcd")) for person in draw.sample(people, 120)]
    write_csv(home / "raw/data.csv", ("age", "sex", "ill"), sample)
    return home


def _job(home: Path, promise: str, more: str = "") -> Path:
    path = home / "job.toml"
    path.write_text(f"{HEAD}{more}[[require]]\n{promise}[search]\nmax_suppressed = 0.3\nseed = 1\n", encoding="utf-8")
    return path


K_MAP = 'model = "k-map"\nk = 40\npopulation = "people/all.csv"\n'
PRESENCE = 'model = "delta-presence"\nleast = 0\nmost = 0.25\npopulation = "people/all.csv"\n'
EVERYBODY = 'model = "delta-presence"\nleast = 0.02\nmost = 0.25\npopulation = "people/all.csv"\n'


def test_a_population_has_the_texts_that_the_format_of_the_release_keeps(tmp_path: Path) -> None:
    write_csv(tmp_path / "people.csv", ("town",), [("there ",)] * 9 + [("here",)] * 9)
    write_csv(tmp_path / "data.csv", ("town",), [("there ",)] * 4 + [("here",)] * 4)
    promise = '{ model = "k-map", k = 9, population = "people.csv" }'
    job = f'require = [{promise}]\n[input]\npath = "data.csv"\n[columns]\ntown = {{ role = "quasi" }}\n'
    (tmp_path / "job.toml").write_text(job, encoding="utf-8")
    for kind in ("csv", "sav"):  # SPSS keeps no spaces at the end of a text
        out = tmp_path / kind
        found = done(
            "anonymize", tmp_path / "job.toml", "--format", kind, "--algorithm", "optimal", "--out", out, "--json"
        )
        assert found.json["loss"]["total"] == 0
        assert done("verify", out).code == 0


@pytest.mark.parametrize("promise", [K_MAP, PRESENCE, EVERYBODY])
@pytest.mark.parametrize("suppressed", ["drop", "star"])
def test_a_population_from_end_to_end(home: Path, promise: str, suppressed: str) -> None:
    job = _job(home, promise)
    found = done("anonymize", job, "--suppressed", suppressed, "--out", home / "out", "--json").json
    assert found["claims"][0]["holds"] is True
    assert found["claims"][0]["parameters"]["population"] == "all.csv"
    assert done("verify", home / "out", "--json").json["not_derived"] == {}
    again = done("anonymize", home / "out/private/job.toml", "--out", home / "again", "--json").json
    assert again["file"] == found["file"]


@pytest.mark.parametrize("gone", ["people/all.csv", "raw/data.csv"])
def test_without_the_files_the_claim_is_named_as_not_derived(home: Path, gone: str) -> None:
    done("anonymize", _job(home, K_MAP), "--require", "k-anonymity:k=1", "--out", home / "out")
    (home / gone).unlink()
    found = done("verify", home / "out", "--json").json
    assert list(found["not_derived"]) == ["k-map"]
    assert gone in found["not_derived"]["k-map"]
    assert found["verdict"] == "1 claims hold, 1 could not be derived here"
    assert [claim["model"] for claim in found["claims"]] == ["k-anonymity"]
    assert "not derived here: k-map: needs" in done("verify", home / "out").out


def test_with_another_table_the_claim_is_not_derived_either(home: Path) -> None:
    done("anonymize", _job(home, K_MAP), "--out", home / "out")
    write_csv(home / "raw/data.csv", ("age", "sex", "ill", "new"), [(20, "M", "a", "b")])
    assert "No role for column 'new'" in done("verify", home / "out", "--json").json["not_derived"]["k-map"]


def test_a_population_that_shrank_is_refused(home: Path) -> None:
    done("anonymize", _job(home, K_MAP), "--out", home / "out")
    write_csv(home / "people/all.csv", ("sex", "age"), [("M", 20), ("F", 30)])
    ran = shoal("verify", home / "out")
    assert ran.code == 4
    assert "k-map: asked 40, found" in ran.err


def test_a_release_that_was_moved_keeps_what_it_can_show(home: Path, tmp_path: Path) -> None:
    done("anonymize", _job(home, K_MAP), "--out", home / "out")
    moved = shutil.copytree(home / "out", tmp_path / "far" / "away")
    assert list(done("verify", moved, "--json").json["not_derived"]) == ["k-map"]


def test_a_population_lacks_a_column(home: Path) -> None:
    write_csv(home / "people/all.csv", ("age", "more"), [(20, "x")])
    ran = shoal("anonymize", _job(home, K_MAP), "--out", home / "out")
    assert ran.code == 2
    assert "No column 'sex' in" in ran.err


CLOSE = 'model = "t-closeness"\nt = 0.3\ncolumn = "ill"\n'


def _verified(home: Path, job: Path) -> Ran:
    done("anonymize", job, "--out", home / "out")
    again = done("anonymize", home / "out/private/job.toml", "--out", home / "again")
    assert (home / "out/public/data.csv").read_bytes() == (home / "again/public/data.csv").read_bytes()
    assert again.code == 0
    return done("verify", home / "out", "--json")


def test_closeness_by_a_matrix(home: Path) -> None:
    rows = [(a, *(abs(i - j) for j in range(4))) for i, a in enumerate("abcd")]
    write_csv(home / "people/far.csv", ("", *"abcd"), rows)
    job = _job(home, CLOSE + 'distance = "matrix"\ndistances = "people/far.csv"\n')
    assert _verified(home, job).json["not_derived"] == {}
    (home / "people/far.csv").unlink()
    assert "far.csv" in done("verify", home / "out", "--json").json["not_derived"]["t-closeness (ill)"]


def test_closeness_along_a_hierarchy(home: Path) -> None:
    (home / "people/ill.csv").write_text("a;ab;*\nb;ab;*\nc;cd;*\nd;cd;*\n", encoding="utf-8")
    job = _job(home, CLOSE + 'distance = "hierarchical"\n')
    text = job.read_text(encoding="utf-8")
    recipe = '[columns.ill]\nhierarchy = { type = "levels", path = "people/ill.csv" }'
    job.write_text(text.replace("[columns.ill]", recipe), encoding="utf-8")
    assert _verified(home, job).json["not_derived"] == {}
    (home / "people/ill.csv").unlink()
    assert "ill.csv" in done("verify", home / "out", "--json").json["not_derived"]["t-closeness (ill)"]
