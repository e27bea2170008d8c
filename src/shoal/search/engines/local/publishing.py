"""Publishing: the records as they leave, generalized and in a random order."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.search.engines.placement import Placement, different_rows
from shoal.search.problem import Solution
from shoal.tables.published import PublishedRows
from shoal.tables.table import Table, totals


def publish(
    table: Table,
    solution: Solution,
    classes: NDArray[np.int32],
    *,
    stars: bool,
    shuffled: bool,
    rng: np.random.Generator,
) -> PublishedRows:
    """Return the release: generalized quasi columns, persons as numbers, others as they are, identifiers gone.

    Shuffled, the records are first put into the order of what is published and then into a random one, so that
    the release tells nothing of the order of the table, not even to who knows the seed.

    Args:
        table: The table.
        solution: What each class is published as.
        classes: The class of each record, or -1.
        stars: Whether suppressed records leave with stars in their quasi columns; else they are left out.
        shuffled: Whether the records leave in a random order; else in that of the table.
        rng: Where that order comes from.
    """
    rows, row_of, _ = different_rows(table, solution, Placement(None, classes, None), stars=stars)
    if shuffled:
        return shuffled_rows(rows, row_of, None, rng)
    return PublishedRows(rows, np.bincount(row_of, minlength=rows.height).astype(np.int64), row_of)


def shuffled_rows(
    rows: pl.DataFrame, row_of: NDArray[np.int32], counts: NDArray[np.int64] | None, rng: np.random.Generator
) -> PublishedRows:
    """Return records in a random order.

    Args:
        rows: The different rows, in the order of their content.
        row_of: The row of each entry.
        counts: How many records each entry is; None if each is one.
        rng: Where the order comes from.
    """
    sizes = totals(row_of, counts, rows.height)
    order = np.repeat(np.arange(rows.height, dtype=np.int32), sizes)
    rng.shuffle(order)
    return PublishedRows(rows, sizes, order)
