"""The loop of MDAV: the record farthest from the mean and its nearest neighbours form a class, two at a time."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.clusters.metrics import EARTH, HOLED, NUMBER, Space, fill_distances


@kernel
def split_extremes(
    space: Space,
    here: NDArray[np.float64],
    counts: NDArray[np.int64],
    k: int,
    most: int,
    seen: NDArray[np.int64],
    entries: NDArray[np.int64],
) -> int:
    """Form up to `most` classes of k records: pairs while 3k records remain, then one if 2k remain. O(most x points).

    Args:
        space: The metric space.
        here: The position of each point.
        counts: The number of records of each point that are in no class yet; reduced.
        k: The number of records of a class.
        most: How many classes to form, an even number.
        seen: Workspace, one number for each category.
        entries: Filled: point, class and number of records of each entry.

    Returns:
        The number of entries.
    """
    total, n_entries, n_classes = 0, 0, 0
    for p in range(counts.shape[0]):
        total += counts[p]
    centre = np.empty((here.shape[0], 1))
    row = np.empty(counts.shape[0])
    chosen = np.empty(k + 1, np.int64)
    while n_classes < most and total >= 2 * k:
        fill_mean(space, here, counts, total, seen, centre)
        fill_distances(space, centre, 0, here, row)
        for _side in range(2 if total >= 3 * k else 1):
            far = _farthest(row, counts)
            fill_distances(space, here, far, here, row)
            n_chosen = _nearest(row, counts, k, chosen)
            wanted = k
            for index in range(n_chosen):
                p = chosen[index]
                amount = min(counts[p], wanted)
                entries[n_entries, 0], entries[n_entries, 1], entries[n_entries, 2] = p, n_classes, amount
                n_entries += 1
                wanted -= amount
                counts[p] -= amount
            total -= k
            n_classes += 1
    return n_entries


@inner_kernel
def fill_mean(
    space: Space,
    here: NDArray[np.float64],
    counts: NDArray[np.int64],
    total: int,
    seen: NDArray[np.int64],
    centre: NDArray[np.float64],
) -> None:
    """Write the centre of the records left. O(points x axes + categories).

    It is the mean of numbers and of locations, and the most frequent category, the first of equals. A number that fewer
    than half of the records have is missing in the centre.
    """
    for axis in range(space.kinds.shape[0]):
        kind, start = space.kinds[axis], space.starts[axis]
        if kind in (NUMBER, HOLED):
            known, added = 0, 0.0
            for p in range(counts.shape[0]):
                if counts[p] > 0 and not np.isnan(here[start, p]):
                    known += counts[p]
                    added += here[start, p] * counts[p]
            centre[start, 0] = added / known if 2 * known >= total else np.nan
        elif kind == EARTH:
            length, some = 0.0, -1
            for c in range(start, start + 3):
                added = 0.0
                for p in range(counts.shape[0]):
                    added += here[c, p] * counts[p]
                    if counts[p] > 0 and some < 0:
                        some = p
                centre[c, 0] = added
                length += added * added
            for c in range(start, start + 3):
                centre[c, 0] = centre[c, 0] / np.sqrt(length) if length > 0 else here[c, some]
        else:
            seen[:] = 0
            for p in range(counts.shape[0]):
                seen[np.int64(here[start, p])] += counts[p]
            best = 0
            for v in range(seen.shape[0]):
                if seen[v] > seen[best]:
                    best = v
            centre[start, 0] = best


@inner_kernel
def _farthest(row: NDArray[np.float64], counts: NDArray[np.int64]) -> int:
    """Return the point at the largest distance among those with records, the first of equals."""
    best = -1
    for p in range(row.shape[0]):
        if counts[p] > 0 and (best < 0 or row[p] > row[best]):
            best = p
    return best


@inner_kernel
def _nearest(row: NDArray[np.float64], counts: NDArray[np.int64], k: int, chosen: NDArray[np.int64]) -> int:
    """List the nearest points that together have at least k records; return how many. The first of equals comes first.

    Insertion into a sorted list that drops its last points once the others suffice: O(points x k) at worst.
    """
    n_chosen, total = 0, 0
    for p in range(row.shape[0]):
        if counts[p] == 0 or (total >= k and row[p] >= row[chosen[n_chosen - 1]]):
            continue
        slot = n_chosen
        while slot > 0 and row[p] < row[chosen[slot - 1]]:
            chosen[slot] = chosen[slot - 1]
            slot -= 1
        chosen[slot] = p
        n_chosen += 1
        total += counts[p]
        while total - counts[chosen[n_chosen - 1]] >= k:
            n_chosen -= 1
            total -= counts[chosen[n_chosen]]
    return n_chosen
