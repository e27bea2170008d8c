"""Values: how often each value of a column occurs, counted when the table is opened, so that editing reads no table."""

import json
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shoal.actions.hierarchy import Sheet
from shoal.actions.suggestions.fits import numbers_in
from shoal.actions.suggestions.profile import Profile

FOLDER = "values"
MOST = 20_000  # different values of a column whose hierarchy is edited by hand; a request has to be answered at once

_BINS = 48


def keep_values(profiles: Iterable[Profile], folder: Path) -> None:
    """Write the counts of all columns that have not too many different values, by the number of the column."""
    target = folder / FOLDER
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(mode=0o700)
    for number, profile in enumerate(profiles):
        if 0 < profile.distinct <= MOST:
            facts = {
                "column": profile.name,
                "counts": profile.by_value,
                "missing": profile.missing,
                "labels": dict(profile.entry.values),
            }
            file = target / f"{number:04}.json"
            file.write_text(json.dumps(facts), encoding="utf-8")
            file.chmod(0o600)


def counted(folder: Path, number: int, column: str) -> Sheet | None:
    """Return a column as a sheet without rows; None if it was not counted, or has too many different values."""
    file = folder / FOLDER / f"{number:04}.json"
    if not file.is_file():
        return None
    facts = json.loads(file.read_text(encoding="utf-8"))
    if facts["column"] != column:
        return None
    return Sheet(column, [], facts["counts"], facts["missing"], labels=facts["labels"])


@dataclass(frozen=True, slots=True)
class NumberSpread:
    """The records of a column of numbers in even intervals.

    Args:
        low: The least number.
        high: The greatest.
        records: The records of each interval.
    """

    low: float
    high: float
    records: list[int]


def spread_of(sheet: Sheet) -> NumberSpread | None:
    """Return how the records are spread over the numbers; None if the column has other values."""
    values = sorted(sheet.counts)
    profile = Profile.counted(sheet.column, values, [*(sheet.counts[value] for value in values), 0])
    numbers = numbers_in(profile)
    if numbers is None or len(numbers) != len(values) or len(values) < 2:
        return None
    records, ends = np.histogram([float(one) for one in numbers], bins=_BINS, weights=profile.counts[:-1])
    return NumberSpread(float(ends[0]), float(ends[-1]), [int(one) for one in records])
