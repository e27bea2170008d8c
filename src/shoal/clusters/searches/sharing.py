"""Clusters of at least r records from smaller ones that borrow records from each other (001 s.3.1)."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.duals import NearestPoints
from shoal.clusters.searches.points import Clusters, Points
from shoal.kernels.clusters.metrics import distances_of_pairs

QueueEntry = tuple[float, int, int]
"""The distance from the centre, the point, and the number of its records."""


@dataclass(slots=True, eq=False)
class Shared:
    """A cluster whose members may belong to other clusters too.

    Args:
        centre: Its centre, a point.
        own: Its own records; the own records of different clusters are disjoint.
        borrowed: Records that belong to another cluster, or to none.
        radius: The largest distance of a member from the centre, borrowed ones included.
    """

    centre: int
    own: list[QueueEntry]
    borrowed: list[QueueEntry] = field(default_factory=list)
    radius: float = 0.0

    def members(self) -> Iterable[QueueEntry]:
        """Go through all members."""
        yield from self.own
        yield from self.borrowed


def shared_out(
    rows: NearestPoints, centres: NDArray[np.int64], owners: NDArray[np.int64], served: NDArray[np.int64], r: int
) -> Clusters:
    """Make clusters of at least `r` records out of smaller ones (001 s.3.1, steps 2 and 3).

    Each cluster borrows the records next to its centre that it lacks. That is the shared clustering, in which records
    pay for each cluster they are in. Then, in the order of radii, a cluster opens if at least r of its members have not
    been taken, and takes them. One that is left over has a member that an open cluster took, of a radius no larger, and
    leans on it; fewer than r of its own records are left. Those of several that lean on the same are joined until
    they are r, and what remains is filled up by the open cluster, or joins it. Such a cluster has at most 2r - 1
    records, and, around the centre of the open one, at most three times the radius of the widest in it that was
    left over. In the shared clustering that one alone paid r times its radius: so the cost is at most 6 times that of
    the shared clustering, and there are no more clusters than in it.

    Records at one point are interchangeable: a borrowed record is any of those left at its point.

    Args:
        rows: The points around each point.
        centres: The centre of each cluster.
        owners: The cluster of each point, or -1.
        served: How many records of each point belong to its cluster; the others are left out, unless a cluster borrows
            them.
        r: The least size.
    """
    points = rows.points
    clusters = _with_own(points, centres, owners, served)
    for one in clusters:
        _borrow(rows, one, r)
    opened, leaning = _open(points, clusters, r)
    found: list[tuple[int, list[QueueEntry]]] = []
    for number, entries in opened.items():
        found += [(clusters[number].centre, part) for part in _parts(entries, leaning[number], r)]
    return clusters_of(points, found)


def clusters_of(points: Points, found: list[tuple[int, list[QueueEntry]]]) -> Clusters:
    """Return clusters, given their centres and records; all other records are left out."""
    amounts: dict[tuple[int, int], int] = {}
    rest = points.counts.copy()
    for owner, (_, entries) in enumerate(found):
        for _, point, amount in entries:
            amounts[point, owner] = amounts.get((point, owner), 0) + amount
            rest[point] -= amount
    amounts |= {(int(point), -1): int(rest[point]) for point in np.flatnonzero(rest)}
    keys = np.array(sorted(amounts), dtype=np.int64).reshape(-1, 2)
    centres = np.array([centre for centre, _ in found], dtype=np.int64)
    return Clusters(
        keys[:, 0].copy(),
        keys[:, 1].copy(),
        np.array([amounts[key] for key in sorted(amounts)], dtype=np.int64),
        np.ascontiguousarray(points.positions[:, centres]),
    )


def _with_own(
    points: Points, centres: NDArray[np.int64], owners: NDArray[np.int64], served: NDArray[np.int64]
) -> list[Shared]:
    own = np.flatnonzero((owners >= 0) & (served > 0))
    far = distances_of_pairs(
        points.space,
        np.ascontiguousarray(points.positions[:, own]),
        np.ascontiguousarray(points.positions[:, centres[owners[own]]]),
    )
    clusters = [Shared(centre, []) for centre in centres.tolist()]
    for distance, point in zip(far.tolist(), own.tolist(), strict=True):
        clusters[owners[point]].own.append((distance, point, int(served[point])))
    return [one for one in clusters if one.own]


def _borrow(rows: NearestPoints, one: Shared, r: int) -> None:
    one.radius = max(one.own)[0]
    lacking = r - _size(one.own)
    if lacking <= 0:
        return
    own = {point: amount for _, point, amount in one.own}
    near, far = rows.around(one.centre, r)
    for point, distance in zip(near.tolist(), far.tolist(), strict=True):
        amount = min(int(rows.points.counts[point]) - own.get(point, 0), lacking)
        if amount > 0:
            one.borrowed.append((distance, point, amount))
            one.radius = max(one.radius, distance)
            lacking -= amount


def _open(
    points: Points, clusters: list[Shared], r: int
) -> tuple[dict[int, list[QueueEntry]], dict[int, list[list[QueueEntry]]]]:
    """Return the records of each open cluster, and what is left to each that leans on it, the widest first."""
    rest = points.counts.tolist()
    takers: list[list[int]] = [[] for _ in rest]
    opened: dict[int, list[QueueEntry]] = {}
    homes: dict[int, int] = {}
    for number in sorted(range(len(clusters)), key=lambda c: (clusters[c].radius, clusters[c].centre)):
        wanted: dict[int, QueueEntry] = {}
        for far, point, amount in clusters[number].members():
            before = wanted[point][2] if point in wanted else 0
            wanted[point] = (far, point, min(before + amount, rest[point]))
        if _size(wanted.values()) >= r:
            opened[number] = [entry for entry in wanted.values() if entry[2] > 0]
            for _, point, amount in opened[number]:
                rest[point] -= amount
                takers[point].append(number)
        else:
            homes[number] = _nearest(points, clusters, number, {taker for point in wanted for taker in takers[point]})
    leaning: dict[int, list[list[QueueEntry]]] = {number: [] for number in opened}
    for number in sorted(homes, key=lambda c: -clusters[c].radius):
        kept = [(far, point, min(amount, rest[point])) for far, point, amount in clusters[number].own if rest[point]]
        if kept:
            leaning[homes[number]].append(kept)
    return opened, leaning


def _nearest(points: Points, clusters: list[Shared], number: int, takers: set[int]) -> int:
    homes = sorted(takers)
    if len(homes) == 1:
        return homes[0]
    centres = np.array([clusters[home].centre for home in homes], dtype=np.int64)
    here = np.repeat(points.positions[:, [clusters[number].centre]], len(homes), axis=1)
    there = np.ascontiguousarray(points.positions[:, centres])
    return homes[int(np.argmin(distances_of_pairs(points.space, here, there)))]


def _parts(first: list[QueueEntry], leaning: list[list[QueueEntry]], r: int) -> list[list[QueueEntry]]:
    """Split the records of an open cluster and of those that lean on it, each fewer than `r`, into clusters."""
    parts: list[list[QueueEntry]] = []
    group: list[QueueEntry] = []
    for own in leaning:
        group = group + own
        if _size(group) >= r:
            parts.append(group)
            group = []
    if not group:
        return [*parts, first]
    if _size(group) + _size(first) < 2 * r:
        return [*parts, first + group]
    rest, lacking = [], r - _size(group)
    for far, point, amount in sorted(first, reverse=True):
        given = min(amount, lacking)
        lacking -= given
        group += [(far, point, given)] if given else []
        rest += [(far, point, amount - given)] if amount > given else []
    return [*parts, group, rest]


def _size(entries: Iterable[QueueEntry]) -> int:
    return sum(amount for _, _, amount in entries)
