"""Verification of clusters: any change shows, and the radius is put to the raw table where it is at hand."""

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal import CertificateError, anonymize, verify
from shoal.certificate import sealed, text_of
from tests.cli.run import done, read_csv, shoal, write_csv
from tests.forging import made_first, stated
from tests.releases.test_cluster_release import released, table

Rows = list[dict[str, str]]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clusters")
    table().write_csv(folder / "data.csv")
    more = [{"model": "distinct-l-diversity", "l": 1, "column": "ill"}]
    released(folder / "data.csv", require=more, seed=2).write(folder / "out")
    return folder


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    """A copy of the table and its release."""
    return Path(shutil.copytree(original, tmp_path / "copy"))


def _rewrite(path: Path, change: Callable[[Rows], Rows]) -> None:
    rows = change(read_csv(path))
    write_csv(path, list(rows[0]), [list(row.values()) for row in rows])


def _forge(out: Path, change: Callable[[dict[str, Any]], object] = lambda content: None) -> None:
    """Seal a certificate anew, with the digests of the files as they are; the public one, which would deny it, goes."""
    made_first(out)
    (out / "public/certificate-public.json").unlink(missing_ok=True)
    content = stated(out / "private/certificate.json")
    for part in (content, content["clusters"]):
        digest = hashlib.sha256((out / "public" / part["file"]["name"]).read_bytes()).hexdigest()
        part["file"]["sha256"] = digest
    change(content)
    (out / "private/certificate.json").write_bytes(text_of(sealed(content)))


def test_all_is_derived_beside_the_table_and_all_but_the_radius_elsewhere(folder: Path, tmp_path: Path) -> None:
    assert verify(folder / "out").not_derived == {}
    shown = done("verify", folder / "out").out
    assert shown.startswith("verdict: all claims hold, and the files are those that were certified\n")
    moved = shutil.copytree(folder / "out", tmp_path / "far" / "out")
    found = verify(moved)
    assert list(found.not_derived) == ["radius"]
    assert found.not_derived["radius"].startswith("needs '")
    assert found.verdict == "2 claims hold, 1 could not be derived here"
    assert "not derived here: radius: needs" in done("verify", moved).out


CHANGES: dict[str, Callable[[Rows], Rows]] = {
    "a size": lambda rows: [{**rows[0], "records": str(int(rows[0]["records"]) + 1)}, *rows[1:]],
    "a radius": lambda rows: [{**rows[0], "radius": "0"}, *rows[1:]],
    "a value": lambda rows: [{**row, "ill": row["ill"].replace("flu", "cold")} for row in rows],
    "a row gone": lambda rows: rows[1:],
    "a row doubled": lambda rows: [*rows, rows[0]],
    "rows moved": lambda rows: [*rows[1:], rows[0]],
    "a centre": lambda rows: [{**rows[0], "age": "1"}, *rows[1:]],
}


@pytest.mark.parametrize("kind", CHANGES)
def test_any_change_of_the_clusters_is_refused(folder: Path, kind: str) -> None:
    _rewrite(folder / "out/public/clusters.csv", CHANGES[kind])
    ran = shoal("verify", folder / "out")
    assert ran.code == 4
    assert "'public/clusters.csv' is not the one that was certified: its digest differs" in ran.err


def _larger(rows: Rows) -> Rows:
    """Add a record to a cluster, its size and its values, and nothing else."""
    told = [json.loads(rows[0][column]) for column in ("ill", "job")]
    for values in told:
        first = next(iter(values))
        values[first] += 1
    cells = {name: json.dumps(v, ensure_ascii=False) for name, v in zip(("ill", "job"), told, strict=True)}
    return [{**rows[0], "records": str(int(rows[0]["records"]) + 1), **cells}, *rows[1:]]


