"""Witnesses: the charges of a bound as whole units, for whoever proves it again without the search."""

from math import frexp

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.local.closures import SETS, Forms
from shoal.kernels.prices import ENTROPY
from shoal.models.caps import PARTS
from shoal.search.bounds.families import Family
from shoal.search.problem import Problem, Witness

_FINEST, _LARGEST = 44, 60  # powers of two: units in what a record may cost, and in what all records may


def witness_of(
    problem: Problem, forms: Forms, family: Family, own: NDArray[np.float64], offset: float
) -> Witness | None:
    """Return charges as whole units, so far below those of a bound that whole prices, rounded down, are above them.

    A price is rounded down in each column, so that a class costs less by up to one unit for each of them. So a charge
    is rounded down, and lowered by as many units and one more, which is above the rounding errors of the search. There
    are none for a part of a table, none where pairs of values are patterns or sets with a missing value are priced by
    their entropy, and none where missing values match everything, so that a class of any size may be allowed.

    Args:
        problem: The problem.
        forms: What a class may be published as, and its price.
        family: The distinct rows of the table.
        own: The charge of each of them.
        offset: What the measure charges whatever is released.
    """
    tally = problem.tally
    wild = problem.wildcard and bool((tally.codes == forms.missing).any())
    paired = family.points.pairs > 0 and bool((forms.kinds == SETS).any())
    mixed = bool(((forms.kinds == SETS) & (forms.rules == ENTROPY) & (forms.missing >= 0)).any())
    dearest = np.maximum.reduceat(np.abs(forms.prices), forms.nodes[:-1])
    largest = max(forms.full, float(np.maximum(dearest, np.abs(forms.tops)).sum()))
    if wild or paired or mixed or problem.border is not None or not 0 < largest < np.inf:
        return None
    some = tally.counts > 0
    most = _LARGEST if family.column is None else _LARGEST - PARTS.bit_length()
    together = max(largest * int(tally.n_records), float(np.abs(own + family.constant) @ family.points.counts))
    unit = min(_FINEST - frexp(largest)[1], most - frexp(together)[1])
    if unit < 0:
        return None
    units = np.floor(np.ldexp(own + family.constant, unit)).astype(np.int64) - len(forms.kinds) - 1
    charged = np.zeros(tally.n_points, dtype=np.int64)
    charged[some] = units[family.row_of]
    total = float(np.ldexp(float(int(charged @ tally.counts)), -unit)) + offset
    return Witness(charged, unit, family.column, max(total, 0.0))
