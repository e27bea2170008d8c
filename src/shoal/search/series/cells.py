"""Cells: what classes are published as, so that no two of different signatures are published alike."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.classes.recoding import Recoding
from shoal.classes.tally import QuasiColumn, Tally
from shoal.measures.measure import Measure
from shoal.search.local.closure import recoding_of
from shoal.tables.distinct_rows import distinct_rows

_ROUNDS = 60


def separate_cells(
    tally: Tally, parts: Parts, owned: NDArray[np.int64], measure: Measure, rng: np.random.Generator
) -> tuple[Recoding, NDArray[np.bool_]]:
    """Return what each class is published as, and which classes cannot be told apart from one of another signature.

    A class that looks like one of another signature is published a bit wider: as the least that covers one more leaf of
    a column, drawn at random among those beside its own.

    Args:
        tally: The table.
        parts: The members of each class; none is empty.
        owned: The signature of each class.
        measure: The loss.
        rng: Draws what a class is widened by.
    """
    extra = np.zeros((0, tally.codes.shape[1]), dtype=np.int32)
    wide = np.zeros(0, dtype=np.int32)
    for turn in range(_ROUNDS + 1):
        recoding = recoding_of(*_widened(tally, parts, extra, wide), measure)
        same = _alike(recoding, owned)
        if not same.any() or turn == _ROUNDS:
            return recoding, same
        going = np.flatnonzero(same).astype(np.int32)
        columns = rng.integers(len(tally.quasi), size=len(going))
        rows = _examples(tally, parts)[going]
        reach = 1 + turn // 4
        for number, (row, column) in enumerate(zip(rows, columns, strict=True)):
            row[column] = _beside(tally.quasi[column], int(row[column]), reach, rng)
            rows[number] = row
        extra, wide = np.vstack([extra, rows]), np.append(wide, going)
    raise AssertionError


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


def _alike(recoding: Recoding, owned: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which classes look like one of another signature; of each kind those of one signature may stay."""
    sizes = [len(subsets) for subsets in recoding.shown]
    look, _ = distinct_rows(list(recoding.cells.T), sizes, recoding.n_classes)
    first = np.zeros(int(look.max(initial=-1)) + 1, dtype=np.int64)
    first[look[::-1]] = np.arange(len(look))[::-1]
    return owned[first[look]] != owned


def _examples(tally: Tally, parts: Parts) -> NDArray[np.int32]:
    """Return the leaves of one member of each class."""
    found = np.zeros((parts.n_classes, tally.codes.shape[1]), dtype=np.int32)
    found[parts.classes] = tally.codes[parts.points]
    return found


def _beside(column: QuasiColumn, leaf: int, reach: int, rng: np.random.Generator) -> int:
    """Return a leaf near another one: in a tree one below the node at some level, else so many steps away."""
    hierarchy = column.hierarchy
    if hierarchy.form == "tree":
        level = min(reach, hierarchy.height)
        nodes = hierarchy.codes[level]
        return int(rng.choice(np.flatnonzero(nodes == nodes[leaf])))
    return int(np.clip(leaf + rng.integers(-2 * reach, 2 * reach + 1), 0, hierarchy.n_leaves - 1))