def _parted(rows: Rows) -> Rows:
    """Tell two records of a cluster in a row of their own, with the same centre."""
    told = {name: [*Counter(json.loads(rows[0][name])).elements()] for name in ("ill", "job")}
    parts = [{name: values[part] for name, values in told.items()} for part in (slice(2), slice(2, None))]
    cells = [{name: json.dumps(Counter(values)) for name, values in part.items()} for part in parts]
    sizes = [{"records": str(len(part["ill"]))} for part in parts]
    return [*({**rows[0], **size, **cell} for size, cell in zip(sizes, cells, strict=True)), *rows[1:]]


FORGED: dict[str, tuple[Callable[[Rows], Rows], str]] = {
    "a size": (CHANGES["a size"], "no multiset of"),
    "a record": (_larger, "differ in their centres, or in how many"),
    "a value": (
        lambda rows: [{**row, "ill": json.dumps({"new": int(row["records"])})} for row in rows],
        "column 'ill'",
    ),
    "a cluster in two": (_parted, r"k-anonymity: asked 4, found 2"),
    "a row gone": (CHANGES["a row gone"], "differ in their centres"),
    "all radii less": (lambda rows: [{**row, "radius": "0.001"} for row in rows], "the largest radius"),
    "a radius more": (lambda rows: [{**rows[0], "radius": "99"}, *rows[1:]], "the largest radius"),
    "a radius less": (
        lambda rows: [{**r, "radius": "0" if i % 2 else r["radius"]} for i, r in enumerate(rows)],
        "cost",
    ),
    "a centre": (CHANGES["a centre"], "differ in their centres"),
}


@pytest.mark.parametrize("kind", FORGED)
def test_a_change_that_is_sealed_anew_is_refused_by_what_it_says(folder: Path, kind: str) -> None:
    change, words = FORGED[kind]
    _rewrite(folder / "out/public/clusters.csv", change)
    _forge(folder / "out")
    with pytest.raises(CertificateError, match=words):
        verify(folder / "out")


def _smaller(content: dict[str, Any]) -> None:
    content["clusters"]["radius"] = content["clusters"]["objectives"]["radius"] = 0.001


def _understated(rows: Rows) -> Rows:
    return [{**row, "radius": "0.001"} for row in rows]


def test_a_radius_that_the_raw_table_denies_is_refused(folder: Path, tmp_path: Path) -> None:
    """All figures of a forged release agree; only the table tells that its records are farther away."""
    out = folder / "out"
    _rewrite(out / "public/clusters.csv", _understated)
    _forge(out, _smaller)
    cost = sum(int(row["records"]) for row in read_csv(out / "public/clusters.csv")) * 0.001
    _forge(out, lambda content: content["clusters"]["objectives"].update(cellular=cost))
    with pytest.raises(CertificateError, match=r"records are farther from every centre .* only 0 were suppressed"):
        verify(out)
    moved = shutil.copytree(out, tmp_path / "far")
    assert list(verify(moved).not_derived) == ["radius"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: c["clusters"].update(count=1), "differ in the clusters"),
        (lambda c: c["clusters"].update(smallest=99), "differ in the clusters"),
        (lambda c: c["clusters"].update(radius=1e9), "the largest radius"),
        (lambda c: c["clusters"]["claims"].pop(), "the claims on the clusters"),
        (lambda c: c["clusters"]["claims"][0].update(achieved=99), "the claims on the clusters"),
        (lambda c: c["clusters"].update(radii="largest"), "what is told of the radii"),
        (lambda c: c["clusters"].update(values="set"), "what is told of the values"),
        (lambda c: c["clusters"]["objectives"].update(cellular=0.1), "the cellular cost"),
        (lambda c: c["clusters"]["metric"].update(norm="L1"), "metric that the certificate states"),
        (lambda c: c["clusters"]["metric"]["axes"][0].update(weight=9), "metric that the certificate states"),
        (lambda c: c["clusters"].pop("metric"), "metric that the certificate states"),
        (lambda c: c["clusters"].update(shape="records"), "differ in what is released of clusters"),
        (lambda c: c.pop("clusters"), "differ in what is released of clusters"),
        (lambda c: c["clusters"].pop("file"), "lacks what a certificate states"),
        (lambda c: c["clusters"]["file"].update(name="../out/clusters.csv"), "lacks what a certificate states"),
        (lambda c: c["clusters"]["file"].update(clusters=1), "what it says of the file of clusters"),
    ],
)
def test_a_forged_certificate_of_clusters_is_refused(
    folder: Path, change: Callable[[dict[str, Any]], object], words: str
) -> None:
    _forge(folder / "out", change)
    with pytest.raises(CertificateError, match=words):
        verify(folder / "out")


