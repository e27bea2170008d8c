import csv
import runpy
import tomllib
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from statistics import mean

import pytest

CENSUS = Path(__file__).parents[2] / "examples" / "census"
KNOWN = ("district", "age", "sex", "marital_status", "education", "birthplace", "stands_for")
Record = dict[str, str]


@cache
def records(name: str) -> list[Record]:
    with (CENSUS / f"{name}.csv").open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def test_the_script_makes_the_same_bytes(tmp_path: Path) -> None:
    runpy.run_path(str(CENSUS / "make_data.py"))["main"](tmp_path)
    for name in ("persons.csv", "population.csv"):
        assert (tmp_path / name).read_bytes() == (CENSUS / name).read_bytes()


@pytest.mark.parametrize("path", sorted(CENSUS.glob("*.csv")), ids=lambda path: path.name)
def test_the_files_are_small(path: Path) -> None:
    assert path.stat().st_size < 300_000


def test_the_sample_is_part_of_the_population_and_stands_for_it() -> None:
    def counts(name: str) -> Counter[tuple[str, ...]]:
        return Counter(tuple(record[column] for column in KNOWN) for record in records(name))

    assert not counts("persons") - counts("population")
    assert (len(records("persons")), len(records("population"))) == (875, 6766)
    assert abs(sum(int(record["stands_for"]) for record in records("persons")) - 6766) < 100


def test_households_live_in_one_district_and_are_of_several_sizes() -> None:
    households = defaultdict(list)
    for record in records("persons"):
        households[record["household"]].append(record)
    assert all(len({record["district"] for record in members}) == 1 for members in households.values())
    sizes = Counter(map(len, households.values()))
    assert sizes[1] > sizes[3] > 0
    assert max(sizes) >= 5


def test_the_weight_tells_the_area() -> None:
    weights = defaultdict(set)
    for record in records("population"):
        weights[record["district"]].add(record["stands_for"])
    assert all(len(found) == 1 for found in weights.values())
    assert set.union(*weights.values()) == {"4", "8", "10"}


def test_schooling_pays_and_children_do_not_marry() -> None:
    def income(*schools: str) -> float:
        return mean(
            int(record["income_group"])
            for record in records("persons")
            if record["education"] in schools and record["income_group"] and int(record["age"]) > 25
        )

    assert income("Master", "Doctorate") > income("Vocational") > income("None", "Primary")
    assert {r["marital_status"] for r in records("population") if int(r["age"]) < 18} == {"Never married"}
    ages = Counter(record["age"] for record in records("population"))
    assert max(ages.values()) < 0.03 * 6766


def test_the_job_gives_every_column_a_role_and_finds_its_files() -> None:
    job = tomllib.loads((CENSUS / "job.toml").read_text(encoding="utf-8"))
    assert list(job["columns"]) == list(records("persons")[0])
    hierarchies = [column.get("hierarchy") for column in job["columns"].values()]
    paths = [recipe["path"] for recipe in hierarchies if isinstance(recipe, dict) and "path" in recipe]
    assert len(paths) == 3
    assert all((CENSUS / path).exists() for path in paths)
