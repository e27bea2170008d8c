"""Tables of clusters in every format: what is published is read back as it was, and proven from there."""

import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal as front
from shoal.clusters.cluster_table import ClusterTable, ValuesOption, cell, rounded_up
from shoal.tables.formats import FORMATS
from shoal.tables.location import FileLocation
from tests.cli.run import done, files_of, shoal
from tests.tables.formats import survey

WRITERS = [member for member in FORMATS if member.writes]
every_writer = pytest.mark.parametrize("member", WRITERS, ids=[member.name for member in WRITERS])
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=6)


@st.composite
def tables(draw: st.DrawFn) -> tuple[pl.DataFrame, ValuesOption]:
    """Draw a table of clusters as `publish_clusters` writes it."""
    kind: ValuesOption = draw(st.sampled_from(["multiset", "set"]))
    ages = st.one_of(st.integers(0, 99).map(str), st.floats(0, 99).map(lambda n: f"{n:.2f}"), st.none())
    rows = []
    for _ in range(draw(st.integers(1, 6))):
        values = draw(st.lists(st.one_of(st.none(), TEXTS.filter(bool)), min_size=1, max_size=4, unique=True))
        counts = [draw(st.integers(1, 50)) for _ in values]
        length = draw(st.one_of(st.just(0.0), st.floats(1e-9, 1e12)))
        rows.append((draw(ages), str(sum(counts)), rounded_up(length), cell(values, counts, kind)))
    return pl.DataFrame(rows, dict.fromkeys(["age", "records", "radius", "ill"], pl.String), orient="row"), kind


@every_writer
@given(drawn=tables())
@settings(max_examples=15)
def test_a_table_of_clusters_is_read_as_it_was_written(member: Any, drawn: tuple[pl.DataFrame, ValuesOption]) -> None:
    frame, kind = drawn
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"clusters.{member.name}"
        member().write(frame, path)
        read, said = FileLocation(path).certified(text=True)
    assert said["columns"] == frame.columns
    assert read.equals(frame)
    assert ClusterTable.of(read, ["age"], ["ill"], kind).radii.tolist() == [float(r) for r in frame["radius"]]


@every_writer
@pytest.mark.parametrize("shape", ["both", "clusters"])
def test_a_release_of_clusters_is_verified_and_audited(member: Any, shape: str, tmp_path: Path) -> None:
    source, out = survey.write_sav(tmp_path / "in.sav"), tmp_path / "out"
    flags = ("--r", "5", "--algorithm", "mdav", "--shape", shape, "--format", member.name, "--seed", "1", "--out", out)
    done("anonymize", source, *survey.ROLES, *flags)
    found = front.verify(out)
    assert found.verdict == "all claims hold"
    assert found.clusters is not None
    assert found.clusters.file["name"] == f"clusters.{member.name}"
    clusters = FileLocation(out / f"public/clusters.{member.name}").read().cast(pl.String)
    assert sum(map(int, clusters["records"])) == 120
    assert b"CANARY" not in b"".join((out / name).read_bytes() for name in files_of(out))
    if shape == "clusters":
        for command in ("attack", "risk"):
            ran = shoal(command, out)
            assert ran.code == 2
            assert "contains clusters only" in ran.err
        return
    reached = done("check", out / f"public/data.{member.name}", "--quasi", "age,sex,region", "--json").json
    assert reached["k"] >= 5
    assert front.risk(out).as_dict()["k"] == reached["k"]
    assert {one.name for one in front.attack(out)} >= {"homogeneity", "skewness"}


@every_writer
def test_a_table_of_clusters_that_was_changed_is_found_out(member: Any, tmp_path: Path) -> None:
    source, out = survey.write_sav(tmp_path / "in.sav"), tmp_path / "out"
    done("anonymize", source, *survey.ROLES, "--r", "5", "--algorithm", "mdav", "--format", member.name, "--out", out)
    file = out / f"public/clusters.{member.name}"
    frame = FileLocation(file).read().cast(pl.String)
    member().write(frame.with_columns(radius=pl.lit("0.5")), file)
    ran = shoal("verify", out)
    assert ran.code == 4
    assert f"'public/clusters.{member.name}' is not the one that was certified" in ran.err


def test_labels_and_reasons_of_clusters(tmp_path: Path) -> None:
    """Codes with labels are categories, those declared as missing are none among numbers, and labels stay."""
    source, out = survey.write_sav(tmp_path / "in.sav"), tmp_path / "out"
    done("anonymize", source, *survey.ROLES, "--r", "5", "--algorithm", "mdav", "--format", "sav", "--out", out)
    certificate = front.run(front.Job.read(out / "private/job.toml")).certificate
    axes = {axis["columns"][0]: axis["kind"] for axis in certificate["clusters"]["metric"]["axes"]}
    assert axes == {"age": "number", "sex": "equal", "region": "equal"}
    assert certificate["missing"]["merged"] == ["age"]
    assert certificate["labels"] == {"kept": ["sex", "region", "income"], "dropped": []}
    columns, meta = pyreadstat.read_sav(out / "public/clusters.sav", user_missing=True, output_format="dict")
    assert meta.variable_value_labels == {
        "sex": {1.0: "male", 2.0: "female"},
        "region": {1.0: "north", 2.0: "south"},
    }
    assert meta.column_names_to_labels["age"] == "Age in years"
    assert all(age is None or age != age or 25 <= age <= 58 for age in columns["age"])


def test_labels_that_clusters_alone_cannot_keep_are_named(tmp_path: Path) -> None:
    source = survey.write_sav(tmp_path / "in.sav")
    job = {"quasi": ["age", "sex", "region"], "sensitive": ["income"], "insensitive": ["score"], "drop": ["name"]}
    made = front.anonymize(source, **job, r=5, algorithm="mdav", shape="clusters", format="sav")  # type: ignore[arg-type]
    assert made.certificate["labels"] == {"kept": ["sex", "region"], "dropped": ["income"]}


def test_spaces_that_a_format_does_not_keep_do_not_part_records_and_clusters(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": ["1", "2", "3", "4"] * 5, "ill": ["flu ", "flu", "gout  ", " x"] * 5})
    made = front.anonymize(frame, quasi=["age"], sensitive=["ill"], r=4, algorithm="mdav", format="sav")
    made.write(tmp_path / "out")
    assert front.verify(tmp_path / "out").not_derived.keys() == {"radius"}
    assert set(FileLocation(tmp_path / "out/public/data.sav").read()["ill"].cast(pl.String)) == {"flu", "gout", " x"}
