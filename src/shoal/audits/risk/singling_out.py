"""Singling out: the columns and pairs of columns that make records unique."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audits.risk.person_classes import PersonClasses
from shoal.foundation.progress import Progress, silent
from shoal.kernels.audits.uniques import lone_points
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.rows import Rows
from shoal.tables.table import Column, totals

_THREADS = 2
_PAIR = 2  # columns that are left out at most
_LEAST = 3  # columns that are measured whatever it costs


def singling_out(rows: Rows, quasi: Sequence[str], progress: Progress = silent) -> dict[str, Any]:
    """Return, for each column and pair, the share of records that are unique by them alone, and by all others.

    Args:
        rows: The rows of the table, with nulls where a value is missing; a missing value is a value.
        quasi: The columns that an attacker may know.
        progress: Called with the share that is done.

    Returns:
        `all`, the share of records that are unique in all columns together, and lists `columns` and `pairs`, the most
        identifying first, with the fields `columns`, `alone` (the share that is unique in these columns) and `without`
        (the share that is still unique if these columns are left out).
    """
    columns = [rows.column(name) for name in quasi]
    return shares_of_columns(columns, quasi, counts=rows.counts, progress=progress)


def shares_unique(classes: PersonClasses, quasi: Sequence[str], progress: Progress = silent) -> dict[str, Any]:
    """Return the same as `singling_out` for classes that are counted already, by persons if these are identified."""
    occupied = np.flatnonzero(classes.persons > 0)
    points = _Points(
        codes=np.ascontiguousarray(classes.cells[occupied].T),
        owners=classes.owners[occupied],
        records=classes.records[occupied],
    )
    return _shares(points, quasi, range(len(quasi)), len(quasi), progress)


def shares_of_columns(
    columns: Sequence[Column],
    quasi: Sequence[str],
    work: int | None = None,
    progress: Progress = silent,
    counts: NDArray[np.int64] | None = None,
) -> dict[str, Any]:
    """Return the same as `singling_out` for columns that are coded already; each record is a person.

    Args:
        columns: The columns.
        quasi: Their names.
        work: About how many cells may be read for the columns, and again for the pairs; no limit if None. If it does
            not suffice, the columns with the most distinct values are measured, and pairs of the most identifying of
            these. `all` and `without` always use all columns.
        progress: Called with the share that is done.
        counts: The number of records of each row; one if left out.
    """
    n_rows = len(columns[0].codes) if columns else 0
    labels, cells = distinct_rows(
        [column.codes for column in columns], [len(column.values) + 1 for column in columns], n_rows
    )
    records = totals(labels, counts, len(cells))
    owners = np.where(records == 1, np.arange(len(cells)), -1)
    points = _Points(np.ascontiguousarray(cells.T), owners, records)
    most = len(quasi)
    affordable = most * most if work is None else work // max(len(cells) * most, 1)
    first = sorted(range(most), key=lambda j: -len(columns[j].values))[: max(affordable, _LEAST)]
    paired = next(size for size in range(most, -1, -1) if size <= _LEAST or size * (size - 1) // 2 <= affordable)
    return _shares(points, quasi, sorted(first), paired, progress)


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    """The distinct rows of a table: the codes by column, the only person of each or -1, and its number of records."""

    codes: NDArray[np.int32]
    owners: NDArray[np.int64]
    records: NDArray[np.int64]

    def unique(self, chosen: Sequence[int]) -> int:
        """Return how many records are unique in the chosen columns."""
        return int(self.records[self._lone(chosen)].sum())

    def _lone(self, chosen: Sequence[int]) -> NDArray[np.bool_]:
        return lone_points(self.codes, np.array(chosen, dtype=np.int64), self.owners)

    def met_without(self, left_out: int) -> "_Points":
        """Return the rows that may not be unique any more if so many columns are left out, whichever these are.

        The columns are dealt out into one part more than are left out. One of the parts stays whole then, so whoever is
        unique in each part is unique in what stays. The others are met by rows that are not unique in that part either:
        so whether these are unique is told by them alone.
        """
        sizes = [int(codes.max(initial=0)) for codes in self.codes]
        ranked = sorted(range(len(sizes)), key=lambda column: -sizes[column])
        parts = [ranked[number :: left_out + 1] for number in range(left_out + 1)]
        met = ~np.logical_and.reduce([self._lone(part) for part in parts])
        return _Points(np.ascontiguousarray(self.codes[:, met]), self.owners[met], self.records[met])


def _shares(
    points: _Points, quasi: Sequence[str], first: Sequence[int], paired: int, progress: Progress
) -> dict[str, Any]:
    """Measure the columns `first`, then the pairs of the `paired` most identifying of them."""
    everything = range(len(quasi))
    met, total = points.met_without(_PAIR), int(points.records.sum())
    others = total - int(met.records.sum())  # the records that are unique whatever is left out

    def row(chosen: tuple[int, ...]) -> dict[str, Any]:
        return {
            "columns": [quasi[j] for j in chosen],
            "alone": points.unique(chosen) / max(total, 1),
            "without": (others + met.unique([j for j in everything if j not in chosen])) / max(total, 1),
        }

    def rows(sets: Sequence[tuple[int, ...]], start: float, end: float) -> list[dict[str, Any]]:
        found = []
        with ThreadPoolExecutor(_THREADS) as pool:
            for number, one in enumerate(pool.map(row, sets)):
                progress("Looking for columns that single people out", start + (end - start) * number / len(sets))
                found.append(one)
        return found

    part = 2 / (paired + 1)  # the share of the sets that have one column
    ranked = _ranked(rows([(j,) for j in first], 0.0, part))
    telling = sorted(list(quasi).index(one["columns"][0]) for one in ranked[:paired])
    pairs = _ranked(rows(list(combinations(telling, 2)), part, 1.0))
    return {"all": points.unique(everything) / max(total, 1), "columns": ranked, "pairs": pairs}


def _ranked(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put first what leaves the fewest records unique without it; of equals, what makes the most unique alone."""
    return sorted(rows, key=lambda row: (row["without"], -row["alone"]))
