"""Two-factor-3: 3-anonymity by a 2-factor of least weight."""

from dataclasses import dataclass
from typing import ClassVar

from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.matching.two_factors import released
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoFactor3(Algorithm):
    """Put the records on cycles of least total weight, and cut each cycle into classes of 3 to 5 at the least cost.

    Idea: the records are nodes, and an edge weighs what covers its two ends. A 2-factor takes two edges at each node:
    it is a collection of cycles. A lightest one is found, with a proof (`search/matching/factors.py`). Each cycle is
    cut into classes of 3, 4 or 5 neighbours, in the way that costs least, by the true costs of the classes. With k = 2,
    a [1,2]-factor is better, and is used, as by `two-factor-2`.

    Guarantee: the loss is at most 3 times that of the best local recoding, and 2 times if all columns are binary
    (Aggarwal et al. 2005, section 6 proves the latter, for suppression). Let d(S) be the price of what covers a class
    S, column by column, and r the ratio of a column: 1.5 if it is binary, else 1. Edges are weighted with these ratios.

    - No partition costs less than the lightest 2-factor weighs. A class of s >= 3 records has cycles through all of
      them. Each of its s (s - 1) / 2 edges is in the same number of these, so a lightest one weighs at most 2 / (s - 1)
      of all edges. An edge is at most d, so this is at most s d. In a binary column at most s^2 / 4 edges, rounded
      down, are not 0: this is 2 for s = 3, and then 2 / (s - 1) of it is at most 2/3 s d, also for larger s, where s^2
      / 4 <= s (s - 1) / 3. So the weighted cycle weighs no more than the class costs.
    - The classes cost at most 3 times the edges, column by column. Neighbouring edges of a path share a record, so the
      lowest common ancestors of their ends lie on one path upwards, and a highest one covers all: a path costs at most
      the sum of its edges. In a cycle, remove an edge that reaches a highest node: the path that is left covers the
      same records and reaches it as well. So a cycle has two edges that reach it, d is at most half of the cycle's
      weight, and a cycle of 3, 4 or 5 costs at most 5/2 of its weight. For longer cycles take the mean over all
      rotations: a class of 3 neighbours has 2 edges, one of 4 has 3. A cycle of 3x records, cut into threes, costs at
      most 3 x 2/3 = 2 times its weight. One of 3x + 1, with one class of 4, costs (6 (x - 1) + 12) / (3x + 1), and one
      of 3x + 2, with two of them (x >= 2), (6 (x - 2) + 24) / (3x + 2): at most 3. The cuts that are found cost no more
      than the mean.

    So the loss is at most 3 / r times the weight, for the least r of a column. Requirements, suppression and time are
    as for `two-factor-2`.
    """

    name: ClassVar[str] = "two-factor-3"
    reference: ClassVar[str] = "Aggarwal et al. 2005, section 6, for trees of nodes and columns of both kinds"
    local: ClassVar[bool] = True
    most_k: ClassVar[int | None] = 3

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Find a lightest 2-factor, cut its cycles, join classes that fail."""
        return released(problem, self.name, 3, progress)
