"""Runs the command line within the test, and makes the tables that several tests use."""

import contextlib
import csv
import io
import json
import random
import signal
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal import cli

ROLES = ("--quasi", "age,zip,sex", "--sensitive", "disease", "--insensitive", "note", "--drop", "full_name,ssn")

JOB = """
[input]
path = "data.csv"
[columns.full_name]
role = "identifier"
[columns.ssn]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy = { type = "intervals", widths = [5, 10, 20, 40] }
[columns.zip]
role = "quasi"
hierarchy = { type = "masking" }
[columns.sex]
role = "quasi"
[columns.disease]
role = "sensitive"
[columns.note]
role = "insensitive"
"""

FULL = """
[input]
path = "data.csv"
delimiter = ";"
missing = "wildcard"
[columns.age]
role = "quasi"
weight = 2.5
hierarchy = { type = "intervals", widths = [0.1, 0.2], start = 0.05 }
distance = { type = "number", unit = 0.5 }
[columns.zip]
role = "quasi"
hierarchy = { type = "masking", from = "left", levels = 2, character = "x" }
[columns.born]
role = "quasi"
hierarchy = { type = "dates", steps = ["month", "year"], format = "%d.%m.%Y" }
[columns.job]
role = "quasi"
hierarchy = { type = "levels", path = "trees/job.csv" }
distance = { type = "matrix", path = "trees/jobs apart.csv" }
[columns.land]
role = "quasi"
hierarchy = { type = "taxonomy", tree = { Any = ["a", "b"] } }
[columns.rank]
role = "quasi"
hierarchy = { type = "order", fanout = 3 }
distance = "tree"
[columns.sex]
role = "quasi"
hierarchy = { type = "suppression" }
[columns.disease]
role = "sensitive"
hierarchy = { type = "taxonomy", path = "trees/disease.json" }
[columns.note]
role = "insensitive"
[columns.name]
role = "identifier"
[[require]]
model = "k-anonymity"
k = 5
[[require]]
model = "t-closeness"
t = 0.1
column = "disease"
distance = "matrix"
distances = "far.csv"
[[require]]
model = "k-map"
k = 3
population = "people/all.csv"
[search]
algorithm = { name = "optimal" }
measure = { name = "classification", column = "disease" }
metric = "l1"
max_suppressed = 0.02
seed = 7
time_limit = 1.5
[release]
format = "parquet"
order = "input"
suppressed = "star"
"""
"""A job with every key."""

K_ANONYMITY = '[[require]]\nmodel = "k-anonymity"\nk = 4\n'


@dataclass(frozen=True)
class Ran:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def shoal(*argv: object) -> Ran:
    """Run a command as `shoal` does, to its exit code."""
    out, err = io.StringIO(), io.StringIO()
    before, handler = sys.argv, signal.getsignal(signal.SIGTERM)
    sys.argv = ["shoal", *map(str, argv)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            cli.main()
    except SystemExit as end:
        return Ran(int(end.code or 0), out.getvalue(), err.getvalue())
    finally:
        sys.argv = before
        signal.signal(signal.SIGTERM, handler)


def done(*argv: object) -> Ran:
    """Run a command that must succeed."""
    ran = shoal(*argv)
    assert ran.code == 0, ran.err
    return ran


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]], delimiter: str = ",") -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    return path


def read_csv(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


HEADER = ("full_name", "ssn", "age", "zip", "sex", "disease", "note")


def patients(n: int = 160, seed: int = 0) -> list[tuple[object, ...]]:
    """Return records of persons, as many kinds of columns as there are roles."""
    draw = random.Random(seed)  # noqa: S311
    return [
        (
            f"Person{i}",
            f"{draw.randrange(10**9):09d}",
            draw.randrange(20, 80),
            f"0{draw.randrange(20, 24)}{draw.randrange(10)}{draw.randrange(10)}",
            draw.choice("MF"),
            draw.choice(["flu", "cold", "ulcer", "asthma"]),
            draw.choice(["seen", "called"]),
        )
        for i in range(n)
    ]


def patients_csv(folder: Path, n: int = 160, seed: int = 0, delimiter: str = ",") -> Path:
    return write_csv(folder / "data.csv", HEADER, patients(n, seed), delimiter)


def job_toml(folder: Path, text: str = JOB + K_ANONYMITY, name: str = "job.toml") -> Path:
    """Write a job, beside a table if there is none yet."""
    if not (folder / "data.csv").exists():
        patients_csv(folder)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def entries(folder: Path) -> set[str]:
    """Return the names in a folder, hidden ones too."""
    return {path.name for path in folder.iterdir()}


BESIDE = {
    *(f"private/{name}" for name in ("certificate.json", "job.toml", "rules.json", "report.html", "manifest.json")),
    *(f"public/{name}" for name in ("certificate-public.json", "report-public.html", "manifest-public.json")),
}
"""What stands in the folder of a release beside its data."""


def files_of(folder: Path) -> set[str]:
    """Return the names of all files in a folder and below, from there."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
