"""Releases of clusters: what leaves in each shape, and what the certificate says of it."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import shoal
from shoal import CertificateError, Release, SpecError
from shoal.releases.proof import prove
from shoal.tables.formats.csv import Csv
from tests.cli.run import BESIDE, entries, files_of, read_csv

FIGURE_1 = pl.DataFrame(
    {
        "age": [20, 22, 52, 52, 52],
        "place": [10, 10, 52, 49, 46],
        "disease": ["flu", "flu", "hypertension", "flu", "cold"],
    }
)
"""001 Figure 1 (a), with numbers for its letters such that the standard deviations, 15.2 and 19.2, are decimals."""


def figure_1(**more: Any) -> Release:
    asked = {"k": 2, "algorithm": "mdav", "seed": 1, "weights": {"age": 15.2, "place": 19.2}}
    return shoal.anonymize(FIGURE_1, quasi=["age", "place"], sensitive=["disease"], **{**asked, **more})


def table(n: int = 60, seed: int = 3) -> pl.DataFrame:
    draw = Random(seed)  # noqa: S311
    return pl.DataFrame(
        {
            "age": [draw.randint(20, 60) for _ in range(n)],
            "pay": [draw.choice([1000, 1500, 2200, 2201]) for _ in range(n)],
            "ill": [draw.choice(["flu", "gout", None]) for _ in range(n)],
            "job": [draw.choice(["x,y", 'say "hi"', "z"]) for _ in range(n)],
            "note": [f"n{i}" for i in range(n)],
        }
    )


def released(data: Any = None, **more: Any) -> Release:
    roles = {"quasi": ["age", "pay"], "sensitive": ["ill", "job"], "insensitive": ["note"]}
    return shoal.anonymize(table() if data is None else data, **{**roles, "k": 4, "algorithm": "mdav", **more})


def counted(rows: list[dict[str, str]], column: str) -> dict[tuple[str, str], Counter[str]]:
    """Count the values of a column by centre, from a file of records."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        found.setdefault((row["age"], row["pay"]), Counter())[row[column]] += 1
    return found


def test_the_example_of_the_paper(tmp_path: Path) -> None:
    """001 Figure 1: the largest radius is 3, and the cellular cost 2 x 1 + 3 x 3 = 11."""
    made = figure_1()
    assert sorted(made.clusters.rows()) == [
        ("21", "10", "2", "1", '{"flu": 2}'),
        ("52", "49", "3", "3", '{"cold": 1, "flu": 1, "hypertension": 1}'),
    ]
    certificate = made.write(tmp_path / "out")
    clusters = certificate["clusters"]
    assert (clusters["count"], clusters["smallest"], clusters["largest"], clusters["radius"]) == (2, 2, 3, 3.0)
    assert clusters["objectives"]["cellular"] == pytest.approx(11)
    assert clusters["objectives"]["radius"] == 3.0
    assert clusters["metric"]["norm"] == "L2"
    assert [axis["weight"] for axis in clusters["metric"]["axes"]] == [1.0, 1.0]
    assert certificate["algorithm"]["recoding"] == "centres"
    only = figure_1(radius="largest", values="set")
    assert sorted(only.clusters.rows()) == [
        ("21", "10", "2", "3", '["flu"]'),
        ("52", "49", "3", "3", '["cold", "flu", "hypertension"]'),
    ]


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("shape", ["both", "records", "clusters"])
@pytest.mark.parametrize("values", ["multiset", "set"])
def test_every_shape_is_written_and_verified(tmp_path: Path, form: str, shape: str, values: str) -> None:
    told = {} if shape == "records" else {"values": values}
    made = released(format=form, shape=shape, **told)
    certificate = made.write(tmp_path / "out")
    files = {"both": {"data", "clusters"}, "records": {"data"}, "clusters": {"clusters"}}[shape]
    assert files_of(tmp_path / "out") == {*(f"public/{name}.{form}" for name in files), *BESIDE}
    assert certificate["clusters"]["shape"] == shape
    assert (made.data is None, made.clusters is None) == (shape == "clusters", shape == "records")
    found = shoal.verify(tmp_path / "out")
    assert set(found.not_derived) == {"radius"}
    assert found.n_files == len(files)
    assert made.certificate["claims"] == certificate["claims"]
    assert made.certificate["classes"] == certificate["classes"]
    assert "all claims hold" in made._repr_html_()
    again = shoal.Job.read(tmp_path / "out/private/job.toml")
    assert again.release.shape == shape


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_clusters_are_a_frame_of_the_kind_that_was_given(kind: str) -> None:
    data: Any = table()
    made = released({"polars": data, "pandas": data.to_pandas(), "pyarrow": data.to_arrow()}[kind])
    assert type(made.clusters) is type(made.data)
    assert type(made.clusters).__module__.partition(".")[0] == kind


