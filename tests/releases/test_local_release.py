"""Releases with ranges, sets and nodes of mixed levels: the file, its certificate, `check` and `verify`."""

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.actions.anonymize import counted_of, published
from shoal.actions.verify import verify
from shoal.certificate import Evidence, examine_location
from shoal.jobs.job import Job
from shoal.jobs.posing import problem_of
from shoal.jobs.source import read
from shoal.measures import Lm
from shoal.models import KAnonymity
from shoal.releases.proof import prove
from shoal.releases.release import Release
from shoal.search.engines.local import assigned, publish
from shoal.search.local.partition import solution_of
from shoal.search.problem import Problem
from shoal.tables.formats import FORMATS
from shoal.tables.location import FileLocation
from tests.cli.run import done, read_csv, shoal, write_csv
from tests.oracles.partitions import Case, cases, parts_of

HEADER = ("age", "job", "zip", "disease", "note")
RECORDS = [
    ("31", "cook", "02130", "flu", "a"),
    ("38", "nurse, head", "02131", "gout", "b"),
    ("35", "cook", "02130", "flu", "c"),
    ("-4", "pilot", "02130", "gout", "d"),
    ("9.5", "", "02999", "flu", "e"),
    ("70", "cook", "02150", "gout", "f"),
    ("70", "cook", "02150", "gout", "g"),
    ("70", "cook", "02150", "gout", "h"),
    ("70", "cook", "02150", "gout", "i"),
    ("70", "cook", "02150", "flu", "j"),
]
CLASSES = {"a": 0, "b": 0, "c": 0, "d": 1, "e": 1, "j": 2}
SHOWN = {
    0: ("31 - 38", "{cook, nurse, head}", "0213*"),
    1: ("-4 - 9.5", "*", "02***"),
    2: ("70", "cook", "02150"),
}
JOB = """
[input]
path = "data.csv"
missing = "{missing}"
[columns.age]
role = "quasi"
hierarchy = {{ type = "ranges", grid = "none" }}
[columns.job]
role = "quasi"
[columns.zip]
role = "quasi"
[columns.disease]
role = "sensitive"
[columns.note]
role = "insensitive"
[[require]]
model = "k-anonymity"
k = 2
[[require]]
model = "distinct-l-diversity"
l = 1
column = "disease"
[search]
max_suppressed = 0.1
seed = 3
[release]
format = "{format}"
order = "input"
suppressed = "drop"
"""


def released(folder: Path, format_: str = "csv", missing: str = "category") -> Release:
    """Release the table with classes by hand: the four records of one point are in one class, less one suppressed."""
    write_csv(folder / "data.csv", HEADER, RECORDS)
    (folder / "job.toml").write_text(JOB.format(format=format_, missing=missing), encoding="utf-8")
    source = read(Job.read(folder / "job.toml"))
    counted = counted_of(source)
    problem = problem_of(source.job, counted.tally)
    labels: list[list[int]] = [[] for _ in range(counted.tally.n_points)]
    for point, record in zip(counted.point_of.tolist(), RECORDS, strict=True):
        labels[point].append(CLASSES.get(record[4], -1 if record[4] == "i" else 2))
    solution = solution_of(problem, parts_of(labels))
    made = published(source, counted, problem, solution, "by hand", "", 0.0)
    return Release(prove(made), made)


def test_the_cells_of_the_file(tmp_path: Path) -> None:
    released(tmp_path).write(tmp_path / "out")
    rows = read_csv(tmp_path / "out" / "public/data.csv")
    shown = [(row["age"], row["job"], row["zip"]) for row in rows]
    assert shown == [SHOWN[0]] * 3 + [SHOWN[1]] * 2 + [SHOWN[2]] * 4
    assert Counter(row["disease"] for row in rows[5:]) == {"gout": 3, "flu": 1}
    assert [row["note"] for row in rows[:5]] == list("abcde")
    assert rows[8]["note"] == "j"
    assert {row["note"] for row in rows[5:8]} < set("fghi")


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_k_is_the_count_of_identical_tuples(tmp_path: Path, format_: Literal["csv", "parquet"]) -> None:
    certificate = released(tmp_path, format_).write(tmp_path / "out")
    assert certificate["classes"] == {"count": 3, "smallest": 2, "largest": 4, "average": 3.0}
    assert certificate["records"] == {"input": 10, "released": 9, "suppressed": 1}
    assert certificate["claims"][0]["achieved"] == 2
    assert certificate["algorithm"]["levels"] == {}
    found = verify(tmp_path / "out")
    assert found.verdict == "all claims hold"
    assert found.as_dict()["classes"] == certificate["classes"]
    assert done("verify", tmp_path / "out", "--json").json["verdict"] == "all claims hold"
    checked = done(
        "check",
        tmp_path / "out/public" / f"data.{format_}",
        "--quasi",
        "age,job,zip",
        "--sensitive",
        "disease",
        "--json",
    ).json
    assert checked["records"] == 9
    assert checked["k"] == 2
    assert checked["classes"]["count"] == 3
    assert checked["sensitive"]["disease"]["distinct_l"] == 2


