"""The first months of the clinic as a series, released once for all tests of a process."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.jobs.keys.pseudonyms import new_pseudonym_key

CLINIC = Path(__file__).parents[3] / "examples" / "clinic"
MONTHS = ("january", "february", "march")


def asked(key: Path, **series: Any) -> dict[str, Any]:
    """Return the request of a release of the clinic's series."""
    return {
        "quasi": ["age", "town", "sex"],
        "sensitive": ["diagnosis"],
        "drop": ["patient"],
        "k": 3,
        "max_suppressed": 0.05,
        "seed": 1,
        "series": {"promise": "m-invariance", "m": 3, "person": "patient", "key": str(key), **series},
    }


@pytest.fixture(scope="session")
def months(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the key and three releases that follow each other."""
    folder = tmp_path_factory.mktemp("clinic")
    new_pseudonym_key(folder / "clinic.key")
    after: dict[str, Any] = {}
    for month in MONTHS:
        release = shoal.anonymize(CLINIC / f"{month}.csv", **asked(folder / "clinic.key"), **after)
        release.write(folder / month)
        after = {"after": folder / month}
    return folder


@pytest.fixture
def copied(months: Path, tmp_path: Path) -> Path:
    """Return a copy of the same that may be changed."""
    return Path(shutil.copytree(months, tmp_path / "clinic"))