def test_both_files_tell_the_same(tmp_path: Path) -> None:
    released().write(tmp_path / "out")
    records, clusters = (read_csv(tmp_path / "out/public" / name) for name in ("data.csv", "clusters.csv"))
    assert list(clusters[0]) == ["age", "pay", "records", "radius", "ill", "job"]
    assert list(records[0]) == ["age", "pay", "ill", "job", "note"]
    assert sum(int(row["records"]) for row in clusters) == len(records) == 60
    assert min(int(row["records"]) for row in clusters) >= 4
    for column in ("ill", "job"):
        told: dict[tuple[str, str], Counter[str]] = {}
        for row in clusters:
            told.setdefault((row["age"], row["pay"]), Counter()).update(json.loads(row[column]))
        assert told == counted(records, column)


def test_clusters_that_share_a_centre_stay_two_rows(tmp_path: Path) -> None:
    """T12: 9 records at one place are three clusters, and one class of the records."""
    data = pl.DataFrame({"age": [30] * 9 + [70, 71, 72], "ill": list("aabbccdddxyz")})
    diverse = {"model": "distinct-l-diversity", "l": 1, "column": "ill"}
    made = shoal.anonymize(data, quasi=["age"], sensitive=["ill"], k=3, algorithm="mdav", require=[diverse], seed=5)
    certificate = made.write(tmp_path / "out")
    assert certificate["clusters"]["count"] == 4
    assert certificate["classes"]["count"] == 2
    assert certificate["classes"]["largest"] == 9
    assert certificate["clusters"]["largest"] == 3
    same = made.clusters.filter(pl.col("age") == "30")
    assert same.height == 3
    assert same["radius"].to_list() == ["0"] * 3
    told: Counter[str] = Counter()
    for cell in same["ill"]:
        told.update(json.loads(cell))
    assert told == Counter("aabbccddd")
    assert [claim["achieved"] for claim in certificate["clusters"]["claims"]] != [9, 4]
    shoal.verify(tmp_path / "out")


def test_the_order_of_clusters_is_random_and_tells_nothing_of_the_table(tmp_path: Path) -> None:
    data = table()
    shuffled = data.sample(fraction=1.0, shuffle=True, seed=1)
    for order in ("random", "input"):
        one, other = (released(frame, seed=9, order=order).clusters for frame in (data, shuffled))
        assert one.equals(other)
    seeds = [released(data, seed=seed).clusters for seed in (1, 2)]
    assert not seeds[0].equals(seeds[1])
    told = [sorted(one.drop("ill", "job").rows()) for one in seeds]  # records that are alike may be dealt out otherwise
    assert told[0] == told[1]
    assert released(data, seed=1, shape="clusters").clusters.equals(seeds[0])
    assert released(data, seed=1, shape="records").data.equals(released(data, seed=1).data)


@pytest.mark.parametrize("name", ["records", "radius"])
@pytest.mark.parametrize("role", ["quasi", "sensitive"])
def test_a_column_may_have_the_name_of_ours(tmp_path: Path, name: str, role: str) -> None:
    data = pl.DataFrame({"age": range(20, 32), name: [str(i % 3) for i in range(12)], "ill": list("ab" * 6)})
    roles: dict[str, Any] = {"quasi": ["age"], "sensitive": ["ill"]}
    roles[role] = [*roles[role], name]
    made = shoal.anonymize(data, k=3, algorithm="mdav", **roles)
    assert f"cluster_{name}" in made.clusters.columns
    assert made.clusters[f"cluster_{name}"].cast(pl.Float64).sum() > 0
    for shape in ("both", "clusters"):
        made = shoal.anonymize(data, k=3, algorithm="mdav", shape=shape, **roles)
        made.write(tmp_path / shape)
        assert set(shoal.verify(tmp_path / shape).not_derived) == {"radius"}


