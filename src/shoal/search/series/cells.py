"""Cells: what classes are published as, so that no two of different signatures are published alike."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.classes.recoding import Recoding
from shoal.classes.tally import QuasiColumn, Tally
from shoal.kernels.local.exchanging import close_members, own_prices
from shoal.measures.measure import CellMeasure
from shoal.search.local.closure import recoding_of
from shoal.search.local.forms import forms_of
from shoal.search.local.states import Encoding, encoding_of
from shoal.tables.distinct_rows import distinct_rows

_ROUNDS = 60
_NOISE = 0.25  # of a price, and more with each round: classes that all take the cheapest leaf stay alike


def separate_cells(
    tally: Tally, parts: Parts, owned: NDArray[np.int64], measure: CellMeasure, rng: np.random.Generator
) -> tuple[Recoding, NDArray[np.bool_]]:
    """Return what each class is published as, and which classes cannot be told apart from one of another signature.

    Of the classes that look alike, those of the signature with most records stay as they are. Each of the others is
    published a bit wider: as the least that also covers one more leaf of one column. For every column a leaf near those
    of the class is drawn, and the column is taken in which it costs least; after some rounds, one in which it costs
    little.

    Args:
        tally: The table.
        parts: The members of each class; none is empty.
        owned: The signature of each class.
        measure: The loss.
        rng: Draws what a class is widened by.
    """
    encoding = encoding_of(tally.quasi, forms_of(tally.quasi, measure))
    extra = np.zeros((0, tally.codes.shape[1]), dtype=np.int32)
    wide = np.zeros(0, dtype=np.int32)
    for turn in range(_ROUNDS + 1):
        grown = _widened(tally, parts, extra, wide)
        recoding = recoding_of(*grown, measure)
        same = _alike(recoding, parts, owned)
        if not same.any() or turn == _ROUNDS:
            return recoding, same
        going = np.flatnonzero(same).astype(np.int32)
        rows = _examples(tally, parts)[going]
        beside = np.column_stack(
            [_beside(column, rows[:, j], 1 + turn // 4, rng) for j, column in enumerate(tally.quasi)]
        )
        raised = _raised(encoding, *grown, going, rows, beside)
        raised *= 1 + _NOISE * turn * rng.random(raised.shape)
        chosen, at = raised.argmin(axis=1), np.arange(len(going))
        rows[at, chosen] = beside[at, chosen]
        extra, wide = np.vstack([extra, rows]), np.append(wide, going)
    raise AssertionError


def _raised(
    encoding: Encoding,
    tally: Tally,
    parts: Parts,
    going: NDArray[np.int32],
    rows: NDArray[np.int32],
    beside: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Return by how much the price of some classes rises in each column; infinity where nothing would change."""
    number = np.full(parts.n_classes, -1, dtype=np.int64)
    number[going] = np.arange(len(going))
    own = np.flatnonzero(number[parts.classes] >= 0)
    own = own[np.argsort(number[parts.classes[own]], kind="stable")]
    offsets = np.searchsorted(number[parts.classes[own]], np.arange(len(going) + 1)).astype(np.int64)
    states = encoding.states(tally.codes[parts.points[own]])
    closed = close_members(encoding.columns, states, offsets, np.arange(len(own), dtype=np.int64))
    before = own_prices(encoding.columns, closed)
    pairs = np.arange(2 * len(going), dtype=np.int64).reshape(2, -1).T.ravel()
    twos = np.arange(0, 2 * len(going) + 1, 2, dtype=np.int64)
    raised = np.empty(rows.shape)
    for j in range(rows.shape[1]):
        wider = rows.copy()
        wider[:, j] = beside[:, j]
        both = np.vstack([closed, encoding.states(wider)])
        raised[:, j] = own_prices(encoding.columns, close_members(encoding.columns, both, twos, pairs)) - before
    raised[raised <= 0] = np.inf
    return raised


def _widened(tally: Tally, parts: Parts, extra: NDArray[np.int32], wide: NDArray[np.int32]) -> tuple[Tally, Parts]:
    """Return the classes with records that are only there to be covered."""
    if not len(extra):
        return tally, parts
    points = np.arange(tally.n_points, tally.n_points + len(extra), dtype=np.int32)
    grown = Parts(
        np.concatenate([parts.points, points]),
        np.concatenate([parts.classes, wide]),
        np.concatenate([parts.counts, np.ones(len(extra), dtype=np.int64)]),
    )
    return replace(tally, codes=np.vstack([tally.codes, extra])), grown


def _alike(recoding: Recoding, parts: Parts, owned: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which classes look like one of another signature; of each kind those of one signature stay."""
    sizes = [len(subsets) for subsets in recoding.shown]
    look, _ = distinct_rows(list(recoding.cells.T), sizes, recoding.n_classes)
    keys, own = np.unique(look.astype(np.int64) * (int(owned.max()) + 1) + owned, return_inverse=True)
    records = np.bincount(own[parts.classes], weights=parts.counts, minlength=len(keys))
    order = np.lexsort((records, keys // (int(owned.max()) + 1)))  # the last of each kind has most records
    kinds = keys[order] // (int(owned.max()) + 1)
    most = np.zeros(int(look.max(initial=-1)) + 1, dtype=np.int64)
    most[kinds] = order
    return own != most[look]


def _examples(tally: Tally, parts: Parts) -> NDArray[np.int32]:
    """Return the leaves of one member of each class."""
    found = np.zeros((parts.n_classes, tally.codes.shape[1]), dtype=np.int32)
    found[parts.classes] = tally.codes[parts.points]
    return found


def _beside(column: QuasiColumn, leaves: NDArray[np.int32], reach: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """Return a leaf near each of some: in a tree one below the node at some level, else so many steps away."""
    hierarchy = column.hierarchy
    if hierarchy.form == "tree":
        nodes = hierarchy.codes[min(reach, hierarchy.height)]
        order = np.argsort(nodes, kind="stable")
        starts = np.searchsorted(nodes[order], nodes[leaves], side="left")
        ends = np.searchsorted(nodes[order], nodes[leaves], side="right")
        return order[rng.integers(starts, ends)].astype(np.int32)
    moved = leaves + rng.integers(-2 * reach, 2 * reach + 1, len(leaves))
    return np.clip(moved, 0, hierarchy.n_leaves - 1).astype(np.int32)
