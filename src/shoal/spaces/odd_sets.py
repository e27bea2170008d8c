"""Odd sets of records that a fractional choice of classes ties together too loosely."""

import numpy as np
from numpy.typing import NDArray

_LEVELS = (0.0, 0.3, 0.5)  # values above which a class ties its records together
_WHOLE = 1e-6  # a value that is nearer to a whole number is taken for it
_VIOLATED = 1e-3  # by which a row is worth adding


def odd_sets(sets: NDArray[np.int64], values: NDArray[np.float64], n_records: int) -> list[NDArray[np.int64]]:
    """Return odd sets of records in which classes with an odd number of them have less than 1 in all.

    Candidates are the parts that hang together by classes which are chosen neither fully nor not at all, and those
    by the ones above some value.

    Args:
        sets: The classes: up to three records each, and -1 in the places left.
        values: Their values.
        n_records: The number of records.
    """
    broken = (values > _WHOLE) & (values < 1 - _WHOLE)
    sets, values = sets[broken], values[broken]
    found: dict[bytes, NDArray[np.int64]] = {}
    for level in _LEVELS:
        for members in _components(sets[values > level], n_records):
            if len(members) % 2 == 1 and members.tobytes() not in found and _loose(members, sets, values, n_records):
                found[members.tobytes()] = members
    return list(found.values())


def _loose(members: NDArray[np.int64], sets: NDArray[np.int64], values: NDArray[np.float64], n_records: int) -> bool:
    inside = np.zeros(n_records + 1, dtype=np.bool_)  # the last entry is for the places left
    inside[members] = True
    odd = inside[sets].sum(axis=1) % 2 == 1
    return float(values[odd].sum()) < 1 - _VIOLATED


def _components(sets: NDArray[np.int64], n_records: int) -> list[NDArray[np.int64]]:
    """Return the records that hang together by classes of two and three, ascending; those in no class are left out."""
    root = list(range(n_records))

    def top(record: int) -> int:
        while root[record] != record:
            root[record] = root[root[record]]
            record = root[record]
        return record

    for one, two, three in sets.tolist():
        for other in (two, three):
            if other >= 0:
                root[top(other)] = top(one)
    tied = np.unique(sets[sets >= 0])
    tops = np.array([top(record) for record in tied.tolist()], dtype=np.int64)
    order = np.argsort(tops, kind="stable")
    ends = np.flatnonzero(np.diff(tops[order])) + 1
    return np.split(tied[order], ends) if len(tied) else []