def test_names_that_are_patterns_elsewhere_are_names_here(tmp_path: Path) -> None:
    data = pl.DataFrame({"*": range(20, 32), "^a.*$": range(12), "n": list("ab" * 6), "value": list("xy" * 6)})
    made = shoal.anonymize(data, quasi=["*", "^a.*$"], sensitive=["n", "value"], k=3, algorithm="mdav")
    made.write(tmp_path / "out")
    shoal.verify(tmp_path / "out")


@pytest.mark.parametrize("delimiter", [";", "\t", ":", "|"])
def test_clusters_keep_the_delimiter(tmp_path: Path, delimiter: str) -> None:
    table().write_csv(tmp_path / "data.csv", separator=delimiter)
    released(tmp_path / "data.csv", delimiter=delimiter).write(tmp_path / "out")
    assert (
        (tmp_path / "out/public/clusters.csv")
        .read_text(encoding="utf-8")
        .startswith(f"age{delimiter}pay{delimiter}rec")
    )
    assert shoal.verify(tmp_path / "out").not_derived == {}


def test_an_insensitive_column_is_told_by_record_only(tmp_path: Path) -> None:
    released(shape="clusters").write(tmp_path / "out")
    assert b"note" not in (tmp_path / "out/public/clusters.csv").read_bytes()
    certificate = json.loads((tmp_path / "out/private/certificate.json").read_bytes())
    assert certificate["file"] == certificate["clusters"]["file"]


FREQUENT = {"model": "frequency-l-diversity", "l": 1.01, "column": "ill"}
KNOWN = {"model": "distinct-l-diversity", "l": 1, "column": "ill", "others": "known"}
SENSITIVE = {"model": "p-sensitive-k-anonymity", "p": 1, "k": 4, "column": "ill"}


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"algorithm": "optimal", "shape": "both"}, "release.shape is for algorithms that publish clusters"),
        ({"algorithm": "auto", "radius": "own"}, "'auto' publishes none"),
        ({"algorithm": "tightest", "values": "set"}, "'mdav'"),
        ({"shape": "records", "values": "set"}, "release.values is for the table of clusters"),
        ({"shape": "records", "radius": "own"}, "release.radius is for the table of clusters"),
        ({"shape": "cluster"}, "release.shape: Input should be 'both', 'records' or 'clusters'"),
        ({"shape": "clusters", "values": "set", "require": [FREQUENT]}, "choose values = 'multiset' or shape = 'both'"),
        ({"shape": "clusters", "require": [KNOWN]}, "choose shape = 'both' or 'records'"),
    ],
)
def test_what_makes_no_sense_is_refused_early(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        released(**asked)


@pytest.mark.parametrize("shape", ["both", "clusters"])
def test_sets_prove_what_sets_can(tmp_path: Path, shape: str) -> None:
    more = [SENSITIVE, *([FREQUENT, KNOWN] if shape == "both" else [])]
    certificate = released(shape=shape, values="set", require=more).write(tmp_path / "out")
    assert [claim["model"] for claim in certificate["clusters"]["claims"]] == ["k-anonymity", "p-sensitive-k-anonymity"]
    assert len(certificate["claims"]) == 1 + len(more)
    found = shoal.verify(tmp_path / "out")
    assert found.clusters is not None
    assert [claim.holds for claim in found.clusters.claims] == [True, True]


def test_promises_hold_for_each_row_as_for_each_class(tmp_path: Path) -> None:
    more = [{"model": "t-closeness", "t": 1, "column": "ill"}, FREQUENT, KNOWN]
    certificate = released(require=more).write(tmp_path / "out")
    said = {claim["model"]: claim["achieved"] for claim in certificate["claims"]}
    rows = {claim["model"]: claim["achieved"] for claim in certificate["clusters"]["claims"]}
    assert set(rows) == {"k-anonymity", "t-closeness", "frequency-l-diversity"}
    if certificate["clusters"]["count"] == certificate["classes"]["count"]:
        assert rows == {name: said[name] for name in rows}


SPOILED: dict[str, tuple[Any, str]] = {
    "a size": (lambda rows: [{**rows[0], "records": "99"}, *rows[1:]], "no multiset of 99 records in row 1"),
    "a radius": (lambda rows: [{**row, "radius": "0"} for row in rows], "farther from the centre than the radius"),
    "a centre": (lambda rows: [{**rows[0], "age": "0"}, *rows[1:]], "differ in their centres|farther from the centre"),
    "a row": (lambda rows: rows[1:], "has 14 rows for 15 clusters"),
    "a value": (
        lambda rows: [{**row, "ill": json.dumps({"new": int(row["records"])})} for row in rows],
        "values of column 'ill'",
    ),
}


@pytest.mark.parametrize("kind", SPOILED)
def test_what_is_certified_is_the_file_of_clusters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    made, written = released(), Csv.write
    change, words = SPOILED[kind]

    def spoiled(self: Csv, frame: pl.DataFrame, path: Path, delimiter: str | None = None, *_: object) -> None:
        whole = frame if path.name != "clusters.csv" else pl.DataFrame(change(frame.to_dicts()), frame.schema)
        written(self, whole, path, delimiter)

    monkeypatch.setattr(Csv, "write", spoiled)
    with pytest.raises(CertificateError, match=words):
        made.write(tmp_path / "out")
    assert entries(tmp_path) == set()


def test_a_radius_that_the_search_understates_is_refused() -> None:
    """The radius is worked out again from the raw table, whatever the search says."""
    made = released(shape="records")
    assert made.run.gathered is not None
    smaller = made.run.gathered.frame.with_columns(radius=pl.lit("0.0001"))
    wrong = replace(made.run, gathered=replace(made.run.gathered, frame=smaller))
    with pytest.raises(CertificateError, match="a record is farther from the centre than the radius"):
        prove(wrong)


@pytest.mark.parametrize("end", [KeyboardInterrupt, OSError(28, "full")])
@pytest.mark.parametrize(
    "step", ["proof.read_clusters", "proof.examine_clusters", "proof.examine_rows", "release.sealed"]
)
def test_a_crash_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, end: BaseException
) -> None:
    made = released()
    made.write(tmp_path / "out")
    before = {name: (tmp_path / "out" / name).read_bytes() for name in files_of(tmp_path / "out")}

    def broken(*_: object, **__: object) -> Any:
        raise end

    monkeypatch.setattr(f"shoal.releases.{step}", broken)
    with pytest.raises((KeyboardInterrupt, SpecError)):
        made.write(tmp_path / "out", force=True)
    assert {name: (tmp_path / "out" / name).read_bytes() for name in files_of(tmp_path / "out")} == before
    assert entries(tmp_path) == {"out"}