def test_swapped_and_missing_files_are_refused(folder: Path) -> None:
    out = folder / "out"
    data, clusters = (out / "public" / name for name in ("data.csv", "clusters.csv"))
    texts = data.read_bytes(), clusters.read_bytes()
    data.write_bytes(texts[1])
    clusters.write_bytes(texts[0])
    assert "its digest differs" in shoal("verify", out).err
    data.write_bytes(texts[0])
    clusters.unlink()
    assert "'public/clusters.csv' that manifest.json lists is not in" in shoal("verify", out).err
    made_first(out)
    assert "'clusters.csv' to which the certificate refers is not in" in shoal("verify", out).err


@pytest.mark.parametrize("values", ['shape = "records"', 'shape = "clusters"', 'radius = "largest"', 'values = "set"'])
def test_a_job_that_asks_for_another_shape_is_refused(folder: Path, values: str) -> None:
    path = folder / "out/private/job.toml"
    text = path.read_text(encoding="utf-8")
    key = values.split(" ", maxsplit=1)[0]
    lines = [values if line.startswith(f"{key} =") else line for line in text.splitlines()]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert shoal("verify", folder / "out").code == 4


def test_another_table_in_the_same_place_is_told(folder: Path) -> None:
    table(61).write_csv(folder / "data.csv")
    found = verify(folder / "out")
    assert "another number of records" in found.not_derived["radius"]
    (folder / "data.csv").write_text("age\n1\n", encoding="utf-8")
    assert "The table has no columns" in verify(folder / "out").not_derived["radius"]


def test_too_many_distances_are_not_begun(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.releases.radius._PAIRS", 1)
    assert verify(folder / "out").not_derived == {"radius": "needs more than 1 distances"}


@pytest.mark.parametrize("shape", ["records", "clusters"])
def test_a_radius_is_derived_in_every_shape(folder: Path, shape: Any) -> None:
    released(folder / "data.csv", shape=shape).write(folder / shape)
    assert verify(folder / shape).not_derived == {}


@pytest.mark.parametrize(
    ("radius", "words"),
    [(0.001, "farther from every centre"), (None, "no number"), ("1", "no number"), (float("nan"), "no number")],
)
def test_a_radius_of_records_without_their_clusters_is_put_to_the_raw_table(
    folder: Path, radius: Any, words: str
) -> None:
    released(folder / "data.csv", shape="records").write(folder / "records")
    made_first(folder / "records")
    content = stated(folder / "records/private/certificate.json")
    content["clusters"]["radius"] = content["clusters"]["objectives"]["radius"] = radius
    (folder / "records/private/certificate.json").write_bytes(text_of(sealed(content)))
    with pytest.raises(CertificateError, match=words):
        verify(folder / "records")


def test_records_dropped_for_missing_values_are_not_asked_for(tmp_path: Path) -> None:
    data = pl.DataFrame({"age": [*range(20, 40), None, 900], "ill": ["a", "b"] * 10 + ["a", None]})
    data.write_csv(tmp_path / "data.csv")
    diverse = {"model": "distinct-l-diversity", "l": 1, "column": "ill"}
    asked: dict[str, Any] = {"quasi": ["age"], "sensitive": ["ill"], "k": 3, "require": [diverse], "missing": "drop"}
    anonymize(tmp_path / "data.csv", algorithm="mdav", **asked).write(tmp_path / "out")
    assert verify(tmp_path / "out").not_derived == {}
