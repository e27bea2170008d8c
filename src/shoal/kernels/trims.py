"""Trims: records that cost their class more than suppressing them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel
from shoal.kernels.classes import Classes, leave_each_out
from shoal.kernels.moves import close_without, leaving
from shoal.kernels.screens import Screens, passes
from shoal.kernels.states import Columns


@inner_kernel
def find_leavers(
    columns: Columns,
    classes: Classes,
    screens: Screens,
    least: int,
    full: float,
    best: NDArray[np.int64],
    savings: NDArray[np.float64],
) -> None:
    """Write, for each class, the record that saves most if it is suppressed for `full`, and how much; 0 if none may.

    A class keeps at least `least` records, and passes all tests without the record. O(records x fields).
    """
    _, records, groups, members, _, _ = classes
    for c in range(groups.shape[0]):
        savings[c] = 0.0
        begin, size = groups[c].begin, groups[c].size
        if size <= least:
            continue
        if groups[c].fresh == 0:
            leave_each_out(columns, classes, c)
        for place in range(begin, begin + size):
            saved = -leaving(records, groups, members[place]) - full
            if saved > savings[c]:
                savings[c], best[c] = saved, members[place]
        if savings[c] > 0:
            _put_last(records, members, best[c], begin + size - 1)
            if not passes(screens, records, members, begin, begin + size - 1, 0):
                savings[c] = 0.0


@inner_kernel
def drop(classes: Classes, chosen: NDArray[np.int64]) -> None:
    """Take records out of their classes, one of each at most; their label is then -1."""
    _, records, groups, members, _, _ = classes
    for i in chosen:
        c = records[i].label
        _put_last(records, members, i, groups[c].begin + groups[c].size - 1)
        groups[c].size -= 1
        close_without(classes, c, i)
        records[i].label = -1


@inner_kernel
def _put_last(records: NDArray[Any], members: NDArray[np.int64], i: int, end: int) -> None:
    """Let a record change places with the one at `end`."""
    last, slot = members[end], records[i].slot
    members[slot], members[end] = last, i
    records[last].slot, records[i].slot = slot, end
