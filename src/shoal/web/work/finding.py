"""Finding: what somebody who knows some values of a person finds in the raw table. Nothing of it is kept."""

from pathlib import Path
from typing import Any

import polars as pl

from shoal.foundation.errors import SpecError
from shoal.foundation.progress import Progress
from shoal.jobs.given_table import count_columns
from shoal.tables.table import Role
from shoal.web.projects import Project

_LISTED = 5  # values that are told of a column


def work(*, folder: str, known: dict[str, str], progress: Progress) -> dict[str, Any]:
    """Count who is left as one value after the other is known, and what the others tell about them.

    Args:
        folder: The folder of the project.
        known: What is known: a value of each of some quasi columns.
        progress: Where to tell how far it is.
    """
    job = Project(Path(folder)).job
    unknown = sorted(set(known) - set(job.names(Role.QUASI)))
    if unknown:
        raise SpecError(f"Column '{unknown[0]}' is not one that somebody may know.")
    progress("counting the records")
    sensitive = list(job.names(Role.SENSITIVE))
    rows = count_columns(job.location, [*known, *sensitive])
    cells = {name: rows.frame.get_column(name).cast(pl.String) for name in (*known, *sensitive)}
    left, counts = pl.repeat(value=True, n=rows.frame.height, eager=True), pl.Series(rows.counts)
    steps = []
    for name, value in known.items():
        left = left & (cells[name] == value).fill_null(value=False)
        steps.append({"column": name, "left": int(counts.filter(left).sum())})
    return {
        "records": int(counts.sum()),
        "steps": steps,
        "told": {name: _values(cells[name].filter(left), counts.filter(left)) for name in sensitive},
    }


def _values(cells: pl.Series, counts: pl.Series) -> dict[str, Any]:
    """Return the values that are left, the most frequent first, and how many there are."""
    found: dict[str | None, int] = {}
    for cell, count in zip(cells.to_list(), counts.to_list(), strict=True):
        found[cell] = found.get(cell, 0) + int(count)
    ordered = sorted(found.items(), key=lambda pair: (-pair[1], str(pair[0])))
    return {"different": len(ordered), "values": [list(pair) for pair in ordered[:_LISTED]]}
