"""The job of a release is run again: clusters, rules and bounds are compared."""

import re
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.actions.anonymize import counted_of, release_of
from shoal.actions.verification import repeated
from shoal.actions.verification.raw_table import RawTable
from shoal.actions.verification.repeated import repeat
from shoal.clusters.centre_distances import noise
from shoal.foundation.errors import CertificateError
from shoal.releases.claims.reading import claims_in
from shoal.tables.location import FileLocation
from tests.actions.verification.test_raw_table import INTERVALS, people, written
from tests.forging import forge, relist, stated


def refused(out: Path, change: Any, words: str) -> None:
    forge(out / "private/certificate.json", change)
    with pytest.raises(CertificateError, match=words):
        shoal.verify(out, raw=True, bound=True)


def test_a_bound_is_derived_by_searching_again(tmp_path: Path) -> None:
    out = written(tmp_path, algorithm="optimal")

    def change(told: dict[str, Any]) -> None:
        told["loss"]["bound"] /= 2
        told["loss"]["ratio"] *= 2
        told["algorithm"] |= {"guarantee": "factor", "factor": 2.0}

    forge(out / "private/certificate.json", change)
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

    def change(told: dict[str, Any]) -> None:
        told["clusters"]["objectives"][name] *= 1.001

    refused(out, change, words)


