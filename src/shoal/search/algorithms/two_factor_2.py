"""Two-factor-2: 2-anonymity by a [1,2]-factor of least weight."""

from dataclasses import dataclass
from typing import ClassVar

from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.matching.two_factors import released
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoFactor2(Algorithm):
    """Link each record with one or two others so that all links weigh least, and publish what is linked as a class.

    Idea: the records are nodes, and an edge weighs what covers its two ends. A [1,2]-factor takes one or two edges at
    each node. A lightest one is found, with a proof (`search/matching/factors.py`). Edges between two nodes with two
    edges each are removed; what is left are pairs, and triples of two edges.

    Guarantee: the loss is at most 2 times that of the best local recoding, and 1.5 times if all columns are binary
    (Aggarwal et al. 2005, Theorem 6, there for suppression). Let d(S) be the price of what covers a class S, column by
    column, and r the ratio of a column: 2 if it is binary, else 1.5. Edges are weighted with these ratios, so that
    columns of both kinds may occur together.

    - No partition costs less than the lightest factor weighs. It may be cut into pairs and triples, which cost no more
      since prices are monotone. A pair costs 2 d, its edge weighs r d or less. In a triple, d is no less than each of
      the three edges, so 3 d is at least the sum of the edges, or 2/3 r times that for r = 1.5; in a binary column one
      edge is 0 and the others are d or all are 0, so 3 d is 3/2 times the sum, above 2/3 r = 4/3. So the triple costs
      at least 2/3 of its three weighted edges, and these at least 3/2 of the two lighter ones.
    - The classes cost at most 3 times the edges, column by column. A pair costs 2 d. In a triple the two edges share a
      record, so in each column the lowest common ancestors of their ends lie on one path upwards, and the higher one
      covers all three: 3 d is at most 3 times the more expensive of the two.

    So the loss is at most 3 / r times the weight, for the least r of a column. This needs, as `forest` does, columns
    that publish nodes of a tree, prices that do not fall upwards (the least price at or above a node does not), no
    promise beyond the number of records or one that all classes keep as they are, and missing values that match only
    each other. Prices are counted from the least one of a column's values, which every record costs anyway.

    Suppression: a record that is left out weighs what it costs, in both arguments. For stars, see
    `search/matching/two_factors.py`.

    Cost: every pair of records is priced some ten to forty times, O(records^2 x columns), and linear programs of a few
    edges for each record are solved. The time limit is kept: then the factor may not be the lightest, and the factor of
    the loss is larger by the ratio of weight and bound.
    """

    name: ClassVar[str] = "two-factor-2"
    reference: ClassVar[str] = "Aggarwal et al. 2005, section 5, for trees of nodes and columns of both kinds"
    local: ClassVar[bool] = True
    most_k: ClassVar[int | None] = 2

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Find a lightest [1,2]-factor, make classes, join those that fail."""
        return released(problem, self.name, 2, progress)
