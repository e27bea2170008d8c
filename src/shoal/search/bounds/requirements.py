"""What the promises of a problem ask of every class, beyond its least size."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import SensitiveColumn
from shoal.models.requirement import Requirement
from shoal.search.problem import Problem


def required_of(problem: Problem) -> Requirement:
    """Return what every class has, whatever is released.

    Of a part of a table, whose records may have company outside, and where missing values match everything, nothing is
    said. Records that become stars are still in the table that classes are compared with.
    """
    if problem.border is not None or problem.wildcard:
        return Requirement()
    tally = problem.tally

    def counted(name: str) -> tuple[SensitiveColumn, NDArray[np.int64]]:
        number = next(j for j, column in enumerate(tally.sensitive) if column.name == name)
        column = tally.sensitive[number]
        reference = np.bincount(tally.profile_codes[:, number], tally.totals, len(column.values))
        return column, reference.astype(np.int64)

    return Requirement.of(problem.models, counted, Fraction(0) if problem.stars else problem.max_suppressed)
