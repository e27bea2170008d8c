"""What is measured of a table is the same, however its records are stored and whoever counts them."""

from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

import shoal
from shoal.foundation.errors import SpecError
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
