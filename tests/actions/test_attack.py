"""Attacks on releases of shoal: what a class covers is found out from its job, and nobody's own record is missed."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.foundation.errors import SpecError

ROOT = Path(__file__).parents[2]
PATIENTS = ROOT / "examples" / "hospital" / "patients.csv"
KEPT = ["ssn", "birth_date", "zip", "sex", "occupation", "diagnosis", "length_of_stay"]
JOBS = ROOT / "examples" / "hospital" / "hierarchies" / "occupation.csv"
DISEASES = {"type": "taxonomy", "path": str(ROOT / "examples" / "hospital" / "hierarchies" / "diagnosis.toml")}
GIVEN: dict[str, Any] = {
    "birth_date": "dates",
    "zip": "masking",
    "sex": "suppression",
    "occupation": {"type": "levels", "path": str(JOBS)},
}


@pytest.fixture(scope="module")
def patients() -> pl.DataFrame:
    return pl.read_csv(PATIENTS, infer_schema=False).select(KEPT).head(600)


def released(patients: pl.DataFrame, **asked: Any) -> shoal.Release:
    settings = {"quasi": GIVEN, "k": 3, "seed": 1, **asked}
    return shoal.anonymize(
        patients, sensitive={"diagnosis": DISEASES}, insensitive=["length_of_stay"], drop=["ssn"], **settings
    )


@pytest.mark.parametrize(
    ("asked", "full"),
    [
        ({"algorithm": "optimal"}, True),
        ({"algorithm": "mondrian"}, False),
        ({"algorithm": "mondrian", "quasi": ["birth_date", "zip", "sex", "occupation"]}, False),
        ({"algorithm": {"name": "mondrian", "mode": "relaxed"}, "quasi": ["birth_date", "zip", "occupation"]}, False),
        ({"algorithm": "optimal", "quasi": ["birth_date", "zip", "sex", "occupation"]}, True),
    ],
)
def test_everybody_matches_their_own_record(patients: pl.DataFrame, asked: dict[str, Any], full: bool) -> None:
    patients = patients.drop([] if "sex" in asked.get("quasi", GIVEN) else ["sex"])
    release = released(patients, **asked)
    found = shoal.attack(release, public=patients, truth=["ssn"], raw=patients)
    link = found.linkage
    assert link is not None
    assert link.truth is not None
    assert link.truth.present == link.truth.found == patients.height
    assert link.fewest >= 3
    assert link.unique == link.truth.unique_right == 0
    assert link.expected == pytest.approx(link.truth.right)
    if full:  # classes do not overlap, so a class of n persons gives one right match
        strict = shoal.attack(release, public=patients, missing="category", attacks=["linkage"]).linkage
        assert strict is not None
        assert strict.expected == pytest.approx(release.certificate["classes"]["count"])
    assert found.similarity["diagnosis"][0].by == "group"


def test_a_folder_tells_all_that_is_needed(patients: pl.DataFrame, tmp_path: Path) -> None:
    patients.write_csv(tmp_path / "patients.csv")
    job = shoal.anonymize(
        tmp_path / "patients.csv",
        quasi=GIVEN,
        sensitive={"diagnosis": DISEASES},
        insensitive=["length_of_stay"],
        drop=["ssn"],
        k=3,
        seed=1,
        algorithm="optimal",
        max_suppressed=0.1,
    )
    job.write(tmp_path / "release")
    found = shoal.attack(tmp_path / "release", public=tmp_path / "patients.csv", truth=["ssn"])
    in_memory = shoal.attack(job, public=patients, truth=["ssn"], raw=patients)
    assert found == in_memory
    link = found.linkage
    assert link is not None
    assert link.truth is not None
    assert link.truth.present == job.certificate["records"]["released"]  # who was suppressed is told apart
    (tmp_path / "patients.csv").rename(tmp_path / "away.csv")
    with pytest.raises(SpecError, match=r"is not available. Give that table \(--raw\)"):
        shoal.attack(tmp_path / "release", public=tmp_path / "away.csv", truth=["ssn"])
    assert (
        shoal.attack(tmp_path / "release", public=tmp_path / "away.csv", truth="ssn", raw=tmp_path / "away.csv")
        == found
    )


def test_two_releases_are_put_together_for_the_table_they_were_made_of(patients: pl.DataFrame) -> None:
    one = released(patients, algorithm="mondrian")
    other = released(patients, algorithm="mondrian", k=4, quasi=["birth_date", "zip", "sex", "occupation"])
    found = shoal.attack(one, other=other, raw=patients, attacks=["composition"]).composition
    assert found is not None
    assert found.by_row is not None
    assert found.promised == (3, 4)
    assert found.possible == patients.height
    assert min(found.alone) >= 3
    assert found.by_row.fewest < 3
    alone, together = found.certain["diagnosis"]
    assert together > alone


def test_a_hierarchy_that_is_not_there_is_told(patients: pl.DataFrame, tmp_path: Path) -> None:
    (tmp_path / "tree.toml").write_text(Path(DISEASES["path"]).read_text(encoding="utf-8"), encoding="utf-8")
    release = shoal.anonymize(
        patients.select("sex", "diagnosis"),
        quasi=["sex"],
        sensitive={"diagnosis": {"type": "taxonomy", "path": str(tmp_path / "tree.toml")}},
        k=3,
        algorithm="optimal",
    )
    (tmp_path / "tree.toml").unlink()
    found = shoal.attack(release)
    assert "No file for the taxonomy" in found.not_run["similarity (diagnosis)"]
    assert found.homogeneity["diagnosis"].records == 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "No quasi column is named"),
        ({"quasi": ["zap"]}, "No column 'zap' in the release, nor any other that is asked for. Did you mean 'zip'?"),
        ({"quasi": ["zip"]}, "There is nothing to attack"),
        ({"quasi": ["zip"], "sensitive": ["zip"]}, "Column 'zip' is given two roles"),
        ({"quasi": ["zip"], "attacks": ["linkige"]}, "Unknown attack 'linkige'. Did you mean 'linkage'?"),
        ({"quasi": ["zip"], "attacks": ["linkage"]}, "The attack 'linkage' needs a public table"),
        ({"quasi": ["zip"], "attacks": ["composition"]}, "needs another release of the same table"),
        ({"quasi": ["zip"], "truth": ["ssn"]}, "identifies persons of a public table, but none is given"),
        ({"quasi": ["zip"], "sensitive": ["diagnosis"], "rule_out": -1}, "-1 values cannot be ruled out"),
        ({"quasi": ["zip"], "sensitive": ["diagnosis"], "gain": 2}, "'gain' is 2: a number from 0 to 1 is needed"),
        ({"quasi": ["zip"], "sensitive": ["diagnosis"], "missing": "drop"}, "'missing' is 'drop'"),
        ({"quasi": {"zip": "maskin"}}, "unknown type of hierarchy 'maskin'. Did you mean 'masking'?"),
    ],
)
def test_a_mistake_is_told(patients: pl.DataFrame, given: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError) as caught:
        shoal.attack(patients, **given)
    assert words in str(caught.value)


def test_a_public_table_must_fit(patients: pl.DataFrame, tmp_path: Path) -> None:
    persons = patients.select(pl.col("zip").alias("code"), "ssn", other="sex")
    with pytest.raises(SpecError, match="has none of the quasi columns of the release"):
        shoal.attack(patients, quasi=["zip"], public=persons)
    found = shoal.attack(patients, quasi=["zip"], public=persons, on={"zip": "code"}, truth=["ssn"]).linkage
    assert found is not None
    assert found.truth is not None
    assert found.truth.found == patients.height
    with pytest.raises(SpecError, match="'sex' is not a quasi column of the release"):
        shoal.attack(patients, quasi=["zip"], public=persons, on=["sex"])
    with pytest.raises(SpecError, match="more than once"):
        shoal.attack(patients, quasi=["zip"], public=patients, truth=["sex"])
    with pytest.raises(SpecError, match=r"it has no job\.toml"):
        shoal.attack(tmp_path, public=persons)


def test_centres_cover_nobody(patients: pl.DataFrame) -> None:
    made = released(patients, quasi=GIVEN | {}, algorithm="mdav")
    with pytest.raises(SpecError, match="centres of clusters"):
        shoal.attack(made, public=patients, truth=["ssn"], raw=patients)
    assert shoal.attack(made, attacks=["homogeneity"]).homogeneity["diagnosis"] is not None
