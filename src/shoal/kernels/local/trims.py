"""Trims: parts of classes that cost more there than if they are suppressed."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel
from shoal.kernels.local.classes import Classes, leave_each_out
from shoal.kernels.local.moves import close_without
from shoal.kernels.local.states import Columns


@inner_kernel
def find_leavers(
    columns: Columns,
    classes: Classes,
    counts: NDArray[np.int64],
    open_classes: NDArray[np.bool_],
    least: int,
    full: float,
    best: NDArray[np.int64],
    savings: NDArray[np.float64],
) -> None:
    """Write, for each class, the part whose suppression saves most for each of its records, and the saving; 0 if none.

    The weight of a part is that of all of its records; without sampling weights it is their number.

    O(parts x fields).

    Args:
        columns: The meaning of states.
        classes: The classes; their `records` are parts here: any number of records of one point.
        counts: The number of records of each part.
        open_classes: Which classes may be trimmed.
        least: The least number of records of a class.
        full: The price of suppressing a record.
        best: Filled, by class: the part.
        savings: Filled, by class: what it saves for each record.
    """
    _, parts, groups, members, _, _ = classes
    for c in range(groups.shape[0]):
        savings[c] = 0.0
        begin, end = groups[c].begin, groups[c].begin + groups[c].size
        size = 0
        for slot in range(begin, end):
            size += counts[members[slot]]
        if not open_classes[c] or size <= least or end - begin < 2:
            continue
        if groups[c].fresh == 0:
            leave_each_out(columns, classes, c)
        for slot in range(begin, end):
            part, weight = members[slot], groups[c].weight
            if size - counts[part] < least:
                continue
            left = weight - parts[part].weight
            spared = weight * groups[c].price - left * parts[part].left
            saved = spared / counts[part] - parts[part].weight / counts[part] * full
            if saved > savings[c]:
                savings[c], best[c] = saved, part


@inner_kernel
def drop_parts(classes: Classes, chosen: NDArray[np.int64]) -> None:
    """Remove parts from their classes and label them -1; at most one of each class, which must be `fresh`."""
    _, parts, groups, members, _, _ = classes
    for part in chosen:
        c = parts[part].label
        _put_last(parts, members, part, groups[c].begin + groups[c].size - 1)
        groups[c].size -= 1
        groups[c].weight -= parts[part].weight
        close_without(classes, c, part)
        parts[part].label = -1


@inner_kernel
def _put_last(parts: NDArray[Any], members: NDArray[np.int64], part: int, end: int) -> None:
    """Exchange the slots of a part and of the one at `end`."""
    last, slot = members[end], parts[part].slot
    members[slot], members[end] = last, part
    parts[last].slot, parts[part].slot = slot, end
