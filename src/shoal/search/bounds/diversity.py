"""Groups of different values: what a cap on the share of every value says about the classes, beyond their size."""

from dataclasses import dataclass
from fractions import Fraction

from shoal.models.model import SensitiveModel
from shoal.search.problem import Problem


@dataclass(frozen=True, slots=True)
class DealtGroups:
    """Every class can be dealt into groups of `l` to 2l - 1 records with different values of a sensitive column.

    Proof: let no value have more than one in l' of the n records of a class, and let l be l' rounded down. Sort the
    records by value, and deal them round-robin into m = floor(n / l) groups. A value has at most n / l' <= n / l
    records, and so at most m, since that is a whole number: no group gets two of them. A group has floor(n / m) or
    ceil(n / m) records. The first is at least l, since m l <= n. The second is at most 2l - 1, since n <= m l + l - 1,
    so that n / m <= l + (l - 1) / m <= 2l - 1.

    Nothing is said about the least size k of a class that is above l: {3, 3, 3} with k = 4 and l = 3 is a class of
    three values with three records each, and its groups have three records.

    Args:
        column: The number of the column among the sensitive ones.
        l: The least number of records of a group.
    """

    column: int
    l: int  # noqa: E741  (the paper's letter)


def diversity_of(problem: Problem) -> DealtGroups | None:
    """Return the largest groups that every class of a problem can be dealt into; None if no promise caps all shares.

    Of a part of a table, whose records may have company outside, nothing is said.
    """
    names = [column.name for column in problem.tally.sensitive]
    found = [
        DealtGroups(names.index(model.column), int(Fraction(1) / model.largest_share))
        for model in problem.models
        if isinstance(model, SensitiveModel) and model.entity is None and model.largest_share is not None
    ]
    some = [one for one in found if one.l > 1 and problem.border is None]
    return max(some, key=lambda one: one.l, default=None)
