"""What is measured of a table is the same, however its records are stored and whoever counts them."""

from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

import shoal
from shoal.actions.pairing import table_pair
from shoal.foundation.errors import SpecError
from shoal.jobs import given_table
from tests.actions.test_counted_engines import asked, table
from tests.cli.run import shoal as run_shoal

QUASI = ["age", "zip", "sex"]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return one table in several places."""
    root = tmp_path_factory.mktemp("places")
    for number, part in enumerate(table().iter_slices(110)):
        for path in (root / f"parts/{number}.parquet", root / f"csv/part-{number}.csv"):
            path.parent.mkdir(exist_ok=True)
            part.write_parquet(path) if path.suffix == ".parquet" else part.write_csv(path)
    for sex in "fm":
        place = root / f"hive/sex={sex}"
        place.mkdir(parents=True)
        table().filter(pl.col("sex") == sex).drop("sex").write_parquet(place / "0.parquet")
    table().write_parquet(root / "one.parquet")
    return {
        "frame": table(),
        "file": root / "one.parquet",
        "folder": root / "parts",
        "pattern": root / "csv/part-*.csv",
        "hive": root / "hive",
        "relation": duckdb.connect().read_parquet(str(root / "parts/*.parquet")),
    }


@pytest.mark.parametrize("given", [{}, {"fraction": 0.1}, {"entity": "id", "household": "zip"}, {"suda": None}])
def test_the_risks_of_a_table_are_the_same_wherever_it_is(places: dict[str, Any], given: dict[str, Any]) -> None:
    quasi = QUASI if "entity" not in given else ["age", "sex"]
    wanted = shoal.risk(places["frame"], quasi=quasi, **given)
    for name, place in places.items():
        found = shoal.risk(place, quasi=quasi, **given)
        assert found.as_dict() == wanted.as_dict(), name
        if name != "hive":  # its records are in another order
            assert found.records.equals(wanted.records), name
        assert sorted(found.records.rows()) == sorted(wanted.records.rows()), name
    assert shoal.singling_out(places["folder"], quasi=quasi) == shoal.singling_out(table(), quasi=quasi)


@pytest.mark.parametrize("kind", ["optimal", "stars", "mondrian", "tightest", "persons"])
def test_the_risks_of_a_release_are_the_same_in_every_engine(places: dict[str, Any], tmp_path: Path, kind: str) -> None:
    found = {}
    for engine in ("local", "duckdb"):
        release = shoal.anonymize(places["folder"], **asked(kind), engine=engine)
        release.write(tmp_path / engine)
        found[engine] = shoal.risk(tmp_path / engine).as_dict()
        assert shoal.risk(release).as_dict() == found[engine]
    assert found["duckdb"] == found["local"]
    assert found["duckdb"]["before"]["records"] == 300


def test_the_figures_of_each_record_are_written_a_part_at_a_time(places: dict[str, Any], tmp_path: Path) -> None:
    out = tmp_path / "records.csv"
    ran = run_shoal("risk", places["folder"], "--quasi", ",".join(QUASI), "--out", out)
    assert ran.code == 0
    assert out.read_text(encoding="utf-8") == shoal.risk(table(), quasi=QUASI).records.write_csv()


def test_a_table_that_changes_meanwhile_is_told(tmp_path: Path) -> None:
    table().write_parquet(tmp_path / "t.parquet")
    found = shoal.risk(tmp_path / "t.parquet", quasi=QUASI)
    table().with_columns(zip=pl.lit("999")).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(SpecError, match="has changed since its risks were measured"):
        _ = found.records


def test_attacks_are_the_same_wherever_the_tables_are(places: dict[str, Any]) -> None:
    """A raw table serves as a release of itself, as the public table and as the raw one."""
    given: dict[str, Any] = {"quasi": QUASI, "sensitive": ["ill"]}
    wanted = shoal.attack(table(), public=table(), raw=table(), other=table(), **given).as_dict(show=True)
    assert {one["attack"] for one in wanted["attacks"]} >= {"linkage", "singling-out", "homogeneity", "composition"}
    for name, place in places.items():
        found = shoal.attack(place, public=place, raw=place, other=place, **given)
        assert found.as_dict(show=True) == wanted, name


@pytest.mark.parametrize("kind", ["optimal", "stars", "mondrian", "persons"])
def test_attacks_and_utility_are_the_same_in_every_engine(places: dict[str, Any], tmp_path: Path, kind: str) -> None:
    attacks, utility = [], []
    for engine in ("local", "duckdb"):
        release = shoal.anonymize(places["folder"], **asked(kind), engine=engine)
        release.write(tmp_path / engine)
        attacks += [shoal.attack(one).as_dict(show=True) for one in (release, tmp_path / engine)]
        figures = [shoal.utility(one, figures="columns").as_dict(show=True) for one in (release, tmp_path / engine)]
        utility += [{**one, "columns": [c for c in one["columns"] if c["column"] != "note"]} for one in figures]
    assert all(one == attacks[0] for one in attacks)
    assert all(one == utility[0] for one in utility)


def test_columns_and_pairs_of_counted_rows_are_those_of_the_records(
    places: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    release = shoal.anonymize(places["folder"], **asked("mondrian"), engine="duckdb")
    single = shoal.utility(release).as_dict(show=True)
    monkeypatch.setattr(table_pair, "_DRAWN", 200)
    counted = shoal.utility(release, sample=100).as_dict(show=True)
    for part in ("records", "columns", "loss", "named_from"):
        assert counted[part] == single[part]
    for one, other in zip(counted["pairs"], single["pairs"], strict=True):
        assert one.keys() == other.keys()
        for key, value in one.items():
            assert value == (pytest.approx(other[key]) if isinstance(value, float | dict) else other[key])
    for model in counted["propensity"]:
        assert model["records"] == {"before": 100, "after": 100}
    assert any("drawn by chance of 300 raw and 300 released ones, by the seed 0" in note for note in counted["notes"])
    assert counted["classification"][0]["tested"] == 100
    assert shoal.utility(release, sample=100).as_dict() == shoal.utility(release, sample=100).as_dict()


def test_correlations_of_counted_rows_are_those_of_the_records(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.concat([pl.DataFrame({"x": ["1", "2", "2", "5"], "y": ["3", "3", "4", "9"]})] * 5)
    given: dict[str, Any] = {"raw": frame, "quasi": ["x"], "figures": "pairs"}
    single = shoal.utility(frame, **given).pairs[0].as_dict()
    monkeypatch.setattr(table_pair, "_DRAWN", 10)
    counted = shoal.utility(frame, **given).pairs[0].as_dict()
    for key in ("pearson", "spearman", "cramers_v"):
        assert counted[key] == pytest.approx(single[key])
        assert 0 < counted[key]["before"] < 1


def test_what_needs_single_records_of_a_large_table_is_refused(
    places: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = shoal.anonymize(places["folder"], **asked("mondrian"), engine="duckdb")
    release.write(tmp_path / "release")
    monkeypatch.setattr(given_table, "SINGLE", 299)
    monkeypatch.setattr(table_pair, "SINGLE", 299)
    given: dict[str, Any] = {"public": places["folder"]}
    for asks, words in (
        (given, "The public table has more than 299 records, and each of its persons is looked for"),
        (given | {"truth": ["id"]}, "The public table has more than 299 records"),
        (given | {"other": release, "attacks": ["composition"]}, "The public table has more than 299 records"),
        ({"public": table().head(9), "truth": ["id", "note", "zip"]}, "The table that the release was made of has"),
        ({"attacks": ["replay"]}, "The release has more than 299 records, and a replay deals the values of each"),
    ):
        with pytest.raises(SpecError, match=words):
            shoal.attack(tmp_path / "release", **asks)
    for asks, words in (
        ({"sample": 0}, "The release has more than 299 records, and without a limit models are fitted on all"),
        ({"split": True}, "The release has more than 299 records, and the job is run again on some"),
    ):
        with pytest.raises(SpecError, match=words):
            shoal.utility(tmp_path / "release", **asks)
    assert shoal.utility(tmp_path / "release", sample=0, figures="columns").columns
    ran = run_shoal("attack", tmp_path / "release", "--public", places["folder"])
    assert ran.code == 2
    assert "Take a part of it" in ran.err


def test_a_sample_is_told_on_the_command_line(places: dict[str, Any], tmp_path: Path) -> None:
    shoal.anonymize(places["folder"], **asked("mondrian"), engine="duckdb").write(tmp_path / "release")
    ran = run_shoal("attack", tmp_path / "release", "--attack", "singling-out", "--sample", "50", "--seed", "7")
    assert ran.code == 0
    assert "classes, drawn by the seed 7; numbers are those of the sample" in " ".join(ran.out.split())
    assert "a sample" not in run_shoal("attack", tmp_path / "release", "--attack", "singling-out").out
