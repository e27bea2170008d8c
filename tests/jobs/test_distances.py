"""Distances from flags, job files and Python, and that the job that is written means the same."""

import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.clusters.distances import Number
from shoal.foundation.errors import SpecError
from shoal.search.algorithms import ALGORITHMS
from tests.cli.run import HEADER, JOB, K_ANONYMITY, ROLES, done, entries, job_toml, patients, patients_csv, write_csv
from tests.cli.run import shoal as command

CLUSTERS = next(member.name for member in ALGORITHMS if member.objective is not None)
SEXES = ",F,M\nF,0,0.25\nM,0.25,0\n"


def assumed(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "private/job.toml").read_text(encoding="utf-8"))


def test_what_is_not_given_is_chosen_and_written_down(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done("anonymize", patients_csv(tmp_path), *ROLES, "--r", 5, "--algorithm", CLUSTERS, "--out", out)
    job = assumed(out)
    assert job["columns"]["age"]["distance"] == {"type": "number", "scale": "range"}
    assert job["columns"]["zip"]["distance"] == {"type": "equal"}
    assert job["columns"]["sex"]["distance"] == {"type": "equal"}
    assert job["columns"]["age"]["hierarchy"] == {"type": "suppression"}
    assert job["require"] == [{"model": "k-anonymity", "k": 5}]
    assert job["search"]["metric"] == "l2"
    assert "measure" not in job["search"]
    done("anonymize", out / "private/job.toml", "--out", tmp_path / "again")
    assert (out / "public/data.csv").read_bytes() == (tmp_path / "again" / "public/data.csv").read_bytes()
    assert assumed(tmp_path / "again")["columns"] == job["columns"]


def test_a_distance_is_a_file_a_type_or_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sexes.csv").write_text(SEXES, encoding="utf-8")
    flags = (
        *("--distance", "sex=sexes.csv", "--distance", "zip=tree"),
        *("--distance", 'age={ type = "number", unit = 10 }', "--weight", "age=2", "--metric", "l1"),
    )
    done("anonymize", patients_csv(tmp_path), *ROLES, *flags, "--r", 5, "--algorithm", CLUSTERS, "--out", "out")
    job = assumed(tmp_path / "out")
    assert job["columns"]["sex"]["distance"] == {"type": "matrix", "path": "../../sexes.csv"}
    assert job["columns"]["zip"]["distance"] == {"type": "tree"}
    assert job["columns"]["zip"]["hierarchy"] == {"type": "masking"}
    assert job["columns"]["age"]["distance"] == {"type": "number", "unit": 10}
    assert job["search"]["metric"] == "l1"
    done("anonymize", "out/private/job.toml", "--out", "again")
    assert Path("out/public/data.csv").read_bytes() == Path("again/public/data.csv").read_bytes()


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--distance", "age"), "Cannot read '--distance age'. Write: column=file, column=type"),
        (("--distance", "age={ type = "), "is not a table of a job file"),
        (("--distance", "age=nummer"), "unknown type of distance 'nummer'. Did you mean 'number'?"),
        (("--distance", "disease=equal"), "only quasi columns are measured"),
        (("--distance", "sex=number"), "'number' of column 'sex' needs numbers or dates"),
        (("--distance", "sex=none.csv"), "cannot be read: No such file"),
        (("--metric", "l3"), "search.metric: Input should be 'l2' or 'l1'"),
        (("--k", 3), "k = 3 and r = 5 both set the smallest size of a class"),
        (("--measure", "ncp"), f"the algorithm {CLUSTERS} publishes clusters and lowers"),
    ],
)
def test_a_mistake_is_told(tmp_path: Path, flags: tuple[object, ...], words: str) -> None:
    asked = ("--r", 5, "--algorithm", CLUSTERS, "--out", tmp_path / "out")
    ran = command("anonymize", patients_csv(tmp_path), *ROLES, *flags, *asked)
    assert ran.code == 2
    assert words in ran.err
    assert entries(tmp_path) == {"data.csv"}


def test_a_job_file_holds_its_distances(tmp_path: Path) -> None:
    text = JOB.replace("[columns.age]", '[columns.age]\ndistance = { type = "number", unit = 7 }') + K_ANONYMITY
    path = job_toml(tmp_path, text + '[search]\nmeasure = "ncp"\nmetric = "l1"\n')
    done("anonymize", path, "--algorithm", "optimal", "--out", tmp_path / "cells")
    assert assumed(tmp_path / "cells")["columns"]["age"]["distance"] == {"type": "number", "unit": 7}
    assert assumed(tmp_path / "cells")["search"]["measure"] == "ncp"
    done("anonymize", path, "--algorithm", CLUSTERS, "--out", tmp_path / "clusters")
    job = assumed(tmp_path / "clusters")
    assert job["columns"]["age"]["distance"] == {"type": "number", "unit": 7}
    assert job["columns"]["age"]["hierarchy"]["type"] == "intervals"
    assert job["search"]["metric"] == "l1"
    ran = command("anonymize", path, "--distance", "age=equal", "--out", tmp_path / "out")
    assert "--distance and --weight are for a table without one" in ran.err


def test_a_file_of_distances_is_never_written_over(tmp_path: Path) -> None:
    home = tmp_path / "out"
    home.mkdir()
    (home / "sexes.csv").write_text(SEXES, encoding="utf-8")
    flags = ("--distance", f"sex={home / 'sexes.csv'}", "--k", 5, "--algorithm", CLUSTERS, "--out", home, "--force")
    assert command("anonymize", patients_csv(tmp_path), *ROLES, *flags).code == 2
    assert entries(home) == {"sexes.csv"}


def test_from_python(tmp_path: Path) -> None:
    frame = pl.DataFrame(patients(), schema=list(HEADER), orient="row")
    ask: dict[str, Any] = {
        "quasi": {"age": None, "zip": "masking", "sex": None},
        "sensitive": ["disease"],
        "insensitive": ["note"],
        "drop": ["full_name", "ssn"],
        "algorithm": CLUSTERS,
        "metric": "l1",
        "seed": 3,
    }
    release = shoal.anonymize(frame, **ask, r=5, distances={"age": Number(unit=10), "zip": "tree"})
    assert release.job.columns["age"].distance == Number(unit=10)
    assert release.job.columns["zip"].hierarchy is not None
    assert release.job.columns["zip"].hierarchy.name == "masking"
    assert release.certificate["claims"][0]["asked"] == 5
    same = shoal.anonymize(frame, **ask, k=5, r=5, distances={"age": {"type": "number", "unit": 10}, "zip": "tree"})
    assert same.data.rows() == release.data.rows()
    with pytest.raises(SpecError, match="k = 4 and r = 5 both set"):
        shoal.anonymize(frame, **ask, k=4, r=5)
    with pytest.raises(SpecError, match=r"columns\.height\.role: is missing"):
        shoal.anonymize(frame, **ask, k=4, distances={"height": "number"})


def test_numbers_alone_are_measured_in_deviations(tmp_path: Path) -> None:
    table = write_csv(tmp_path / "data.csv", ["x", "y"], [(i, i * i / 10) for i in range(40)])
    done("anonymize", table, "--quasi", "x,y", "--r", 4, "--algorithm", CLUSTERS, "--out", tmp_path / "out")
    columns = assumed(tmp_path / "out")["columns"]
    assert columns["x"]["distance"] == columns["y"]["distance"] == {"type": "number", "scale": "deviation"}
