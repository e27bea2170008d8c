"""The role `omitted`: a column that nobody needs never leaves, and is not called an identifier."""

import json
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.foundation.errors import SpecError
from shoal.jobs.job import Job
from tests.cli.run import done

TABLE = {
    "name": [f"Canary{i}" for i in range(20)],
    "shoe": [f"Walrus{i % 3}" for i in range(20)],
    "age": [str(30 + i // 5) for i in range(20)],
    "ill": ["a", "b"] * 10,
}


@pytest.fixture
def released(tmp_path: Path) -> Path:
    pl.DataFrame(TABLE).write_csv(tmp_path / "t.csv")
    roles = ["--quasi", "age", "--sensitive", "ill", "--drop", "name", "--omit", "shoe"]
    done("anonymize", tmp_path / "t.csv", *roles, "--k", 5, "--out", tmp_path / "out")
    return tmp_path / "out"


def test_it_is_in_no_file_that_is_made(released: Path) -> None:
    job = Job.read(next(released.rglob("job.toml")))
    assert {name: str(column.role) for name, column in job.columns.items()} == {
        "name": "identifier",
        "shoe": "omitted",
        "age": "quasi",
        "ill": "sensitive",
    }
    texts = [path.read_text(errors="ignore") for path in released.rglob("*") if path.is_file()]
    assert not any("Walrus" in text or "Canary" in text for text in texts)
    told = json.loads(next(path for path in released.rglob("*.json") if "public" in path.name).read_text())
    assert list(told["columns"]) == ["age", "ill"]
    done("verify", released)


def test_the_steward_reads_that_it_was_not_needed(released: Path) -> None:
    report = next(released.rglob("report.html")).read_text()
    assert "omitted: not needed, never leaves" in report
    public = next(path for path in released.rglob("*.html") if "public" in path.name).read_text()
    assert "omitted" not in public


def test_in_python_it_is_the_argument_omit() -> None:
    release = shoal.anonymize(pl.DataFrame(TABLE), quasi=["age"], drop=["name"], omit=["shoe", "ill"], k=5)
    assert release.data.columns == ["age"]
    with pytest.raises(SpecError, match="two roles: 'identifier' and 'omitted'"):
        shoal.anonymize(pl.DataFrame(TABLE), quasi=["age", "ill"], drop=["name", "shoe"], omit="shoe", k=5)
