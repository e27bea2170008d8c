"""Cuts that every factor keeps and the relaxation of its program breaks."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_HALF = 0.5
_WHOLE = 1e-6  # what a value may be off a whole number
_BROKEN = 1e-4  # a cut that is broken by less is not worth a row
_LEVELS = (_WHOLE, 0.3, 0.6)  # edges above are joined to candidate sets


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A set of records, and what the edges about it must keep.

    Without teeth: as many edges touch the set, or records of it are omitted, as its half rounded up. With teeth, an odd
    number of edges that leave the set: inside it and among the teeth are no more edges than `side`.

    Args:
        inside: Which records are in the set.
        teeth: The places of the teeth among all edges.
        side: The right-hand side.
    """

    inside: NDArray[np.bool_]
    teeth: NDArray[np.int64]
    side: int


@dataclass(frozen=True, slots=True, eq=False)
class Fractions:
    """A solution of the relaxation, where it is not zero.

    Args:
        n: The number of records.
        places: The places of the edges among all edges.
        edges: Their ends.
        values: Their values.
        omitted: How far each record is omitted.
    """

    n: int
    places: NDArray[np.int64]
    edges: NDArray[np.int32]
    values: NDArray[np.float64]
    omitted: NDArray[np.float64]

    @classmethod
    def of(
        cls, n: int, edges: NDArray[np.int32], values: NDArray[np.float64], omitted: NDArray[np.float64]
    ) -> "Fractions":
        """Leave out the edges that are not used."""
        places = np.flatnonzero(values > _WHOLE)
        return cls(n, places, edges[places], values[places], omitted)

    @property
    def whole(self) -> bool:
        """Whether all values are whole numbers."""
        return bool((self.values > 1 - _WHOLE).all() and (np.abs(self.omitted - np.rint(self.omitted)) < _WHOLE).all())

    def sets(self) -> Iterator[NDArray[np.bool_]]:
        """Go through sets of records that fractional edges join, each once."""
        known: set[bytes] = set()
        for level in _LEVELS:
            fractional = (self.values > level) & (self.values < 1 - _WHOLE)
            for chosen in (fractional, self.values > level):
                for one in joined(self.n, self.edges[chosen]):
                    key = one.tobytes()
                    if key not in known:
                        known.add(key)
                        inside = np.zeros(self.n, dtype=np.bool_)
                        inside[one] = True
                        yield inside


def joined(n: int, edges: NDArray[np.int32]) -> list[NDArray[np.int64]]:
    """Return the records of each connected component that has an edge, ascending."""
    leader = list(range(n))

    def find(one: int) -> int:
        while leader[one] != one:
            leader[one] = leader[leader[one]]
            one = leader[one]
        return one

    for one, other in edges.tolist():
        first, second = find(one), find(other)
        leader[max(first, second)] = min(first, second)
    touched = np.unique(edges)
    leaders = np.array([find(one) for one in touched.tolist()], dtype=np.int64)
    order = np.argsort(leaders, kind="stable")
    breaks = np.flatnonzero(np.diff(leaders[order])) + 1
    return [part.astype(np.int64) for part in np.split(touched[order], breaks)] if len(touched) else []


def covers(found: Fractions) -> list[Cut]:
    """Return broken cuts of [1,2]-factors: an odd set of s records needs (s + 1) / 2 edges, or omitted records.

    Each of its records has an edge or is omitted, and an edge has two ends.
    """
    cuts = []
    for inside in found.sets():
        size = int(inside.sum())
        touching = inside[found.edges].any(axis=1)
        if size % 2 and found.values[touching].sum() + found.omitted[inside].sum() < (size + 1) // 2 - _BROKEN:
            cuts.append(Cut(inside, np.zeros(0, dtype=np.int64), (size + 1) // 2))
    return cuts


def blossoms(found: Fractions) -> list[Cut]:
    """Return broken cuts of 2-factors, the two-matching inequalities.

    Add up the degrees of h records, at most 2 each, and the values of an odd number t of edges that leave them, at most
    1 each. Every edge inside and every such edge is counted twice, the others that leave once; so those two kinds are at
    most h + t / 2, rounded down. The best edges to take are those above a half, and the nearest to it if they are even.
    """
    cuts = []
    for inside in found.sets():
        ends = inside[found.edges].sum(axis=1)
        leaving = np.flatnonzero(ends == 1)
        teeth = found.values[leaving] > _HALF
        if teeth.sum() % 2 == 0:
            if not len(leaving):
                continue
            nearest = np.argmin(np.abs(found.values[leaving] - _HALF))
            teeth[nearest] = ~teeth[nearest]
        chosen = leaving[teeth]
        side = int(inside.sum()) + (len(chosen) - 1) // 2
        if found.values[ends == 2].sum() + found.values[chosen].sum() > side + _BROKEN:
            cuts.append(Cut(inside, found.places[chosen], side))
    return cuts
