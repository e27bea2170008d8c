"""The files that a steward's promises need: what is derived, and what is said, if one is gone or another."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.certificate import CERTIFICATE
from shoal.foundation.errors import CertificateError, SpecError
from shoal.jobs.disclosure import PUBLIC
from shoal.jobs.job import JOB_FILE
from shoal.jobs.release_folder import ReleaseFolder
from shoal.releases.claims.steward_claims import check_release, steward_claims
from shoal.tables.location import TableLocation
from tests.forging import forge_first as forge
from tests.forging import made_first

FILES = {
    "people.csv": "age,ill,sex\n" + "".join(f"{20 + i % 2},{'abcaab'[i % 6]},{'FM'[i % 2]}\n" for i in range(24)),
    "all.csv": "age\n" + "20\n21\n" * 20,
    "others.csv": "age\n" + "20\n21\n" * 30,
    "ages.csv": "20;young;*\n21;young;*\n",
    "tree.csv": "a;x;*\nb;x;*\nc;y;*\n",
    "sexes.csv": "F;*\nM;*\n",
    "matrix.csv": ",F,M\nF,0,1\nM,1,0\n",
}
LEVELS = {name: {"type": "levels", "path": f"{name}.csv"} for name in ("ages", "tree", "sexes")}
ASKED: dict[str, dict[str, Any]] = {
    "measured": {
        "sensitive": {"ill": LEVELS["tree"], "sex": LEVELS["sexes"]},
        "require": [
            {"model": "t-closeness", "t": 1, "column": "ill", "distance": "hierarchical"},
            {"model": "t-closeness", "t": 1, "column": "sex", "distance": "matrix", "distances": "matrix.csv"},
        ],
    },
    "outside": {
        "sensitive": {"ill": LEVELS["tree"], "sex": None},
        "require": [
            {"model": "k-map", "k": 3, "population": "all.csv"},
            {"model": "delta-presence", "least": 0, "most": 1, "population": "others.csv"},
        ],
    },
}
OUTSIDE = {"k-map", "delta-presence"}
NEEDED: dict[tuple[str, str], set[str]] = {
    ("measured", "tree.csv"): {"t-closeness (ill)"},
    ("measured", "matrix.csv"): {"t-closeness (sex)"},
    ("measured", "sexes.csv"): set(),
    ("measured", "ages.csv"): set(),
    ("measured", "people.csv"): set(),
    ("outside", "all.csv"): OUTSIDE,
    ("outside", "others.csv"): OUTSIDE,
    ("outside", "people.csv"): OUTSIDE,
    ("outside", "ages.csv"): OUTSIDE,
    ("outside", "tree.csv"): OUTSIDE,
}
"""The promises that cannot be derived without a file; outside tables are read with the input and its hierarchies."""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for kind, asked in ASKED.items():
            made = shoal.anonymize("people.csv", quasi={"age": LEVELS["ages"]}, k=4, algorithm="optimal", **asked)
            made.write(kind)
    return folder


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    """Return a copy of the files and their releases, without public certificates, which would deny forged ones."""
    copy = Path(shutil.copytree(original, tmp_path / "copy"))
    for kind in ASKED:
        made_first(copy / kind)
        (copy / kind / "public" / PUBLIC).unlink()
    return copy


def _stated(release: Path) -> list[dict[str, Any]]:
    claims: list[dict[str, Any]] = json.loads((release / "private" / CERTIFICATE).read_bytes())["claims"]
    return claims


def _derived_but(release: Path, names: set[str]) -> dict[str, str]:
    """Check that all promises are derived but some; return why these are not."""
    found = shoal.verify(release)
    assert set(found.not_derived) == names
    others = [f"{claim['model']} ({claim['parameters'].get('column')})" for claim in _stated(release)]
    kept = [not any(text.startswith(name) for name in names) for text in others]
    assert found.as_dict()["claims"] == [claim for claim, true in zip(_stated(release), kept, strict=True) if true]
    return found.not_derived


@pytest.mark.parametrize("kind", ASKED)
def test_all_is_derived_beside_the_files(folder: Path, kind: str) -> None:
    _derived_but(folder / kind, set())


@pytest.mark.parametrize(("kind", "name"), NEEDED)
def test_without_a_file_the_promises_that_need_it_are_not_derived(folder: Path, kind: str, name: str) -> None:
    (folder / name).unlink()
    for promise, reason in _derived_but(folder / kind, NEEDED[kind, name]).items():
        other = name in ("all.csv", "others.csv") and (promise == "k-map") != (name == "all.csv")
        assert reason.startswith("needs '") is not other
        assert name in reason


def test_a_file_that_is_not_there_is_named_before_one_that_is_broken(folder: Path) -> None:
    (folder / "all.csv").unlink()
    (folder / "others.csv").write_text("sex\nF\n", encoding="utf-8")
    reasons = _derived_but(folder / "outside", OUTSIDE)
    assert reasons["k-map"].startswith("needs '")
    assert not reasons["delta-presence"].startswith("needs '")


def test_an_outside_table_that_cannot_be_counted_is_told(folder: Path) -> None:
    (folder / "all.csv").write_text("sex\nF\n", encoding="utf-8")
    reasons = _derived_but(folder / "outside", OUTSIDE)
    assert all("age" in reason for reason in reasons.values())


@pytest.mark.parametrize("name", ["all.csv", "others.csv"])
def test_another_outside_table_is_told_by_the_figures(folder: Path, name: str) -> None:
    (folder / name).write_text(FILES[name] + "20\n21\n", encoding="utf-8")
    with pytest.raises(CertificateError, match="differ in the claim"):
        shoal.verify(folder / "outside")


def test_a_hierarchy_that_does_not_know_the_values_any_more_is_told(folder: Path) -> None:
    (folder / "tree.csv").write_text("a;x;*\nb;x;*\n", encoding="utf-8")
    with pytest.raises(SpecError, match="lacks 1 of"):
        shoal.verify(folder / "measured")
    (folder / "tree.csv").write_text("a;x;*\nb;y;*\nc;x;*\n", encoding="utf-8")
    (folder / "sexes.csv").write_text("none;*\n", encoding="utf-8")  # nobody measures along this one
    with pytest.raises(CertificateError, match=r"differ in the claim t-closeness \(ill\)\.$"):
        shoal.verify(folder / "measured")


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "model": lambda claim: claim.update(model="k-anonymity"),
    "asked": lambda claim: claim.update(asked=99),
    "parameters": lambda claim: claim["parameters"].update(distance="equal"),
    "holds": lambda claim: claim.update(holds=False),
    "more": lambda claim: claim.update(more=1),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_a_claim_that_cannot_be_derived_is_still_the_one_that_was_asked_for(folder: Path, kind: str) -> None:
    (folder / "tree.csv").unlink()
    forge(folder / "measured" / "private" / CERTIFICATE, lambda told: told["claims"][1].update(achieved=0.5))
    _derived_but(folder / "measured", {"t-closeness (ill)"})
    forge(folder / "measured" / "private" / CERTIFICATE, lambda told: CHANGES[kind](told["claims"][1]))
    with pytest.raises(CertificateError, match=r"differ in the claim t-closeness \(ill\)\.$"):
        shoal.verify(folder / "measured")


def test_every_promise_has_a_claim(folder: Path) -> None:
    (folder / "matrix.csv").unlink()
    forge(folder / "measured" / "private" / CERTIFICATE, lambda told: told["claims"].clear())
    with pytest.raises(CertificateError, match="differ in the number of claims, the claim k-anonymity, the claim t-"):
        shoal.verify(folder / "measured")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    data = pl.DataFrame({"age": ["1", "2"] * 4, "ill": [*"abcd" * 2]})
    asked: dict[str, Any] = {"quasi": ["age"], "sensitive": ["ill"], "k": 2}
    kinds: dict[str, dict[str, Any]] = {
        "file": asked,
        "table": {**asked, "output": f"sqlite:///{folder}/a.db", "output_table": "given"},
        "wildcard": {**asked, "missing": "wildcard"},
    }
    for name, more in kinds.items():
        shoal.anonymize(data, **more).write(folder / name)
    return folder


def test_a_release_of_a_steward_has_a_certificate_and_a_job(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=rf"has neither {CERTIFICATE} nor {PUBLIC}"):
        check_release(tmp_path)
    for one, other in ((CERTIFICATE, JOB_FILE), (JOB_FILE, CERTIFICATE)):
        (tmp_path / one).write_text("", encoding="utf-8")
        with pytest.raises(SpecError, match=f"it has no {other}"):
            check_release(tmp_path)
        (tmp_path / other).write_text("", encoding="utf-8")
        check_release(tmp_path)
        (tmp_path / one).unlink()
        (tmp_path / other).unlink()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda told: told.update(clusters={"shape": "records"}), "what is released of clusters"),
        (lambda told: told["missing"].update(reading="wildcard"), "how missing values are read"),
        (lambda told: told.update(escape_formulas=True), "whether formulas are quoted"),
        (lambda told: told["file"].update(columns=["age"]), "the columns"),
    ],
)
def test_certificate_and_job_agree(small: Path, tmp_path: Path, change: Any, words: str) -> None:
    copy = Path(shutil.copytree(small / "file", tmp_path / "copy"))
    forge(copy / "private" / CERTIFICATE, change)
    with pytest.raises(CertificateError, match=f"The certificate and the job beside it differ in {words}"):
        steward_claims(ReleaseFolder.of(copy), None)


def test_a_job_that_cannot_be_read_is_refused(small: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(small / "file", tmp_path / "copy"))
    (copy / "private" / JOB_FILE).write_text("[", encoding="utf-8")
    with pytest.raises(CertificateError, match="The job of the release is not as it was written"):
        steward_claims(ReleaseFolder.of(copy), None)


def test_where_the_release_is_and_how_missing_values_are_read(small: Path, tmp_path: Path) -> None:
    assert not steward_claims(ReleaseFolder.of(small / "file"), None).wildcard
    assert steward_claims(ReleaseFolder.of(small / "wildcard"), None).wildcard
    with pytest.raises(SpecError, match="is a file, and not in a database"):
        steward_claims(ReleaseFolder.of(small / "file"), f"sqlite:///{tmp_path}/b.db")
    for url, file in ((None, small / "a.db"), (f"sqlite:///{tmp_path}/b.db", tmp_path / "b.db")):
        place = steward_claims(ReleaseFolder.of(small / "table"), url).locations["records"]
        assert isinstance(place, TableLocation)
        assert place.database.file is not None
        assert place.database.file.resolve() == file.resolve()
