"""Hierarchies and criteria as flags."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.cli.run import ROLES, done, entries, patients_csv, shoal

LEVELS = "F;any\nM;any\n"


def assumed(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "job.toml").read_text(encoding="utf-8"))["columns"]


def test_a_hierarchy_is_a_file_a_type_or_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = patients_csv(tmp_path)
    (tmp_path / "sex.csv").write_text(LEVELS, encoding="utf-8")
    flags = (
        *("--hierarchy", "sex=sex.csv", "--hierarchy", "zip=masking"),
        *("--hierarchy", 'age={ type = "intervals", widths = [7, 21] }'),
    )
    done("anonymize", table, *ROLES, *flags, "--k", 5, "--out", tmp_path / "out")
    columns = assumed(tmp_path / "out")
    assert columns["sex"]["hierarchy"] == {"type": "levels", "path": "../sex.csv"}
    assert columns["zip"]["hierarchy"] == {"type": "masking"}
    assert columns["age"]["hierarchy"] == {"type": "intervals", "widths": [7, 21]}


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        ("age", "Write: column=file, column=type or column={ type = ... }."),
        ("age={ type = ", "is no table of a job file"),
        ("age=intervals_", "Did you mean 'intervals'?"),
        ("years=masking", "columns.years.role: is missing"),
        ("ssn=masking", "which is never generalized"),
    ],
)
def test_a_mistake_in_a_hierarchy_is_told(tmp_path: Path, flag: str, words: str) -> None:
    ran = shoal("anonymize", patients_csv(tmp_path), *ROLES, "--hierarchy", flag, "--k", 5, "--out", tmp_path / "out")
    assert ran.code == 2
    assert words in ran.err
    assert entries(tmp_path) == {"data.csv"}


@pytest.mark.parametrize("criterion", ["absolute-distance", "relative-distance", "distribution", "suppression"])
def test_each_of_samaratis_criteria_is_a_flag(tmp_path: Path, criterion: str) -> None:
    flags = ("--k", 5, "--algorithm", f"incognito:prefer={criterion}", "--out", tmp_path / "out", "--json")
    certificate = done("anonymize", patients_csv(tmp_path), *ROLES, *flags).json
    assert certificate["algorithm"]["name"] == "incognito"
    assert certificate["algorithm"]["levels"] in certificate["algorithm"]["minimal"]
