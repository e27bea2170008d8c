"""The same records before and after: how some of the raw table are published. It is for the steward alone."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.releases.run import Run
from shoal.search.engines.placement import Placement
from shoal.tables.hierarchies.hierarchy import STAR, Label
from shoal.tables.table import Column

_ROWS = 10


def same_records(run: Run) -> dict[str, Any]:
    """Return ten records, spread evenly over the table, as JSON: each as it is, and as it is published.

    Whoever is named by a column is not shown. A record that is left out is None afterwards. Of clusters there are none:
    what leaves is their centres.

    Args:
        run: How the release was made; not in regions, where the class of a record is not in memory.
    """
    if run.gathered is not None:
        return {"columns": [], "before": [], "after": []}
    placement = run.classes if isinstance(run.classes, Placement) else Placement(None, run.classes, None)
    chosen = _spread(placement, run.raw.n_rows)
    rows = chosen if placement.rows is None else placement.rows[chosen]
    classes = placement.classes[chosen].tolist()
    names = [name for name in run.raw.published if not run.job.columns[name].names_persons]
    before = [_texts(run.raw.columns[name], rows) for name in names]
    quasi = {column.name: number for number, column in enumerate(run.solution.recoding.columns)}
    after = [
        _cells(run, quasi[name], classes) if name in quasi else own for name, own in zip(names, before, strict=True)
    ]
    out = run.job.release.suppressed != "star"
    return {
        "columns": names,
        "before": [list(row) for row in zip(*before, strict=True)],
        "after": [
            None if out and owner < 0 else list(row)
            for owner, row in zip(classes, zip(*after, strict=True), strict=True)
        ],
    }


def _spread(placement: Placement, n_rows: int) -> NDArray[np.int64]:
    """Return some entries that are spread evenly over the records; each entry may be several records."""
    n_entries = n_rows if placement.rows is None else len(placement.rows)
    ends = np.cumsum(np.ones(n_entries, dtype=np.int64) if placement.counts is None else placement.counts)
    n_records = int(ends[-1]) if len(ends) else 0
    records = np.linspace(0, n_records - 1, min(_ROWS, n_records)).astype(np.int64)  # none of an empty table
    return np.searchsorted(ends, records, side="right").astype(np.int64)


def _texts(column: Column, rows: NDArray[np.int64]) -> list[Label]:
    """Return the values of some records; None where one is missing."""
    texts: list[Label] = [*column.values, None]
    return [texts[code] for code in column.codes[rows].tolist()]


def _cells(run: Run, number: int, classes: list[int]) -> list[Label]:
    """Return what some classes show in a quasi column; a record in none of them shows a star."""
    labels, shown = run.solution.recoding.published(number)
    return [STAR if owner < 0 else labels[shown[owner]] for owner in classes]
