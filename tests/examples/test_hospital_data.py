import csv
import importlib.util
import runpy
import tomllib
from collections import Counter
from collections.abc import Iterator
from datetime import date
from functools import cache
from pathlib import Path
from statistics import correlation, mean, median
from typing import Any

import pytest

HOSPITAL = Path(__file__).parents[2] / "examples" / "hospital"
Record = dict[str, str]


@cache
def patients() -> list[Record]:
    with (HOSPITAL / "patients.csv").open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def age(record: Record) -> float:
    born, admitted = (date.fromisoformat(record[name]) for name in ("birth_date", "admission_date"))
    return (admitted - born).days / 365.25


def stays(diagnosis: str) -> list[int]:
    return [int(record["length_of_stay"]) for record in patients() if record["diagnosis"] == diagnosis]


def share(records: list[Record], column: str, value: str) -> float:
    return mean(record[column] == value for record in records)


def aged(low: int, high: int) -> list[Record]:
    return [record for record in patients() if low <= age(record) < high]


def leaves(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        yield from node
    else:
        for below in node.values():
            yield from leaves(below)


def test_the_script_makes_the_same_bytes(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("make_data", HOSPITAL / "make_data.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.main(tmp_path)
    assert (tmp_path / "patients.csv").read_bytes() == (HOSPITAL / "patients.csv").read_bytes()


def test_the_voters_are_the_same_bytes_and_some_are_patients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HOSPITAL))
    runpy.run_path(str(HOSPITAL / "make_voters.py"))["main"](tmp_path)
    assert (tmp_path / "voters.csv").read_bytes() == (HOSPITAL / "voters.csv").read_bytes()
    with (HOSPITAL / "voters.csv").open(encoding="utf-8", newline="") as handle:
        voters = [tuple(record.values()) for record in csv.DictReader(handle)]
    known = {tuple(record[name] for name in ("name", "birth_date", "zip", "sex")) for record in patients()}
    assert (len(voters), len(set(voters)), len(known.intersection(voters))) == (1200, 1200, 300)


def test_the_next_year_is_the_same_bytes_and_brings_something_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(HOSPITAL))
    runpy.run_path(str(HOSPITAL / "make_next_year.py"))["main"](tmp_path)
    assert (tmp_path / "patients-2025.csv").read_bytes() == (HOSPITAL / "patients-2025.csv").read_bytes()
    with (HOSPITAL / "patients-2025.csv").open(encoding="utf-8", newline="") as handle:
        coming = list(csv.DictReader(handle))
    assert {record["admission_date"][:4] for record in coming} == {"2025"}
    for column in ("zip", "occupation"):
        assert len({record[column] for record in coming} - {record[column] for record in patients()}) == 1


def test_shape() -> None:
    columns = "name ssn birth_date zip sex marital_status occupation admission_date diagnosis length_of_stay"
    assert list(patients()[0]) == columns.split()
    assert len(patients()) == 5000
    assert len({record["ssn"] for record in patients()}) == 5000
    assert all(record["ssn"].startswith("9") and len(record["ssn"]) == 11 for record in patients())
    assert all(len(record["zip"]) == 5 and record["zip"].isdigit() for record in patients())
    assert {record["admission_date"][:4] for record in patients()} == {"2024"}
    assert all(0 <= age(record) < 97 for record in patients())


def test_missing_values_are_few_and_where_they_should_be() -> None:
    missing = Counter(name for record in patients() for name, value in record.items() if value == "")
    assert set(missing) == {"marital_status", "occupation"}
    assert all(25 <= count <= 100 for count in missing.values())


def test_zips_are_skewed_and_some_begin_with_zero() -> None:
    zips = Counter(record["zip"] for record in patients())
    ranked = [count for _, count in zips.most_common()]
    assert len(zips) > 30
    assert sum(ranked[:5]) > 0.3 * 5000
    assert ranked[-1] < 50
    assert 0.5 < mean(record["zip"].startswith("0") for record in patients()) < 0.95


def test_age_drives_the_rest() -> None:
    assert share(aged(0, 17), "marital_status", "Married") == 0
    assert (
        share(aged(76, 120), "marital_status", "Widowed")
        > 0.3
        > 0.05
        > share(aged(35, 55), "marital_status", "Widowed")
    )
    assert share(aged(18, 24), "occupation", "Student") > 0.4 > 0.1 > share(aged(30, 60), "occupation", "Student")
    assert share(aged(70, 120), "occupation", "Retired") > 0.9
    assert share(aged(0, 5), "diagnosis", "Bronchitis") > 0.2
    assert share(aged(0, 60), "diagnosis", "Heart failure") == 0
    assert share(aged(70, 120), "diagnosis", "Heart failure") > 0.1


def test_only_women_give_birth() -> None:
    assert {record["sex"] for record in patients() if record["diagnosis"] == "Childbirth"} == {"F"}


def test_stays_follow_the_diagnosis_and_the_age_with_a_long_tail() -> None:
    assert median(stays("Depression")) > median(stays("Stroke")) > median(stays("Angina")) > median(stays("Concussion"))
    for diagnosis in ("Stroke", "Depression"):
        assert mean(stays(diagnosis)) > median(stays(diagnosis))
        assert max(stays(diagnosis)) > 3 * median(stays(diagnosis))
    everyone = [int(record["length_of_stay"]) for record in patients()]
    assert min(everyone) == 1
    assert correlation([age(record) for record in patients()], everyone) > 0.2


@pytest.mark.parametrize(("diagnosis", "season"), [("Pneumonia", {12, 1, 2, 3}), ("Fracture", {5, 6, 7, 8})])
def test_admissions_have_seasons(diagnosis: str, season: set[int]) -> None:
    months = [int(record["admission_date"][5:7]) for record in patients() if record["diagnosis"] == diagnosis]
    assert mean(month in season for month in months) > 0.4


@pytest.mark.parametrize("column", ["marital_status", "occupation"])
def test_levels_cover_the_values_and_are_nested(column: str) -> None:
    lines = (HOSPITAL / "hierarchies" / f"{column}.csv").read_text(encoding="utf-8").splitlines()
    rows = [line.split(";") for line in lines]
    assert {row[0] for row in rows} == {record[column] for record in patients()} - {""}
    assert len({len(row) for row in rows}) == 1
    assert {row[-1] for row in rows} == {"*"}
    for level in range(len(rows[0]) - 1):
        assert len({(row[level], row[level + 1]) for row in rows}) == len({row[level] for row in rows})


def test_the_tree_covers_the_diagnoses_once_each() -> None:
    tree = tomllib.loads((HOSPITAL / "hierarchies" / "diagnosis.toml").read_text(encoding="utf-8"))
    assert len(tree) == 1
    values = list(leaves(tree))
    assert len(values) == len(set(values))
    assert set(values) == {record["diagnosis"] for record in patients()}


@pytest.mark.parametrize("name", ["job.toml", "job-public.toml"])
def test_the_job_gives_every_column_a_role_and_finds_its_files(name: str) -> None:
    job = tomllib.loads((HOSPITAL / name).read_text(encoding="utf-8"))
    assert list(job["columns"]) == list(patients()[0])
    assert (HOSPITAL / job["input"]["path"]).exists()
    recipes = [column.get("hierarchy") for column in job["columns"].values()]
    paths = [recipe.get("path") for recipe in recipes if isinstance(recipe, dict)]
    assert all((HOSPITAL / path).exists() for path in paths if path)
