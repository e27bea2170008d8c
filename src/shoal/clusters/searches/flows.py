"""An assignment that gives each centre enough records, by a maximum flow."""

import numpy as np
from numpy.typing import NDArray

_MOST = np.iinfo(np.int32).max  # capacities are 32 bit integers


def filled(
    starts: NDArray[np.int64],
    within: NDArray[np.int32],
    counts: NDArray[np.int64],
    owner: NDArray[np.int64],
    need: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]] | None:
    """Reassign records among the centres near them so that each centre has `need` records; None if impossible.

    A unit of flow is a record that changes its centre. Flow enters at a centre with too few records, by the number that
    it lacks. It goes to a point that the centre may have, with the point's number of records as capacity, and on to the
    centre that owns the point. There it leaves, if the centre has more records than it needs, or it goes on, as this
    centre takes a record elsewhere. Every valid assignment differs from the given one by such moves. So one exists if
    and only if the maximum flow carries all that enters.

    Args:
        starts: The start of each centre's points in `within`.
        within: The points that each centre may have.
        counts: The number of records of each point.
        owner: The centre that has all records of each point at the start; it must be one that may have the point.
        need: The number of records that each centre needs.

    Returns:
        The assignment of all records: points, centres and numbers of records.
    """
    n_centres, n_points = len(starts) - 1, len(counts)
    sizes = np.bincount(owner, weights=counts, minlength=n_centres).astype(np.int64)
    short, spare = np.maximum(need - sizes, 0), np.maximum(sizes - need, 0)
    missing = int(short.sum())
    every = np.arange(n_points)
    if not missing:
        return every, owner, counts
    giver = np.repeat(np.arange(n_centres), np.diff(starts))
    other = owner[within] != giver
    taker, point = giver[other], within[other].astype(np.int64)
    source, sink = n_centres + n_points, n_centres + n_points + 1
    lacking, giving = np.flatnonzero(short), np.flatnonzero(spare)
    tails = np.concatenate([np.full(len(lacking), source), taker, n_centres + every, giving])
    heads = np.concatenate([lacking, n_centres + point, owner, np.full(len(giving), sink)])
    capacities = np.concatenate([short[lacking], counts[point], counts, spare[giving]])
    from scipy.sparse import csr_array  # loaded where it is needed: it takes a moment
    from scipy.sparse.csgraph import maximum_flow

    network = csr_array(
        (np.minimum(capacities, _MOST).astype(np.int32), (tails.astype(np.int32), heads.astype(np.int32))),
        shape=(sink + 1, sink + 1),
    )
    found = maximum_flow(network, source, sink)
    if found.flow_value < missing:
        return None
    flow = found.flow.tocoo()
    moved = (flow.data > 0) & (flow.row < n_centres) & (flow.col >= n_centres) & (flow.col < source)
    moved_points, amounts = flow.col[moved].astype(np.int64) - n_centres, flow.data[moved].astype(np.int64)
    kept = counts - np.bincount(moved_points, weights=amounts, minlength=n_points).astype(np.int64)
    stay = kept > 0
    return (
        np.concatenate([every[stay], moved_points]),
        np.concatenate([owner[stay], flow.row[moved].astype(np.int64)]),
        np.concatenate([kept[stay], amounts]),
    )


def cheapest_pairs(costs: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows and columns of a flow of least cost: as many pairs as there can be, each row and column once."""
    from scipy.optimize import linear_sum_assignment  # loaded where it is needed: it takes a moment

    rows, columns = linear_sum_assignment(costs)
    return rows.astype(np.int64), columns.astype(np.int64)
