"""The nearest points of each point by the price of covering both, computed on all cores."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from shoal.foundation.parallel import side_by_side
from shoal.kernels.clock import clock
from shoal.kernels.local.closures import Forms
from shoal.kernels.neighbours.by_price import closure_pair_prices, nearest_in_orders, nearest_points

_ALL_PAIRS = 40_000  # up to so many points every pair is compared
_WIDEST = 512  # for up to so many leaves of a column all pairs are priced; more are put into as many bins
_AT_ONCE = 500  # points after which the time is looked at
_ORDERS, _WINDOW = 16, 16  # with more points: so many random orders, and positions on either side of a point in each

Tables = tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]
"""The code of each point in a table of pair prices, the tables, where each begins, and its width."""


def neighbours_by_price(
    codes: NDArray[np.int32], forms: Forms, wanted: int, rng: np.random.Generator, seconds: float | None = None
) -> NDArray[np.int32]:
    """Return `near[point]`, up to `wanted` nearest points, the nearest first; the point itself fills up the rest.

    Exact up to `_ALL_PAIRS` points, as far as `seconds` suffice to compare every pair. For other points the candidates
    are those that are near it in one of several orders, each by the columns in a random sequence.
    """
    n_points = len(codes)
    near = np.zeros((n_points, max(1, min(wanted, n_points - 1))), dtype=np.int32)
    tables = _tables(codes, forms)
    done = _compared(tables, near, seconds) if n_points <= _ALL_PAIRS else 0
    if done == n_points:
        return near
    orders = np.stack([_random_order(codes, rng) for _ in range(_ORDERS)])
    positions = np.empty_like(orders)
    for order, position in zip(orders, positions, strict=True):
        position[order] = np.arange(n_points, dtype=np.int32)
    side_by_side(
        n_points - done,
        lambda begin, end: nearest_in_orders(*tables, done + begin, done + end, near, orders, positions, _WINDOW),
    )
    return near


def _compared(tables: Tables, near: NDArray[np.int32], seconds: float | None) -> int:
    """Compare points with all others, some at a time, while all can be done in time; return how many are done."""
    n_points, done, started = len(near), 0, clock()
    while done < n_points:
        if seconds is not None and done > 0 and (clock() - started) * n_points > seconds * done:
            return done
        some = n_points if seconds is None else min(_AT_ONCE, n_points - done)
        side_by_side(some, partial(_compare, tables, near, done))
        done += some
    return done


def _compare(tables: Tables, near: NDArray[np.int32], first: int, begin: int, end: int) -> None:
    nearest_points(*tables, first + begin, first + end, near)


def _tables(codes: NDArray[np.int32], forms: Forms) -> Tables:
    """Return the code of each point in a table of pair prices, the tables, where each begins, and its width.

    Columns of few values share a table, so that comparing two points takes fewer steps.
    """
    binned: list[NDArray[np.int32]] = []
    tables: list[NDArray[np.float32]] = []
    for j in np.argsort(codes.max(axis=0), kind="stable").tolist():
        own, table = _binned(codes[:, j], forms, j)
        if tables and len(tables[-1]) * len(table) <= _WIDEST:
            binned[-1] = binned[-1] * np.int32(len(table)) + own
            both = tables[-1][:, None, :, None] + table[None, :, None, :]
            tables[-1] = both.reshape(len(tables[-1]) * len(table), -1)
        else:
            binned.append(own)
            tables.append(table)
    widths = np.array([len(table) for table in tables], dtype=np.int64)
    starts = np.cumsum([0, *(table.size for table in tables)])[:-1].astype(np.int64)
    return np.stack(binned), np.concatenate([table.reshape(-1) for table in tables]), starts, widths


def _binned(leaves: NDArray[np.int32], forms: Forms, column: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return the bin of each leaf of one column, and the prices of the pairs of bins."""
    values, inverse = np.unique(leaves, return_inverse=True)
    step = -(-len(values) // _WIDEST)
    bins = inverse.reshape(-1).astype(np.int32) // np.int32(step)
    return bins, closure_pair_prices(
        forms, column, values[np.minimum(np.arange(0, len(values), step) + step // 2, len(values) - 1)]
    )


def _random_order(codes: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.int32]:
    columns = codes[:, rng.permutation(codes.shape[1])]
    return np.lexsort(columns.T).astype(np.int32)