def test_the_job_beside_the_release_names_the_hierarchies_that_were_chosen(tmp_path: Path) -> None:
    released(tmp_path).write(tmp_path / "out")
    job = Job.read(tmp_path / "out" / "private/job.toml")
    chosen = {name: column.hierarchy.name for name, column in job.columns.items() if column.hierarchy is not None}
    assert chosen == {"age": "ranges", "job": "sets", "zip": "masking"}


def test_the_wildcard_reading_of_missing_values_counts_matching_tuples(tmp_path: Path) -> None:
    """No cell of the release is missing: the class that misses a job shows a star, which is no wildcard here."""
    certificate = released(tmp_path, missing="wildcard").write(tmp_path / "out")
    assert certificate["claims"][0]["achieved"] == certificate["claims"][0]["strict"] == 2
    assert verify(tmp_path / "out").verdict == "all claims hold by the wildcard reading"


def test_a_narrower_range_in_the_file_is_another_class(tmp_path: Path) -> None:
    """A cell that lies within the others is not the same cell: strictly it is a class of one."""
    released(tmp_path).write(tmp_path / "out")
    file = tmp_path / "out" / "public/data.csv"
    text = file.read_text(encoding="utf-8")
    assert text.count("31 - 38") == 3
    file.write_text(text.replace("31 - 38", "31 - 35", 1), encoding="utf-8")
    found = examine_location(FileLocation(file), [KAnonymity(k=2)], Evidence(quasi=("age", "job", "zip")))
    assert found.claims[0].as_dict()["achieved"] == 1
    assert found.classes["count"] == 4
    ran = shoal("check", file, "--quasi", "age,job,zip", "--require", "k-anonymity:k=2", "--json")
    assert ran.code == 4
    assert ran.json["k"] == 1
    assert shoal("verify", tmp_path / "out").code == 4


@settings(deadline=None, max_examples=40)
@given(case=cases(), seed=st.integers(0, 9))
def test_a_file_has_as_many_classes_as_were_made_whatever_the_values_hold(case: Case, seed: int) -> None:
    if (case.parts.classes < 0).all():
        return
    problem = Problem(case.counted.tally, (KAnonymity(k=1),), Lm(), Fraction(1))
    solution = solution_of(problem, case.parts)
    rng = np.random.default_rng(seed)
    classes = assigned(case.table, case.counted, solution, rng)
    frame = publish(case.table, solution, classes, stars=False, shuffled=True, rng=rng).frame()
    quasi = tuple(column.name for column in case.counted.tally.quasi)
    with TemporaryDirectory() as folder:
        FORMATS["csv"]().write(frame, Path(folder) / "data.csv", ",")
        found = examine_location(FileLocation(Path(folder) / "data.csv", ","), [KAnonymity(k=1)], Evidence(quasi=quasi))
    assert found.classes == solution.groups.describe()


def test_the_loss_is_in_the_certificate_column_by_column(tmp_path: Path) -> None:
    released(tmp_path).write(tmp_path / "out")
    loss = json.loads((tmp_path / "out" / "private/certificate.json").read_text(encoding="utf-8"))["loss"]
    assert loss["measure"] == "lm"
    assert loss["columns"]["age"] == pytest.approx(3 * 7 / 74 + 2 * 13.5 / 74 + 1)
    assert loss["columns"]["job"] == pytest.approx(3 * 1 / 3 + 2 * 1 + 1)
    assert loss["columns"]["zip"] == pytest.approx(3 * 1 / 3 + 2 * 1 + 1)