def test_a_release_without_clusters_says_nothing_of_them(tmp_path: Path) -> None:
    made = released(algorithm="optimal", k=2)
    certificate = made.write(tmp_path / "out")
    assert "clusters" not in certificate
    assert made.clusters is None
    assert "shape" not in (tmp_path / "out/private/job.toml").read_text(encoding="utf-8")
    with pytest.raises(SpecError, match="this release publishes none"):
        made.plot("age", "pay")


TREE = {"type": "taxonomy", "tree": {"any": {"short": ["flu", "cold"], "long": ["gout", "asthma"]}}}


@pytest.mark.parametrize("shape", ["both", "records", "clusters"])
@pytest.mark.parametrize(("distance", "recipe"), [("hierarchical", TREE), ("ordered", {"type": "order", "fanout": 2})])
def test_a_promise_along_a_hierarchy_is_derived_again(shape: Any, distance: str, recipe: Any, tmp_path: Path) -> None:
    """The values are those of the records, or those that the clusters list: never the lists themselves."""
    draw = Random(4)  # noqa: S311
    ill = [draw.choice(["flu", "cold", "gout", "asthma"]) for _ in range(60)]
    frame = pl.DataFrame({"age": [draw.randint(20, 60) for _ in range(60)], "ill": ill})
    near = {"model": "t-closeness", "t": "0.9", "column": "ill", "distance": distance}
    made = shoal.anonymize(
        frame, quasi=["age"], sensitive={"ill": recipe}, r=10, require=[near], algorithm="mdav", shape=shape
    )
    stated = made.write(tmp_path / "out")
    found = shoal.verify(tmp_path / "out")
    assert [claim.as_dict() for claim in found.findings.claims] == stated["claims"]
    assert set(found.not_derived) == {"radius"}
