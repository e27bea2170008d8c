"""The worked example of the chapter: Figures 1, 3, 8 and 9, Examples 3.1 and 3.2."""

from fractions import Fraction

import numpy as np
import pytest

from shoal.models import FrequencyLDiversity
from shoal.search.algorithms import Samarati
from tests.oracles.checks import check, node_of
from tests.oracles.full_domain import FullDomain, lower
from tests.oracles.papers import FIGURE_1, MAX_SUP, figure_1
from tests.oracles.plain import Node, Rules
from tests.oracles.problems import hierarchy_of

Tuple = tuple[str, str, str]

FIGURE_9 = [
    [(0, 0, 0), (0, 2, 1), (1, 2, 1), (1, 1, 0), (2, 1, 1), (2, 1, 1), (2, 2, 0)],
    [(0, 2, 1), (0, 0, 0), (1, 0, 0), (1, 2, 1), (2, 2, 0), (2, 2, 0), (2, 0, 1)],
    [(1, 2, 1), (1, 0, 0), (0, 0, 0), (0, 2, 1), (2, 2, 0), (2, 2, 0), (2, 0, 1)],
    [(1, 1, 0), (1, 2, 1), (0, 2, 1), (0, 0, 0), (2, 0, 1), (2, 1, 1), (2, 2, 0)],
    [(2, 1, 1), (2, 2, 0), (2, 2, 0), (2, 0, 1), (0, 0, 0), (1, 1, 0), (1, 2, 1)],
    [(2, 1, 1), (2, 2, 0), (2, 2, 0), (2, 1, 1), (1, 1, 0), (0, 0, 0), (0, 2, 1)],
    [(2, 2, 0), (2, 0, 1), (2, 0, 1), (2, 2, 0), (1, 2, 1), (0, 2, 1), (0, 0, 0)],
]


def tuples() -> list[Tuple]:
    """Return the quasi values of the records, in the order of the figure."""
    return [(str(r["zip"]), str(r["marital"]), str(r["sex"])) for r in FIGURE_1.records]


def distance_vectors() -> list[list[Node]]:
    """Return the matrix VT, from the level at which the hierarchies let two values meet."""
    distinct = list(dict.fromkeys(tuples()))
    levels = []
    for number, column in enumerate(FIGURE_1.quasi):
        hierarchy = hierarchy_of(FIGURE_1, column)
        codes = hierarchy.encode([values[number] for values in distinct], column)
        levels.append(hierarchy.meeting_level(codes[:, None], codes[None, :]))
    stacked = np.stack(levels, axis=-1)
    return [[tuple(vector) for vector in row] for row in stacked.tolist()]


def at_most(one: Node, other: Node) -> bool:
    return one == other or lower(one, other)


def required_suppression(vector: Node, k: int = 3, *, once: bool) -> int:
    """Return what the pseudo-code's Satisfy adds up; with `once`, a class is counted once, not for each outlier."""
    distinct = list(dict.fromkeys(tuples()))
    counter = [tuples().count(values) for values in distinct]
    required = 0
    for row, distances in enumerate(distance_vectors()):
        c = sum(n for n, distance in zip(counter, distances, strict=True) if at_most(distance, vector))
        if c < k:
            required += counter[row] if once else c
    return required


def test_figure_9_is_what_the_hierarchies_say() -> None:
    assert distance_vectors() == FIGURE_9


def test_example_3_2_ends_at_1_1_0_with_one_record_suppressed() -> None:
    space = figure_1()
    solution = check(space, Samarati(), "lm", MAX_SUP)
    assert solution is not None
    assert node_of(space, solution) == (1, 1, 0)
    assert solution.suppressed == 1
    assert solution.remark == "lowest height 2"


def test_the_generalizations_below_suppress_what_the_text_says() -> None:
    suppressed = {one.node: one.suppressed for one in figure_1().judged}
    assert suppressed[1, 0, 0] == 7
    assert suppressed[0, 1, 0] == suppressed[0, 0, 0] == 10


def test_example_3_1_is_minimal_along_its_path_but_not_minimal() -> None:
    space = figure_1()
    path = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0), (2, 2, 0), (2, 2, 1)]
    allowed = [one.node for one in space.feasible(MAX_SUP)]
    assert next(node for node in path if node in allowed) == (2, 1, 0)
    assert space.minimal(MAX_SUP) == {(1, 1, 0), (0, 2, 1)}


def test_the_pseudo_code_counts_a_small_class_once_for_each_of_its_outliers() -> None:
    space = figure_1()
    assert space.at((2, 0, 1)).suppressed == 6
    assert required_suppression((2, 0, 1), once=True) == 6
    assert required_suppression((2, 0, 1), once=False) == 8
    for one in space.judged:
        assert required_suppression(one.node, once=True) == one.suppressed


def test_the_limit_may_be_met_exactly() -> None:
    """Definition 3.4 says `<=`; with the pseudo-code's `<`, a limit of 0 would never be met."""
    space = figure_1()
    for records, node in ((0, (2, 2, 0)), (1, (1, 1, 0))):
        solution = check(space, Samarati(), "lm", Fraction(records, 10))
        assert solution is not None
        assert node_of(space, solution) == node
        assert solution.suppressed == records


def test_no_node_of_the_example_suppresses_exactly_the_limit() -> None:
    assert 2 not in {one.suppressed for one in figure_1().judged}


@pytest.mark.parametrize("limit", [Fraction(1, 10), Fraction(3, 10), Fraction(1, 2)])
def test_heights_are_walked_where_pruning_would_be_wrong(limit: Fraction) -> None:
    space = FullDomain(FIGURE_1, Rules((FrequencyLDiversity(l=Fraction(2), column="disease"),)))
    solution = check(space, Samarati(), "lm", limit)
    assert solution is not None
    assert sum(node_of(space, solution)) == min(sum(one.node) for one in space.feasible(limit))
    assert "one by one" in solution.remark
