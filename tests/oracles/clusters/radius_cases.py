"""Small random tables in metric spaces of all kinds, and what the best clusters of their records are."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from random import Random

from shoal.search.problem import Problem
from tests.oracles.clusters.gathering import Matrix, least, one_by_one
from tests.oracles.clusters.metrics import KINDS, metric_problem, random_matrix

LIMITS = (Fraction(0), Fraction(1, 10), Fraction(1, 4), Fraction(1, 3), Fraction(2, 5), Fraction(1))


@dataclass(frozen=True, eq=False)
class RadiusCase:
    """A table of a few records, how many of them make a cluster, and how many may be left out.

    Args:
        matrix: The distances of the points.
        counts: The number of records of each.
        r: The least number of records in a cluster.
        clusters: The most clusters, for algorithms that want to know.
        limit: The share of records that may be left out.
    """

    matrix: Matrix
    counts: tuple[int, ...]
    r: int
    clusters: int
    limit: Fraction

    @property
    def problem(self) -> Problem:
        """The problem in which nothing may be left out."""
        return metric_problem(self.matrix, self.counts, self.r)

    @property
    def problem_with_outliers(self) -> Problem:
        """The problem in which some may be left out."""
        return metric_problem(self.matrix, self.counts, self.r, self.limit)

    def least(self, *, outliers: bool = False, limited: bool = False, diameter: bool = False) -> float:
        """Return the least largest radius around records, or the least largest diameter."""
        return least(
            self.records,
            self.r,
            left_out=self.problem_with_outliers.limit if outliers else 0,
            clusters=self.clusters if limited else None,
            diameter=diameter,
        )

    @cached_property
    def records(self) -> Matrix:
        """The distances of the records."""
        return one_by_one(self.matrix, self.counts)


def radius_case(seed: int, most: int = 8) -> RadiusCase:
    """Return a random case of up to `most` records; all kinds of spaces come in turn."""
    draw = Random(seed)  # noqa: S311  (tables, not secrets)
    counts = [draw.choice((1, 1, 1, 2, 3)) for _ in range(draw.randint(2, 7))]
    while sum(counts) > most:
        counts.pop()
    n = sum(counts)
    r = n if draw.random() < 0.1 else draw.randint(1, min(n, 4))
    matrix = random_matrix(KINDS[seed % len(KINDS)], len(counts), seed)
    return RadiusCase(matrix, tuple(counts), r, draw.randint(1, 3), draw.choice(LIMITS))
