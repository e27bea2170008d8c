"""Distinct rows: the different rows of a table of codes, numbered in the order of their codes."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.kernels.grouping import group_keys, take

_SAMPLE = 65_536  # keys in the sample that decides how all are ranked
_BLOCK = 16_384  # rows that are written at once


def distinct_rows(
    columns: Sequence[NDArray[np.integer]], sizes: Sequence[int], n_rows: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Number the distinct rows of a table of codes, in the order of their codes.

    Args:
        columns: The codes of each column, from 0 to below its size.
        sizes: The number of codes of each column.
        n_rows: The length of the columns (there may be none).

    Returns:
        The number of each row, and the codes of each distinct row (`[row, column]`).
    """
    numbers, places = numbered_rows(columns, sizes, n_rows)
    return numbers, rows_at(columns, places)


def numbered_rows(
    columns: Sequence[NDArray[np.integer]], sizes: Sequence[int], n_rows: int
) -> tuple[NDArray[np.int32], NDArray[np.integer]]:
    """Return the same numbers as `distinct_rows`, and the index of one row of each kind instead of its codes."""
    keys = np.zeros(n_rows, dtype=np.uint64)
    radix = 1
    for column, size in zip(columns, sizes, strict=True):
        if radix * max(size, 1) >= 2**63:
            ranks, first = _ranked(keys)
            keys, radix = ranks.astype(np.uint64), len(first)
        keys *= np.uint64(max(size, 1))
        np.add(keys, column, out=keys, casting="unsafe", dtype=np.uint64)  # converts block by block, not the whole
        radix *= max(size, 1)
    return _ranked(keys)


def rows_at(columns: Sequence[NDArray[np.integer]], places: NDArray[np.integer]) -> NDArray[np.int32]:
    """Return some rows of a table of codes (`[row, column]`)."""
    rows = np.empty((len(places), len(columns)), dtype=np.int32)
    for start in range(0, len(places), _BLOCK):  # a block of rows stays in the cache while its columns are written
        block = slice(start, start + _BLOCK)
        for j, column in enumerate(columns):
            rows[block, j] = column[places[block]]
    return rows


def _ranked(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.integer]]:
    """Return the rank of each key among the distinct keys, and the index of one key of each rank.

    If many keys repeat, they are grouped by hashing and only the distinct ones are sorted. If nearly all differ, this
    would mean two passes of random memory access, so all are sorted at once.
    """
    if few_repeat(keys):
        return _ranked_by_sorting(keys)
    groups, first = group_keys(keys)
    order = np.argsort(keys[first])
    rank = np.empty(len(first), dtype=np.int32)
    rank[order] = np.arange(len(first), dtype=np.int32)
    return take(rank, groups), first[order]


def few_repeat(keys: NDArray[np.uint64]) -> bool:
    """Estimate from a sample whether more than a quarter of many keys are distinct.

    If d distinct keys are equally frequent, a sample of s keys has about s * s / 2d repetitions.
    """
    if len(keys) <= _SAMPLE:
        return False
    sample = keys[:: -(-len(keys) // _SAMPLE)]
    repeated = len(sample) - len(np.unique(sample))
    return repeated * len(keys) < 2 * len(sample) ** 2


def _ranked_by_sorting(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.integer]]:
    order = pl.Series(keys).arg_sort().to_numpy()  # on all processors
    ordered = keys[order]
    new = np.empty(len(keys), dtype=np.bool_)
    new[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    ranks = np.empty(len(keys), dtype=np.int32)
    ranks[order] = np.cumsum(new, dtype=np.int32) - 1
    return ranks, order[new]
