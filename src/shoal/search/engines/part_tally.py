"""Part tally: some rows of a table as a tally of their own, counted by the hierarchies and values of the whole."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import Tally
from shoal.kernels.grouping import take
from shoal.search.engines.engine import Counted
from shoal.tables.distinct_rows import numbered_rows, rows_at
from shoal.tables.table import totals


def counted_part(
    whole: Tally, leaves: Sequence[NDArray[np.integer]], profiles: NDArray[np.int32], counts: NDArray[np.int64]
) -> Counted[NDArray[np.int32]]:
    """Count some rows of a table; classes are compared with the whole table.

    Args:
        whole: The tally of the whole table, of which the columns and sensitive tuples are taken.
        leaves: The leaf of each row, for each quasi column.
        profiles: The sensitive tuple of each row.
        counts: The number of records of each row.
    """
    sizes = [*(column.hierarchy.n_leaves for column in whole.quasi), len(whole.profile_codes)]
    point_of, places = numbered_rows([*leaves, profiles], sizes, len(profiles))
    tally = replace(
        whole,
        codes=rows_at(leaves, places),
        profiles=take(profiles, places),
        counts=totals(point_of, counts, len(places)),
        populations={},
        whole=whole.totals,
    )
    return Counted(tally, point_of)
