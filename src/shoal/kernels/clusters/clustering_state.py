"""Clustering state: clusters that change record by record, who is in which and what each pays, and drafts of others."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel
from shoal.kernels.clusters.metrics import apart
from shoal.kernels.clusters.seats import ClusterPricing, paid, seat
from shoal.kernels.local.moves import draw

TRIED = 32  # records of a cluster up to which each is tried as its centre

MEMBER = np.dtype(
    [
        ("point", np.int64),  # where it stands
        ("profile", np.int64),  # its sensitive tuple
        ("label", np.int64),  # its cluster
        ("slot", np.int64),  # its place in `members`
        ("region", np.int64),  # the half of the clusters that its own is in
    ]
)
GROUP = np.dtype(
    [
        ("begin", np.int64),  # where its records begin in `members`
        ("room", np.int64),  # how many records it has room for
        ("size", np.int64),  # how many it has; an empty cluster is free
        ("cost", np.float64),  # what it pays
        ("square", np.float64),  # in flat space, the sum of the squared coordinates of its records
    ]
)


class ClusteringState(NamedTuple):
    """Clusters of records, kept so that a change costs what it touches.

    Args:
        records: What is to know of each record, as `MEMBER`; those of a point stand side by side.
        groups: What is to know of each cluster, as `GROUP`.
        members: The records of each cluster, one after another.
        sums: In flat space, `sums[cluster]`, the sum of the coordinates of its records.
        centres: Elsewhere, `centres[:, cluster]`, where its centre stands.
        near: `near[point]`, points near it, the nearest first.
        firsts: Where the records of each point begin.
        least: How many records a cluster keeps.
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
    """Where the search in one region notes what it tries.

    Args:
        random: `random[0, 0]`, the state of its random numbers.
        free: Empty clusters, and at the end how many of them there are.
        chosen: The clusters being formed anew.
        union: Their records.
        owner: Which new cluster each of these goes to, or -1.
        gaps: How far each of these is from what is looked at.
        drafted: The records of drafted clusters.
        ends: Where each ends, from the second entry on.
        sums: In flat space, the sum of the coordinates of each; the sum of their squares comes last.
        trial: Elsewhere, `trial[:, draft]`, the centre of each; two columns more are free to use.
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
def near_record(state: ClusteringState, random: NDArray[np.uint64], point: int) -> int:
    """Return a record of a point or of one near it, nearer ones more often."""
    near, firsts = state.near, state.firsts
    share = draw(random, 0)
    place = int(share * share * (near.shape[1] + 1)) - 1
    chosen = point if place < 0 else int(near[point, place])
    count = firsts[chosen + 1] - firsts[chosen]
    return firsts[chosen] if count == 1 else firsts[chosen] + int(draw(random, 0) * count)


@inner_kernel
def changed(pricing: ClusterPricing, state: ClusteringState, c: int, add: int, drop: int) -> float:
    """Return what a cluster of flat space pays with a record more, one less, or both. O(axes)."""
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
def shift(pricing: ClusterPricing, state: ClusteringState, i: int, source: int, target: int) -> None:
    """Take a record out of the sums of one cluster, and into those of another."""
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
def move(state: ClusteringState, i: int, target: int) -> None:
    """Move a record to another cluster; what they pay is the caller's business."""
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
    """List the records of a cluster, with one more and without another; return where they end."""
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
    """Return what a drafted cluster pays, and note its sums or its centre."""
    if not pricing.flat:
        spare = workspace.trial.shape[1] - 1
        value = seat(pricing, state.records, workspace.drafted, begin, end, workspace.trial, draft, spare, TRIED)
        return paid(pricing, end - begin, value)
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
    """Return how far two records are apart; in flat space, the square of it."""
    a, b = state.records[i].point, state.records[j].point
    if not pricing.flat:
        return apart(pricing.space, pricing.positions, a, pricing.positions, b)
    total = 0.0
    for f in range(pricing.coordinates.shape[1]):
        total += (pricing.coordinates[a, f] - pricing.coordinates[b, f]) ** 2
    return total
