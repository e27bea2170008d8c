"""Odd sets of records whose row in the matching program is violated by a fractional solution."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.matching.cut_trees import cut_tree
from shoal.search.local.components import connected_components

_LEVELS = (0.0, 0.3, 0.5)  # classes above these values connect their records
_WHOLE = 1e-6  # a value this close to a whole number is taken for it
_VIOLATED = 1e-3  # the least violation for which a row is added


def odd_sets(
    sets: NDArray[np.int64], values: NDArray[np.float64], copies: NDArray[np.int64]
) -> list[NDArray[np.int64]]:
    """Return odd sets of records for which the values of the classes with an odd number of them add up to less than 1.

    Candidates are the components connected by classes above some values. If none of these is violated, the minimum cuts
    of each component are tried: with pairs only, one of them would be the most violated odd set (Padberg and Rao 1982).

    Args:
        sets: The classes: the kinds of up to three records each, padded with -1.
        values: How many of each class there are, in fractions.
        copies: The number of records of each kind.
    """
    used = values > _WHOLE
    sets, values = sets[used], values[used]
    if (np.abs(values - np.rint(values)) <= _WHOLE).all():
        return []
    tied = (members for level in _LEVELS for members in _components(sets[values > level], len(copies)))
    found = _loose_ones(tied, sets, values, copies)
    if found:
        return found
    parts = _components(sets, len(copies))
    cut = (members for part in parts for members in _least_cuts(part, sets, values, len(copies)))
    return _loose_ones(cut, sets, values, copies)


def _loose_ones(
    candidates: Iterable[NDArray[np.int64]],
    sets: NDArray[np.int64],
    values: NDArray[np.float64],
    copies: NDArray[np.int64],
) -> list[NDArray[np.int64]]:
    """Return the violated odd sets among some candidates, each once."""
    odd = {members.tobytes(): members for members in candidates if copies[members].sum() % 2 == 1}
    return [members for members in odd.values() if _loose(members, sets, values, len(copies))]


def _least_cuts(
    part: NDArray[np.int64], sets: NDArray[np.int64], values: NDArray[np.float64], n_kinds: int
) -> Iterator[NDArray[np.int64]]:
    """Yield the sides of the minimum cuts between the kinds of a component; a triple counts as three half pairs."""
    number = np.full(n_kinds + 1, -1, dtype=np.int32)  # the last entry is for the padding
    number[part] = np.arange(len(part))
    own = number[sets[:, 0]] >= 0
    ends, weights = number[sets[own]], values[own]
    three = ends[:, 2] >= 0
    edges = np.concatenate([ends[~three][:, :2], *(ends[three][:, pair] for pair in ([0, 1], [1, 2], [0, 2]))])
    kept = (edges[:, 1] >= 0) & (edges[:, 0] != edges[:, 1])  # no cut parts the records of a kind
    capacities = np.concatenate([weights[~three], np.tile(weights[three] / 2, 3)])
    parent, cuts = cut_tree(len(part), edges[kept], capacities[kept], 1.0)
    below = [[node] for node in range(len(part))]
    for node in np.argsort(_depths(parent), kind="stable")[:0:-1].tolist():  # the deepest first, without the root
        if cuts[node] < 1 - _VIOLATED:
            yield np.sort(part[below[node]])
        below[parent[node]] += below[node]


def _depths(parent: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the depth of each node of a tree whose root is node 0."""
    depths = np.zeros(len(parent), dtype=np.int64)
    above = parent.astype(np.int64)
    while above.any():
        depths += above > 0
        above = np.where(above > 0, parent[above], 0)
    return depths + (np.arange(len(parent)) > 0)


def _loose(members: NDArray[np.int64], sets: NDArray[np.int64], values: NDArray[np.float64], n_kinds: int) -> bool:
    inside = np.zeros(n_kinds + 1, dtype=np.bool_)  # the last entry is for the padding
    inside[members] = True
    odd = inside[sets].sum(axis=1) % 2 == 1
    return float(values[odd].sum()) < 1 - _VIOLATED


def _components(sets: NDArray[np.int64], n_kinds: int) -> list[NDArray[np.int64]]:
    """Return the kinds that classes of two and three connect, ascending; those in no class are left out."""
    edges = np.concatenate([sets[:, :2], sets[:, ::2]])
    return connected_components(n_kinds, edges[edges[:, 1] >= 0])
