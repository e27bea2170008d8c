"""Odd sets of records that a fractional choice of classes ties together too loosely."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.matching.cut_trees import cut_tree
from shoal.search.local.components import joined

_LEVELS = (0.0, 0.3, 0.5)  # values above which a class ties its records together
_WHOLE = 1e-6  # a value that is nearer to a whole number is taken for it
_VIOLATED = 1e-3  # by which a row is worth adding


def odd_sets(sets: NDArray[np.int64], values: NDArray[np.float64], n_records: int) -> list[NDArray[np.int64]]:
    """Return odd sets of records in which classes with an odd number of them have less than 1 in all.

    Candidates are the parts that hang together by classes which are chosen neither fully nor not at all, and those by
    the ones above some value. If none of these is such a set, the least cuts of each part are looked at: were there
    pairs alone, one of them would be the loosest odd set (Padberg and Rao 1982).

    Args:
        sets: The classes: up to three records each, and -1 in the places left.
        values: Their values.
        n_records: The number of records.
    """
    broken = (values > _WHOLE) & (values < 1 - _WHOLE)
    sets, values = sets[broken], values[broken]
    tied = (members for level in _LEVELS for members in _components(sets[values > level], n_records))
    found = _loose_ones(tied, sets, values, n_records)
    if found:
        return found
    parts = _components(sets, n_records)
    cut = (members for part in parts for members in _least_cuts(part, sets, values, n_records))
    return _loose_ones(cut, sets, values, n_records)


def _loose_ones(
    candidates: Iterable[NDArray[np.int64]], sets: NDArray[np.int64], values: NDArray[np.float64], n_records: int
) -> list[NDArray[np.int64]]:
    """Return the odd sets among some that are tied together too loosely, each once."""
    odd = {members.tobytes(): members for members in candidates if len(members) % 2 == 1}
    return [members for members in odd.values() if _loose(members, sets, values, n_records)]


def _least_cuts(
    part: NDArray[np.int64], sets: NDArray[np.int64], values: NDArray[np.float64], n_records: int
) -> Iterator[NDArray[np.int64]]:
    """Go through the sides of the least cuts between the records of a part; a triple is three halves of pairs."""
    number = np.full(n_records + 1, -1, dtype=np.int32)  # the last entry is for the places left
    number[part] = np.arange(len(part))
    own = number[sets[:, 0]] >= 0
    places, weights = number[sets[own]], values[own]
    three = places[:, 2] >= 0
    edges = np.concatenate([places[~three][:, :2], *(places[three][:, pair] for pair in ([0, 1], [1, 2], [0, 2]))])
    paired = places[~three][:, 1] >= 0
    kept = np.append(paired, np.ones(3 * int(three.sum()), dtype=np.bool_))
    capacities = np.concatenate([weights[~three], np.tile(weights[three] / 2, 3)])
    parent, cuts = cut_tree(len(part), edges[kept], capacities[kept], 1.0)
    below = [[node] for node in range(len(part))]
    for node in np.argsort(_depths(parent), kind="stable")[:0:-1].tolist():  # the deepest first, without the root
        if cuts[node] < 1 - _VIOLATED:
            yield np.sort(part[below[node]])
        below[parent[node]] += below[node]


def _depths(parent: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return how far each node of a tree is from its root, which is node 0."""
    depths = np.zeros(len(parent), dtype=np.int64)
    above = parent.astype(np.int64)
    while above.any():
        depths += above > 0
        above = np.where(above > 0, parent[above], 0)
    return depths + (np.arange(len(parent)) > 0)


def _loose(members: NDArray[np.int64], sets: NDArray[np.int64], values: NDArray[np.float64], n_records: int) -> bool:
    inside = np.zeros(n_records + 1, dtype=np.bool_)  # the last entry is for the places left
    inside[members] = True
    odd = inside[sets].sum(axis=1) % 2 == 1
    return float(values[odd].sum()) < 1 - _VIOLATED


def _components(sets: NDArray[np.int64], n_records: int) -> list[NDArray[np.int64]]:
    """Return the records that hang together by classes of two and three, ascending; those in no class are left out."""
    edges = np.concatenate([sets[:, :2], sets[:, ::2]])
    return joined(n_records, edges[edges[:, 1] >= 0])
