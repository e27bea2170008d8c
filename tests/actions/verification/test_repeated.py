"""The job of a release is run again: clusters, rules and bounds are compared."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.actions.verification.raw_table import RawTable
from shoal.actions.verification.repeated import repeat
from shoal.foundation.errors import CertificateError
from shoal.releases.claims.reading import claims_in
from tests.actions.verification.test_raw_table import INTERVALS, people, written
from tests.forging import forge, relist


def refused(out: Path, change: Any, words: str) -> None:
    forge(out / "certificate.json", change)
    with pytest.raises(CertificateError, match=words):
        shoal.verify(out, raw=True, bound=True)


def test_a_bound_is_derived_by_searching_again(tmp_path: Path) -> None:
    out = written(tmp_path, algorithm="optimal")

    def change(told: dict[str, Any]) -> None:
        told["loss"]["bound"] /= 2
        told["loss"]["ratio"] *= 2
        told["algorithm"] |= {"guarantee": "factor", "factor": 2.0}

    forge(out / "certificate.json", change)
    assert shoal.verify(out, raw=True).told["loss.ratio"] == 2
    different = "loss.bound, loss.ratio, algorithm.guarantee, algorithm.factor"
    with pytest.raises(CertificateError, match=f"The raw table and the certificate differ in {different}"):
        shoal.verify(out, raw=True, bound=True)


def test_minimal_generalizations_are_derived(tmp_path: Path) -> None:
    out = written(tmp_path, algorithm="incognito")
    refused(out, lambda told: told["algorithm"]["minimal"].pop(), "differ in algorithm.minimal")


@pytest.mark.parametrize("shape", ["both", "records", "clusters"])
@pytest.mark.parametrize("radius", ["own", "largest"])
def test_clusters_are_put_to_the_raw_table(tmp_path: Path, shape: str, radius: str) -> None:
    asked: dict[str, Any] = {"radius": radius} if shape != "records" else {}
    out = written(tmp_path, algorithm="mdav", shape=shape, **asked)
    found = shoal.verify(out, raw=True)
    assert set(found.told) == {"shoal", "told"}
    assert found.not_derived == {}


@pytest.mark.parametrize("name", ["distortion", "sse"])
def test_what_clusters_cost_is_derived(tmp_path: Path, name: str) -> None:
    out = written(tmp_path, algorithm="r-gather")
    assert shoal.verify(out, raw=True).not_derived == {}
    words = f"differ in clusters.objectives.{name}, the objectives of the clusters"
    refused(out, lambda told: told["clusters"]["objectives"].update({name: 1.0}), words)


def test_the_cost_of_a_centre_is_part_of_the_loss(tmp_path: Path) -> None:
    out = written(tmp_path, algorithm={"name": "cellular", "setup": 0.5})
    assert shoal.verify(out, raw=True).not_derived == {}

    def change(told: dict[str, Any]) -> None:
        told["loss"] |= {"total": told["loss"]["total"] + 1, "ratio": None, "bound": None}
        told["clusters"]["bound"] = None

    refused(out, change, r"differ in .*loss\.total.*, the loss of the clusters")


def test_a_release_by_rules_is_applied_again(tmp_path: Path) -> None:
    first = written(tmp_path, algorithm="optimal", quasi={"age": INTERVALS, "sex": None, "job": None})
    people(80, seed=5).write_csv(tmp_path / "next.csv")
    shoal.apply(first, tmp_path / "next.csv", failing="suppress", max_suppressed=0.9).write(tmp_path / "applied")
    found = shoal.verify(tmp_path / "applied", raw=True)
    assert set(found.told) == {"shoal", "told", "rules.sha256"}
    assert found.told["told"]["remark"] == "made by the rules of another release, without a search"
    forge(tmp_path / "applied/certificate.json", lambda told: told["rules"].update(idle_classes=7))
    with pytest.raises(CertificateError, match=r"differ in rules\.idle_classes"):
        shoal.verify(tmp_path / "applied", raw=True)


def test_another_seed_makes_another_release(tmp_path: Path) -> None:
    out = written(tmp_path, algorithm="mdav")
    job = out / "job.toml"
    text = job.read_text(encoding="utf-8")
    job.write_text(text.replace("k = 3", "k = 2"), encoding="utf-8")
    forge(out / "certificate.json", lambda told: [one.update(asked=2, parameters={"k": 2}) for one in told["claims"]])
    forge(out / "certificate.json", lambda told: told["clusters"].update(claims=told["claims"]))
    relist(out)
    assert shoal.verify(out).verdict == "all claims hold"
    with pytest.raises(CertificateError, match="makes another release than this"):
        shoal.verify(out, raw=True)


def test_a_search_that_was_limited_in_time_may_come_to_another_release(tmp_path: Path) -> None:
    out = written(tmp_path, people(200), algorithm="mondrian", time_limit=1000.0)
    job = out / "job.toml"
    text = job.read_text(encoding="utf-8")
    assert '"mondrian"' in text
    job.write_text(text.replace('"mondrian"', '"top-down"'), encoding="utf-8")
    forge(out / "certificate.json", lambda told: told["algorithm"].update(name="top-down"))
    found = shoal.verify(out, raw=True, bound=True)
    assert "limited in time" in found.not_derived["search"]
    assert "loss.bound" in found.told
    assert "loss.total" not in found.told


def test_a_job_that_makes_no_release_is_told(tmp_path: Path) -> None:
    out = written(tmp_path, algorithm="optimal", max_suppressed=0.3)
    few = pl.DataFrame({"age": ["20"], "sex": ["M"], "job": ["a"], "ill": ["u"]})
    with pytest.raises(CertificateError, match="run again on the raw table, makes no release"):
        repeat(RawTable.of(claims_in(out), few))
