"""The charges that a steward keeps prove the bound of a release again, without a search."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.actions import verify as verification
from shoal.foundation.errors import CertificateError, SpecError
from shoal.releases.charges import NAME, RowCharges
from tests.actions.verification.test_raw_table import INTERVALS, ROLES, people
from tests.forging import forge, put, relist, stated

TREES = {"age": INTERVALS, "sex": "suppression"}


def released(folder: Path, **asked: Any) -> Path:
    people(60).drop("job").write_csv(folder / "raw.csv")
    plain = {"quasi": TREES, "k": 3, "seed": 1, "algorithm": {"name": "tightest", "effort": 1}, "measure": "lm"}
    shoal.anonymize(folder / "raw.csv", **{**ROLES, **plain, **asked}).write(folder / "out")
    return folder / "out"


def certificate(release: Path) -> Path:
    return release / "private" / "certificate.json"


def changed(release: Path, change: Any) -> None:
    """Change the charges of a release, and list its files anew."""
    path = release / "private" / NAME
    content = json.loads(path.read_bytes())
    change(content)
    path.write_text(json.dumps(content))
    relist(release)


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"max_suppressed": 0.3, "suppressed": "star", "measure": "stars"},
        {"quasi": {"age": "ranges", "sex": "suppression"}, "measure": "entropy"},
        {"require": [{"model": "frequency-l-diversity", "l": 3, "column": "ill"}]},
        {"require": [{"model": "t-closeness", "t": 0.3, "column": "ill"}], "max_suppressed": 0.1},
        {"require": [{"model": "beta-likeness", "beta": 1, "column": "ill"}]},
        {"require": [{"model": "recursive-cl-diversity", "c": 1.5, "l": 2, "column": "ill"}]},
    ],
)
def test_the_charges_prove_the_bound_without_a_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any]
) -> None:
    release = released(tmp_path, **asked)
    told = stated(certificate(release))["loss"]
    monkeypatch.setattr(verification, "repeat", None)
    found = shoal.verify(release, raw=True, witness=True)
    assert found.proven is not None
    assert told["witness"] > 0
    assert found.proven >= told["witness"] * (1 - 1e-9)
    assert "loss.witness" not in found.told
    assert ("loss.bound" in found.told) == (told["bound"] > found.proven * (1 + 1e-9))


def test_without_being_asked_nothing_is_proven(tmp_path: Path) -> None:
    found = shoal.verify(released(tmp_path), raw=True)
    assert found.proven is None
    assert {"loss.bound", "loss.ratio", "loss.witness"} <= found.told.keys()


def test_a_bound_above_what_the_charges_prove_is_told(tmp_path: Path) -> None:
    release = released(tmp_path)

    def above(content: dict[str, Any]) -> None:
        loss = content["loss"]
        loss["bound"] = (loss["total"] + loss["bound"]) / 2
        loss["ratio"] = loss["total"] / loss["bound"]

    assert stated(certificate(release))["loss"]["ratio"] > 1.001
    forge(certificate(release), above)
    found = shoal.verify(release, raw=True, witness=True)
    assert "loss.bound" in found.told
    with pytest.raises(CertificateError, match=r"loss\.bound"):
        shoal.verify(release, raw=True, bound=True)


def test_more_than_the_charges_prove_is_not_believed(tmp_path: Path) -> None:
    release = released(tmp_path)

    def more(content: dict[str, Any]) -> None:
        content["charges"] = [charge + 2 ** (content["unit"] - 6) for charge in content["charges"]]

    def told(content: dict[str, Any]) -> None:
        content["loss"]["witness"] = content["loss"]["bound"]

    changed(release, more)
    put(certificate(release), stated(certificate(release)))
    with pytest.raises(CertificateError, match="what the charges prove"):
        shoal.verify(release, raw=True, witness=True)
    forge(certificate(release), told)
    with pytest.raises(CertificateError, match="what the charges prove"):
        shoal.verify(release, raw=True, witness=True)


def test_what_is_told_to_be_proven_is_no_more_than_the_bound(tmp_path: Path) -> None:
    release = released(tmp_path)
    forge(certificate(release), lambda content: content["loss"].update(witness=content["loss"]["bound"] * 1.01))
    with pytest.raises(CertificateError, match="the bound and what proves it"):
        shoal.verify(release)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda content: content["charges"].pop(), "different rows"),
        (lambda content: content["charges"].__setitem__(0, 2**62), "larger than all"),
        (lambda content: content["charges"].__setitem__(0, 2**70), "not as it was written"),
        (lambda content: content["charges"].__setitem__(0, 0.5), "not as it was written"),
        (lambda content: content["charges"].__setitem__(0, True), "not as it was written"),
        (lambda content: content.update(charges=3), "not as it was written"),
        (lambda content: content.pop("unit"), "not as it was written"),
        (lambda content: content.update(unit=-1), "not as it was written"),
        (lambda content: content.update(unit=1_001), "not as it was written"),
        (lambda content: content.update(column=3), "not as it was written"),
        (lambda content: content.update(column="ill"), "no promise caps how frequent these are"),
        (lambda content: content.update(column="sex"), "no sensitive column"),
        (lambda content: content.clear(), "not as it was written"),
    ],
)
def test_charges_that_are_none_are_refused(tmp_path: Path, change: Any, words: str) -> None:
    release = released(tmp_path)
    changed(release, change)
    with pytest.raises(CertificateError, match=words):
        shoal.verify(release, raw=True, witness=True)


def test_charges_are_a_list(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("[" * 100_000)
    with pytest.raises(CertificateError, match="not as it was written"):
        RowCharges.read(tmp_path)


def test_charges_prove_nothing_of_a_loss_by_weights(tmp_path: Path) -> None:
    """They speak of records that count alike: of such a loss they may be more than the optimum."""
    people(60).drop("job").with_columns(w=pl.Series(["1", "2"] * 30)).write_csv(tmp_path / "raw.csv")
    asked: dict[str, Any] = {"quasi": TREES, "k": 3, "seed": 1, "measure": "lm", "algorithm": "mondrian"}
    like = tmp_path / "out"
    shoal.anonymize(tmp_path / "raw.csv", **{**ROLES, **asked}, sampling_weights="w").write(like)
    (like / "private" / NAME).write_bytes(RowCharges(0, None, np.zeros(60, dtype=np.int64)).text())
    forge(certificate(like), lambda content: content["loss"].update(witness=0.0))
    with pytest.raises(CertificateError, match="by sampling weights"):
        shoal.verify(like, raw=True, witness=True)


def test_a_release_lists_its_charges(tmp_path: Path) -> None:
    release = released(tmp_path)
    (release / "private" / NAME).unlink()
    with pytest.raises(CertificateError, match=NAME):
        shoal.verify(release)


def test_a_bound_is_proven_in_the_raw_table(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="--raw"):
        shoal.verify(released(tmp_path), witness=True)


def test_a_search_that_was_cut_short_leaves_a_bound_that_is_proven(tmp_path: Path) -> None:
    """Such a search need not make the same release again; what it charged can be looked at in any case."""
    found = shoal.verify(released(tmp_path, time_limit=1), raw=True, bound=True)
    assert found.proven is not None
    assert not {"loss.bound", "loss.ratio", "loss.witness"} & found.told.keys()


def test_a_release_without_charges_has_none_to_prove(tmp_path: Path) -> None:
    release = released(tmp_path, algorithm="incognito")
    assert not (release / "private" / NAME).exists()
    assert "witness" not in stated(certificate(release))["loss"]
    assert shoal.verify(release, raw=True, witness=True).proven is None
