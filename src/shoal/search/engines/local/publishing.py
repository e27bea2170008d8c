"""Publishing: the records as they leave, generalized and in a random order."""

import numpy as np
from numpy.typing import NDArray

from shoal.search.engines.placement import Placement, different_rows
from shoal.search.problem import Solution
from shoal.tables.published import PublishedRows
from shoal.tables.table import Table


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
        row_of = np.repeat(np.arange(rows.height, dtype=np.int32), np.bincount(row_of, minlength=rows.height))
        rng.shuffle(row_of)
    return PublishedRows(rows, np.bincount(row_of, minlength=rows.height).astype(np.int64), row_of)
