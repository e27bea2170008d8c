"""Valid tables, jobs and releases to begin with; one record holds canaries."""

import random
import shutil
import sqlite3
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import polars as pl
import pyreadstat

import shoal
from tests.cli.run import write_csv

CANARIES = ("CanaryName", "CanaryDisease", "CanaryNote")
HEADER = ("name", "age", "zip", "sex", "disease", "note")

JOB = """
[input]
path = "data.csv"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy = { type = "intervals", widths = [5, 10, 20, 40] }
[columns.zip]
role = "quasi"
hierarchy = { type = "masking", longest = 5 }
[columns.sex]
role = "quasi"
[columns.disease]
role = "sensitive"
hierarchy = { type = "levels", path = "disease.csv" }
[columns.note]
role = "insensitive"
[[require]]
model = "k-anonymity"
k = 3
[[require]]
model = "t-closeness"
t = 0.9
column = "disease"
distance = "hierarchical"
[search]
algorithm = "mondrian"
max_suppressed = 0.1
seed = 7
[release]
format = "csv"
"""


@dataclass(frozen=True)
class Material:
    """Folders of valid files.

    Args:
        folder: `data.csv`, the same table in other formats, `job.toml`, and releases: `release`, `domain` (one level
            for each column) and `clusters`.
    """

    folder: Path

    def copied(self, to: Path, *names: str) -> Path:
        """Copy some of the files or folders."""
        for name in names:
            source = self.folder / name
            if source.is_dir():
                shutil.copytree(source, to / name)
            else:
                shutil.copy(source, to / name)
        return to


@cache
def material() -> Material:
    """Make the files once for each process."""
    folder = Path(mkdtemp(prefix="hostile-"))
    write_csv(folder / "data.csv", HEADER, _records())
    (folder / "disease.csv").write_text(
        "".join(f"{one};{'airways' if one in 'flu cold' else 'else'};*\n" for one in _diseases()), encoding="utf-8"
    )
    (folder / "job.toml").write_text(JOB, encoding="utf-8")
    frame = pl.read_csv(folder / "data.csv", schema_overrides={"zip": pl.String})
    frame.write_parquet(folder / "data.parquet")
    frame.write_excel(folder / "data.xlsx")
    pyreadstat.write_sav(frame, str(folder / "data.sav"))
    pyreadstat.write_sav(frame, str(folder / "data.zsav"), compress=True)
    pyreadstat.write_dta(frame, str(folder / "data.dta"))
    pyreadstat.write_xport(frame, str(folder / "data.xpt"), file_format_version=5)
    shutil.copy(Path(__file__).parent.parent / "tables/formats/visits.sas7bdat", folder / "data.sas7bdat")
    with sqlite3.connect(folder / "data.db") as base:
        base.execute("CREATE TABLE people (name, age, zip, sex, disease, note)")
        base.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", frame.iter_rows())
    base.close()
    job = shoal.Job.read(folder / "job.toml")
    shoal.run(job).write(folder / "release")
    for name, algorithm in (("domain", "optimal"), ("clusters", "r-gather")):
        changes = {"search": {"algorithm": {"name": algorithm}}}
        shoal.run(shoal.Job.read(folder / "job.toml", changes)).write(folder / name)
    return Material(folder)


def _diseases() -> tuple[str, ...]:
    return ("flu", "cold", "ulcer", "asthma", "CanaryDisease")


def _records() -> list[tuple[object, ...]]:
    draw = random.Random(16)  # noqa: S311
    records: list[tuple[object, ...]] = [
        (
            f"Person{number}",
            draw.randrange(20, 80),
            f"0{draw.randrange(20, 22)}{draw.randrange(10)}1",
            draw.choice("MF"),
            draw.choice(_diseases()[:-1]),
            draw.choice(["seen", "called"]),
        )
        for number in range(59)
    ]
    return [*records, ("CanaryName", 44, "02111", "F", "CanaryDisease", "CanaryNote")]
