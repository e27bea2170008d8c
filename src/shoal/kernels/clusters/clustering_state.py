"""Clustering state: a partition of records into clusters that changes record by record, with the cost of each cluster.

A workspace holds drafts: clusters that are priced before they replace others.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel
from shoal.kernels.clusters.centres import ClusterPricing, cluster_cost, move_centre
from shoal.kernels.clusters.metrics import distance_between
from shoal.kernels.local.moves import draw

TRIED = 32  # in clusters of up to so many records each record is tried as the centre

MEMBER = np.dtype(
    [
        ("point", np.int64),  # its point
        ("profile", np.int64),  # its sensitive tuple
        ("label", np.int64),  # its cluster
        ("slot", np.int64),  # its index in `members`
        ("region", np.int64),  # the region that its cluster is in
    ]
)
CLUSTER = np.dtype(
    [
        ("begin", np.int64),  # where its records begin in `members`
        ("capacity", np.int64),  # how many records fit into its part of `members`
        ("size", np.int64),  # its number of records; 0 if it is free to be used
        ("cost", np.float64),  # its cost
        ("square", np.float64),  # in Euclidean space, the sum of the squared coordinates of its records
    ]
)


class ClusteringState(NamedTuple):
    """A partition of records into clusters; a change takes time in proportion to what it touches.

    Args:
        records: One `MEMBER` for each record; the records of a point are adjacent.
        groups: One `CLUSTER` for each cluster.
        members: The records of each cluster, one cluster after another.
        sums: In Euclidean space, `sums[cluster]`, the sum of the coordinates of its records.
        centres: In other spaces, `centres[:, cluster]`, the position of its centre.
        near: `near[point]`, its nearest neighbours, the nearest first.
        firsts: The index of the first record of each point.
        least: The least number of records of a cluster.
    """

    records: NDArray[Any]
    groups: NDArray[Any]
    members: NDArray[np.int64]
    sums: NDArray[np.float64]
    centres: NDArray[np.float64]
    near: NDArray[np.int32]
    firsts: NDArray[np.int64]
    least: int


class ClusterWorkspace(NamedTuple):
    """Arrays that the search in one region overwrites.

    A move that forms clusters anew gathers the records of some clusters (`union`), assigns each to a draft (`owner`),
    and lists the records draft by draft (`drafted`, `ends`). Only if the move is accepted, the drafts replace the
    clusters.

    Args:
        random: `random[0, 0]`, the state of the random number generator.
        free: A stack of empty clusters; the last entry is their number.
        chosen: The clusters that are formed anew.
        union: The records of these clusters.
        owner: The draft of each record of `union`, or -1.
        gaps: The distance of each record of `union` from the current seed.
        drafted: The records of all drafts, one draft after another.
        ends: `ends[draft + 1]`, where the draft ends in `drafted`.
        sums: In Euclidean space, the sum of the coordinates of each draft, and last the sum of the squared coordinates.
        trial: In other spaces, `trial[:, draft]`, the centre of each draft; two more columns are free to use.
    """

    random: NDArray[np.uint64]
    free: NDArray[np.int64]
    chosen: NDArray[np.int64]
    union: NDArray[np.int64]
    owner: NDArray[np.int64]
    gaps: NDArray[np.float64]
    drafted: NDArray[np.int64]
    ends: NDArray[np.int64]
    sums: NDArray[np.float64]
    trial: NDArray[np.float64]


@inner_kernel
def draw_near_member(state: ClusteringState, random: NDArray[np.uint64], point: int) -> int:
    """Return a random record of a point or of one of its nearest neighbours.

    The rank of the point is m u^2 with u uniform in [0, 1], so that nearer points are drawn more often.
    """
    near, firsts = state.near, state.firsts
    share = draw(random, 0)
    rank = int(share * share * (near.shape[1] + 1)) - 1
    chosen = point if rank < 0 else int(near[point, rank])
    count = firsts[chosen + 1] - firsts[chosen]
    return firsts[chosen] if count == 1 else firsts[chosen] + int(draw(random, 0) * count)


@inner_kernel
def changed_cost(pricing: ClusterPricing, state: ClusteringState, c: int, add: int, drop: int) -> float:
    """Return the cost of a cluster of Euclidean space after a record is added, dropped, or both. O(axes).

    The sum of squared distances to the mean is the sum of the squared coordinates minus |sum of coordinates|^2 / size.
    """
    records, group = state.records, state.groups[c]
    coordinates = pricing.coordinates
    size, square, length = group.size, group.square, 0.0
    if add >= 0 and drop >= 0:
        a, b = records[add].point, records[drop].point
        for f in range(coordinates.shape[1]):
            x, y = coordinates[a, f], coordinates[b, f]
            square += x * x - y * y
            length += (state.sums[c, f] + x - y) ** 2
    elif add >= 0:
        a = records[add].point
        size += 1
        for f in range(coordinates.shape[1]):
            x = coordinates[a, f]
            square += x * x
            length += (state.sums[c, f] + x) ** 2
    else:
        a = records[drop].point
        size -= 1
        for f in range(coordinates.shape[1]):
            x = coordinates[a, f]
            square -= x * x
            length += (state.sums[c, f] - x) ** 2
    return max(square - length / size, 0.0) + pricing.setup


@inner_kernel
def shift_sums(pricing: ClusterPricing, state: ClusteringState, i: int, source: int, target: int) -> None:
    """Update the sums of two clusters for a record that moves from one to the other. O(axes)."""
    point = state.records[i].point
    square = 0.0
    for f in range(pricing.coordinates.shape[1]):
        x = pricing.coordinates[point, f]
        square += x * x
        state.sums[source, f] -= x
        state.sums[target, f] += x
    state.groups[source].square -= square
    state.groups[target].square += square


@inner_kernel
def move_member(state: ClusteringState, i: int, target: int) -> None:
    """Move a record to another cluster; the caller updates the costs, sums and centres. O(1)."""
    records, groups, members = state.records, state.groups, state.members
    source = groups[records[i].label]
    source.size -= 1
    last = members[source.begin + source.size]
    members[records[i].slot] = last
    records[last].slot = records[i].slot
    slot = groups[target].begin + groups[target].size
    groups[target].size += 1
    members[slot] = i
    records[i].slot = slot
    records[i].label = target


@inner_kernel
def list_changed(state: ClusteringState, workspace: ClusterWorkspace, c: int, add: int, drop: int, begin: int) -> int:
    """List the records of a cluster with one added and one dropped, from `begin` on; return where the list ends."""
    group = state.groups[c]
    for m in range(group.begin, group.begin + group.size):
        if state.members[m] != drop:
            workspace.drafted[begin] = state.members[m]
            begin += 1
    if add >= 0:
        workspace.drafted[begin] = add
        begin += 1
    return begin


@inner_kernel
def drafted_cost(
    pricing: ClusterPricing, state: ClusteringState, workspace: ClusterWorkspace, begin: int, end: int, draft: int
) -> float:
    """Return the cost of a drafted cluster, and store its sums or its centre in the workspace."""
    if not pricing.flat:
        spare = workspace.trial.shape[1] - 1
        value = move_centre(pricing, state.records, workspace.drafted, begin, end, workspace.trial, draft, spare, TRIED)
        return cluster_cost(pricing, end - begin, value)
    n_axes = pricing.coordinates.shape[1]
    square, length = 0.0, 0.0
    for f in range(n_axes):
        total = 0.0
        for m in range(begin, end):
            x = pricing.coordinates[state.records[workspace.drafted[m]].point, f]
            total += x
            square += x * x
        workspace.sums[draft, f] = total
        length += total * total
    workspace.sums[draft, n_axes] = square
    return max(square - length / (end - begin), 0.0) + pricing.setup


@inner_kernel
def far_apart(pricing: ClusterPricing, state: ClusteringState, i: int, j: int) -> float:
    """Return the distance of two records; in Euclidean space, its square."""
    a, b = state.records[i].point, state.records[j].point
    if not pricing.flat:
        return distance_between(pricing.space, pricing.positions, a, pricing.positions, b)
    total = 0.0
    for f in range(pricing.coordinates.shape[1]):
        total += (pricing.coordinates[a, f] - pricing.coordinates[b, f]) ** 2
    return total