@pytest.mark.parametrize("radius", ["own", "largest"])
def test_radii_are_derived_by_other_code_than_that_of_the_maker(
    tmp_path: Path, radius: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A maker that tells a wrong radius tells the same again."""
    raw = RawTable.of(claims_in(written(tmp_path, algorithm="mdav", radius=radius)), True)
    made = release_of(raw.source(), counted_of(raw.source()))
    assert made.run.gathered is not None
    radii = made.run.gathered.frame["radius"].cast(pl.Float64)
    for number in range(len(radii)):
        wrong = radii.scatter(number, radii[number] * 1.001 + 1e-6).cast(pl.String)
        told = replace(made.run.gathered, frame=made.run.gathered.frame.with_columns(wrong))
        remade = SimpleNamespace(certificate=made.certificate, run=replace(made.run, gathered=told))
        monkeypatch.setattr(repeated, "made_of", lambda *_, remade=remade: remade)
        told.frame.write_csv(tmp_path / "wrong.csv")
        places = {**raw.claims.locations, "clusters": FileLocation(tmp_path / "wrong.csv")}
        with pytest.raises(CertificateError, match="differ in the radii of the clusters"):
            repeat(replace(raw, claims=replace(raw.claims, locations=places)))


def test_another_table_with_fewer_columns_is_another_release(tmp_path: Path) -> None:
    out = written(tmp_path, algorithm="mondrian")
    claims = claims_in(out)
    for name, other in (("fewer", ["age", "sex", "job"]), ("more", ["age", "sex", "job", "ill", "copy"])):
        data = pl.read_csv(out / "public/data.csv", infer_schema=False).with_columns(copy="sex")
        data.select(other).write_csv(tmp_path / f"{name}.csv")
        moved = replace(claims, locations={"records": FileLocation(tmp_path / f"{name}.csv")})
        with pytest.raises(CertificateError, match="makes a different release"):
            repeat(RawTable.of(moved, True))


def test_all_that_is_derived_must_be_told(tmp_path: Path) -> None:
    raw = RawTable.of(claims_in(written(tmp_path, algorithm="mondrian")), True)
    assert repeat(raw) is None
    less = {key: part for key, part in raw.claims.certificate.items() if key != "blind"}
    with pytest.raises(CertificateError, match="The raw table and the certificate differ in blind"):
        repeat(RawTable.of(replace(raw.claims, certificate=less), True))
    earlier = {key: part for key, part in less.items() if key != "schema"}
    assert repeat(RawTable.of(replace(raw.claims, certificate=earlier), True)) is None


def test_another_version_may_make_another_release(tmp_path: Path) -> None:
    raw = RawTable.of(claims_in(written(tmp_path, algorithm="mondrian")), True)
    told = replace(raw.claims, certificate={**raw.claims.certificate, "shoal": "0.0.1"})
    assert repeat(RawTable.of(told, True)) is None
    other = repeat(RawTable.of(told, people(60, seed=9)))
    assert other is not None
    assert re.fullmatch(r"shoal [\d.]+ makes another release than the version that made this one", other)


def test_the_cost_of_a_centre_is_part_of_the_loss(tmp_path: Path) -> None:
    out = written(tmp_path, algorithm={"name": "cellular", "setup": 0.5})
    assert shoal.verify(out, raw=True).not_derived == {}

    def change(told: dict[str, Any]) -> None:
        told["loss"] |= {"total": told["loss"]["total"] + 1, "ratio": None, "bound": None}
        told["clusters"]["bound"] = None

    refused(out, change, r"differ in .*loss\.total.*, the loss of the clusters")


def test_clusters_of_equal_records_have_no_radius_but_what_rounding_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alike = pl.DataFrame({"age": [20, 20, 30, 30], "ill": ["u", "v", "u", "v"]})
    raw = RawTable.of(claims_in(written(tmp_path, alike, quasi=["age"], k=2, algorithm="mdav")), True)
    assert repeat(raw) is None
    made = release_of(raw.source(), counted_of(raw.source()))
    assert made.run.gathered is not None
    rounding = len(alike) * noise(made.run.gathered.distances.metric) ** 2
    for squares, holds in ((0.9 * rounding, True), (1.1 * rounding, False)):
        told = deepcopy(raw.claims.certificate)
        told["clusters"]["objectives"]["sse"] = squares
        remade = SimpleNamespace(certificate=told, run=made.run)
        monkeypatch.setattr(repeated, "made_of", lambda *_, remade=remade: remade)
        with nullcontext() if holds else pytest.raises(CertificateError, match="the objectives of the clusters"):
            repeat(RawTable.of(replace(raw.claims, certificate=told), True))


def test_a_release_by_rules_is_applied_again(tmp_path: Path) -> None:
    first = written(tmp_path, algorithm="optimal", quasi={"age": INTERVALS, "sex": None, "job": None})
    people(80, seed=5).write_csv(tmp_path / "next.csv")
    shoal.apply(first, tmp_path / "next.csv", failing="suppress", max_suppressed=0.9).write(tmp_path / "applied")
    found = shoal.verify(tmp_path / "applied", raw=True)
    assert set(found.told) == {"shoal", "told", "rules.sha256"}
    assert found.told["told"]["remark"] == "made by the rules of another release, without a search"
    forge(tmp_path / "applied/private/certificate.json", lambda told: told["rules"].update(idle_classes=7))
    with pytest.raises(CertificateError, match=r"differ in rules\.idle_classes"):
        shoal.verify(tmp_path / "applied", raw=True)


@pytest.mark.parametrize(
    ("later", "outside", "failing"), [(["a"] * 3 + ["b"], 0, 1), (["a"] * 3 + ["b", "z"], 1, 1), (["a", "b"] * 3, 0, 0)]
)
def test_records_are_suppressed_again_if_they_were(
    tmp_path: Path, later: list[str], outside: int, failing: int
) -> None:
    first = written(tmp_path, pl.DataFrame({"job": ["a", "b"] * 4, "ill": ["u", "v"] * 4}), quasi=["job"])
    later_table = pl.DataFrame({"job": later, "ill": ["u"] * len(later)})
    later_table.write_csv(tmp_path / "next.csv")
    shoal.apply(first, tmp_path / "next.csv", failing="suppress", max_suppressed=0.9).write(tmp_path / "applied")
    found = stated(tmp_path / "applied/private/certificate.json")["rules"]
    assert (found["outside"], found["failing"]) == (outside, failing)
    assert shoal.verify(tmp_path / "applied", raw=True).not_derived == {}
    raw = later_table.with_columns(job=pl.lit("a")).vstack(later_table[-1:].with_columns(job=pl.lit("b")))
    words = "makes a different release" if failing else "makes no release"
    with pytest.raises(CertificateError, match=words):
        shoal.verify(tmp_path / "applied", raw=raw)


def test_another_seed_makes_another_release(tmp_path: Path) -> None:
    out = written(tmp_path, algorithm="mdav")
    job = out / "private/job.toml"
    text = job.read_text(encoding="utf-8")
    job.write_text(text.replace("k = 3", "k = 2"), encoding="utf-8")
    forge(
        out / "private/certificate.json",
        lambda told: [one.update(asked=2, parameters={"k": 2}) for one in told["claims"]],
    )
    forge(out / "private/certificate.json", lambda told: told["clusters"].update(claims=told["claims"]))
    relist(out)
    assert shoal.verify(out).verdict == "all claims hold"
    with pytest.raises(CertificateError, match="makes a different release"):
        shoal.verify(out, raw=True)


def test_a_search_that_was_limited_in_time_may_come_to_another_release(tmp_path: Path) -> None:
    out = written(tmp_path, people(200), algorithm="mondrian", time_limit=1000.0)
    job = out / "private/job.toml"
    text = job.read_text(encoding="utf-8")
    assert '"mondrian"' in text
    job.write_text(text.replace('"mondrian"', '"top-down"'), encoding="utf-8")
    forge(out / "private/certificate.json", lambda told: told["algorithm"].update(name="top-down"))
    found = shoal.verify(out, raw=True, bound=True)
    assert "limited in time" in found.not_derived["search"]
    assert "loss.bound" in found.told
    assert "loss.total" not in found.told


def test_a_job_that_makes_no_release_is_told(tmp_path: Path) -> None:
    out = written(tmp_path, algorithm="optimal", max_suppressed=0.3)
    few = pl.DataFrame({"age": ["20"], "sex": ["M"], "job": ["a"], "ill": ["u"]})
    with pytest.raises(CertificateError, match="run again on the raw table, makes no release"):
        repeat(RawTable.of(claims_in(out), few))
