"""Blossom inequalities: cuts that every factor satisfies and a solution of the relaxation violates."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.matching.cut_trees import cut_tree
from shoal.search.local.components import connected_components

_HALF = 0.5
_WHOLE = 1e-6  # a value this close to a whole number is taken for it
_BROKEN = 1e-4  # a cut that is violated by less is not worth a row
_LEVELS = np.arange(0.02, 0.5, 0.04)  # sets joined by edges at least this far from 0 and 1 are tried
_SMALL = 200  # in components of up to so many records all sets are tried at once


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A blossom inequality: edges inside a set, omitted records of it and its teeth are together at most `side`.

    Proof: add up the degrees of the h records of the set. Each is 2, counting a spare edge once and an omitted record
    twice. Add an odd number t of edges that leave the set or are spare edges of it, the teeth, at most 1 each. Then
    every edge inside, every omitted record and every tooth is counted twice, and the other leaving edges once. So the
    former are at most h + t / 2, and, since they are a whole number, at most h + (t - 1) / 2.

    Args:
        inside: Which records are in the set.
        teeth: The indices, among all edges, of the teeth that are edges.
        spares: The records of the teeth that are spare edges.
        side: The right-hand side.
    """

    inside: NDArray[np.bool_]
    teeth: NDArray[np.int64]
    spares: NDArray[np.int64]
    side: int


@dataclass(frozen=True, slots=True, eq=False)
class Fractions:
    """The nonzero part of a solution of the relaxation; spare edges lead to one more node, the last.

    Args:
        n: The number of records.
        indices: The indices of the edges among all edges; negative for spare edges.
        edges: Their ends.
        values: Their values.
        omitted: The value of each record's omission.
    """

    n: int
    indices: NDArray[np.int64]
    edges: NDArray[np.int32]
    values: NDArray[np.float64]
    omitted: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        edges: NDArray[np.int32],
        values: NDArray[np.float64],
        spare: NDArray[np.float64],
        omitted: NDArray[np.float64],
    ) -> "Fractions":
        """Return a solution without the edges that are not used."""
        n = len(omitted)
        together = np.concatenate([spare, values])
        to_spare = np.column_stack([np.arange(len(spare)), np.full(len(spare), n)]).astype(np.int32)
        used = np.flatnonzero(together > _WHOLE)
        return cls(n, used - len(spare), np.concatenate([to_spare, edges])[used], together[used], omitted)

    @property
    def whole(self) -> bool:
        """Whether all values are whole numbers."""
        return bool((self.values > 1 - _WHOLE).all() and (np.abs(self.omitted - np.rint(self.omitted)) < _WHOLE).all())

    @property
    def chosen(self) -> NDArray[np.int32]:
        """The edges that are not spare, if all values are whole."""
        return self.edges[(self.values > _HALF) & (self.edges[:, 1] < self.n)]


def broken(found: Fractions, *, exact: bool) -> list[Cut]:
    """Return cuts that a solution of the relaxation violates.

    A cut of the set H is violated if, over the edges that leave H, the sum of min(value, 1 - value) is less than 1:
    teeth are the edges above a half, and if their number is even, one edge is changed, at a further cost. Only
    fractional edges contribute, so H is in one component of these. Sets joined by strong edges are good candidates. To
    try all sets, those of a tree of minimum cuts suffice (Letchford, Reinelt and Theis 2004); spare edges lead to the
    root, which is in no set.

    Args:
        found: The solution.
        exact: Whether to search until there is none, if small components and strong edges give none.
    """
    fractional = np.flatnonzero((found.values < 1 - _WHOLE) & (found.values > _WHOLE))
    real = fractional[found.edges[fractional, 1] < found.n]
    parts = connected_components(found.n, found.edges[real])
    alone = np.setdiff1d(found.edges[fractional, 0], found.edges[real])
    small = (one for nodes in parts if len(nodes) <= _SMALL for one in _split(found, nodes, fractional))
    cuts = _cuts(found, chain(parts, alone.astype(np.int64).reshape(-1, 1), _strong(found, real), small))
    if exact and not cuts:
        cuts = _cuts(found, (one for nodes in parts for one in _split(found, nodes, fractional)))
    return cuts


def _cuts(found: Fractions, sets: Iterable[NDArray[np.int64]]) -> list[Cut]:
    """Return the violated cuts of some sets, each once."""
    order = np.argsort(found.edges.ravel(), kind="stable")
    starts = np.searchsorted(found.edges.ravel()[order], np.arange(found.n + 1))
    cuts, known = [], set()
    for members in sets:
        own = np.sort(members)
        if (key := own.tobytes()) in known:
            continue
        known.add(key)
        lengths = starts[own + 1] - starts[own]
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        cut = _cut(found, own, order[np.repeat(starts[own], lengths) + within] // 2)
        if cut is not None:
            cuts.append(cut)
    return cuts


def _strong(found: Fractions, real: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield the sets that are joined by edges with values near a half."""
    strengths = np.minimum(found.values[real], 1 - found.values[real])
    for level in _LEVELS:
        yield from connected_components(found.n, found.edges[real[strengths > level]])


def _split(found: Fractions, nodes: NDArray[np.int64], fractional: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield the sets of a tree of minimum cuts of one component."""
    number = np.full(found.n + 1, -1, dtype=np.int32)
    number[nodes] = np.arange(1, len(nodes) + 1)
    number[found.n] = 0
    own = fractional[number[found.edges[fractional, 0]] > 0]
    capacities = np.minimum(found.values[own], 1 - found.values[own])
    parent, cuts = cut_tree(len(nodes) + 1, number[found.edges[own]], capacities, 1.0)
    children: list[list[int]] = [[] for _ in range(len(parent))]
    for child, above in enumerate(parent.tolist()):
        if child:
            children[above].append(child)
    for child in np.flatnonzero(cuts < 1 - _BROKEN).tolist():
        below, waiting = [], [child]
        while waiting:
            below.append(waiting.pop())
            waiting += children[below[-1]]
        if len(below) < len(nodes):
            yield nodes[np.array(below) - 1]


def _cut(found: Fractions, members: NDArray[np.int64], touching: NDArray[np.int64]) -> Cut | None:
    """Return the cut of a set with the best teeth, or None if it is not violated.

    Args:
        found: The solution.
        members: The records of the set.
        touching: The edges at each of them, so that those inside are listed twice.
    """
    edges, ends = np.unique(touching, return_counts=True)
    leaving = edges[ends == 1]
    teeth = found.values[leaving] > _HALF
    if teeth.sum() % 2 == 0:
        if not len(leaving):
            return None
        nearest = np.argmin(np.abs(found.values[leaving] - _HALF))
        teeth[nearest] = ~teeth[nearest]
    chosen = leaving[teeth]
    side = len(members) + (len(chosen) - 1) // 2
    held = found.values[edges[ends == 2]].sum() + found.values[chosen].sum() + found.omitted[members].sum()
    if held <= side + _BROKEN:
        return None
    inside = np.zeros(found.n, dtype=np.bool_)
    inside[members] = True
    spare = found.edges[chosen, 1] == found.n
    return Cut(inside, found.indices[chosen[~spare]], found.edges[chosen[spare], 0].astype(np.int64), side)
