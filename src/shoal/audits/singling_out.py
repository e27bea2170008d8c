"""Singling out: which columns, alone and in pairs, make people unique."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.audits.crowd import Crowd
from shoal.audits.suda import owners_of
from shoal.kernels.uniques import lone_points
from shoal.progress import Progress, silent


def singling_out(frame: pl.DataFrame, quasi: Sequence[str], progress: Progress = silent) -> dict[str, Any]:
    """Return the share of unique records for each column and pair: knowing them alone, and knowing all but them.

    Args:
        frame: The columns as text, with nulls where a value is missing; a missing value is a value.
        quasi: The columns that an attacker may know.
        progress: Called with the share that is done.

    Returns:
        `all`, the share of records that are unique in all columns together, and for `columns` and `pairs` a list, the
        most telling first, of `columns`, `alone` (the share that is unique in these columns) and `without` (the share
        that is still unique if these columns are left out).
    """
    return shares_unique(Crowd.of(frame, quasi), quasi, progress)


def shares_unique(crowd: Crowd, quasi: Sequence[str], progress: Progress = silent) -> dict[str, Any]:
    """Do as `singling_out` for classes that are counted already; where persons are named, they are counted."""
    occupied = np.flatnonzero(crowd.persons > 0)
    owners = owners_of(crowd)[occupied]
    codes = np.ascontiguousarray(crowd.cells[occupied].T)
    records = np.bincount(crowd.class_of, minlength=len(crowd.cells))[occupied]
    everything = range(len(quasi))
    sets = [*combinations(everything, 1), *combinations(everything, 2)]

    def share(chosen: Sequence[int]) -> float:
        lone = _lone(codes, chosen, owners)
        return int(records[lone].sum()) / max(crowd.n_records, 1)

    def row(number: int, chosen: tuple[int, ...]) -> dict[str, Any]:
        progress("Looking for columns that single people out", number / len(sets))
        others = [j for j in everything if j not in chosen]
        return {"columns": [quasi[j] for j in chosen], "alone": share(chosen), "without": share(others)}

    rows = [row(number, chosen) for number, chosen in enumerate(sets)]
    return {
        "all": share(everything),
        "columns": _ranked(rows[: len(quasi)]),
        "pairs": _ranked(rows[len(quasi) :]),
    }


def _lone(codes: NDArray[np.int32], chosen: Sequence[int], owners: NDArray[np.int64]) -> NDArray[np.bool_]:
    return lone_points(codes, np.array(chosen, dtype=np.int64), owners)


def _ranked(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put first what leaves the fewest unique records when it is left out, then what singles out the most alone."""
    return sorted(rows, key=lambda row: (row["without"], -row["alone"]))
