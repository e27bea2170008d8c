"""Classes of at least k records from nearest neighbours: a forest, and its decomposition."""

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.classes.tally import Tally
from shoal.kernels.local.closures import Forms
from shoal.kernels.local.trees import cut_edges, grow_trees, pack_classes
from shoal.search.neighbours.exact import Neighbours, QuasiRows


def largest_class(k: int) -> int:
    """Return the largest number of records of a class of a decomposition, which is the factor of the loss."""
    return max(2 * k - 1, 3 * k - 5)


def decomposed(tally: Tally, forms: Forms, neighbours: Neighbours, k: int) -> Parts:
    """Return classes of k to `largest_class(k)` records, except classes of equal records, which cost nothing extra.

    A row stands for all its records, which are tied together without cost. Of a row with 3k records or more, some
    multiple of k forms a class of its own, so that 2k to 3k - 1 records are left to be joined with others.
    """
    rows = neighbours.rows
    surplus = np.where(rows.counts >= 3 * k, (rows.counts - 2 * k) // k * k, 0)
    counts = rows.counts - surplus
    target = grow_trees(counts, neighbours.offsets, neighbours.near, k)
    centres, branches = cut_edges(target, counts, k)
    owners, classes, sizes, n_classes = pack_classes(
        centres, branches, counts, rows.codes, k, largest_class(k), forms.nodes, forms.parent, forms.prices
    )
    more = np.flatnonzero(surplus)
    extra = np.arange(n_classes, n_classes + len(more), dtype=np.int32)
    return dealt(
        tally,
        rows,
        np.concatenate([owners, more.astype(np.int32)]),
        np.concatenate([classes, extra]),
        np.concatenate([sizes, surplus[more]]),
    )


def dealt(
    tally: Tally, rows: QuasiRows, owners: NDArray[np.int32], classes: NDArray[np.int32], counts: NDArray[np.int64]
) -> Parts:
    """Return the parts of the points from the parts of their rows; records are assigned in the order of the points."""
    order = np.lexsort((classes, owners))
    by_row = np.argsort(rows.row_of, kind="stable")
    by_row = by_row[tally.counts[by_row] > 0]
    ends = np.cumsum(tally.counts[by_row])
    breaks = np.cumsum(counts[order])
    joints = np.union1d(ends, breaks)
    last = joints - 1  # the last record of each part; records are numbered row by row and point by point
    return Parts(
        points=by_row[np.searchsorted(ends, last, side="right")].astype(np.int32),
        classes=classes[order][np.searchsorted(breaks, last, side="right")].astype(np.int32),
        counts=np.diff(joints, prepend=0),
    )
