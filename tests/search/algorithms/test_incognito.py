"""The chapter's Example 3.3, and what Incognito may say of itself."""

from fractions import Fraction
from itertools import combinations, product

from shoal.models import FrequencyLDiversity
from shoal.search.algorithms import Incognito
from shoal.search.algorithms.incognito import survivors
from shoal.search.lattice.lattice import Lattice
from tests.oracles.checks import check, node_of
from tests.oracles.full_domain import FullDomain
from tests.oracles.papers import FIGURE_1, MAX_SUP, figure_1
from tests.oracles.plain import Node, PlainTable, Rules
from tests.oracles.problems import problem_of

EXAMPLE_3_3: dict[tuple[str, ...], set[Node]] = {
    ("zip",): {(0,), (1,), (2,)},
    ("marital",): {(1,), (2,)},
    ("sex",): {(0,), (1,)},
    ("zip", "marital"): {(0, 2), (1, 2), (2, 2), (1, 1), (2, 1)},
    ("zip", "sex"): {(0, 1), (1, 1), (2, 1), (1, 0), (2, 0)},
    ("marital", "sex"): {(1, 0), (1, 1), (2, 0), (2, 1)},
    ("zip", "marital", "sex"): {
        (1, 1, 0),
        (1, 1, 1),
        (1, 2, 0),
        (1, 2, 1),
        (2, 1, 0),
        (2, 1, 1),
        (2, 2, 0),
        (2, 2, 1),
        (0, 2, 1),
    },
}


def subset(columns: tuple[str, ...]) -> FullDomain:
    """Return Figure 1 with some of its quasi columns."""
    hierarchies = {column: FIGURE_1.hierarchies[column] for column in columns}
    return FullDomain(PlainTable(FIGURE_1.records, hierarchies, FIGURE_1.sensitive), figure_1().rules)


def test_example_3_3_survivors_of_every_subset() -> None:
    assert len(EXAMPLE_3_3) == sum(len(list(combinations("zms", size))) for size in (1, 2, 3))
    for columns, expected in EXAMPLE_3_3.items():
        space = subset(columns)
        assert {one.node for one in space.feasible(MAX_SUP)} == expected
        assert survivors(Lattice(problem_of(space.table, space.rules, "lm", MAX_SUP))) == expected


def test_a_column_left_out_is_a_column_at_its_top() -> None:
    space = figure_1()
    lattice = Lattice(problem_of(space.table, space.rules, "lm", MAX_SUP))
    for columns, expected in EXAMPLE_3_3.items():
        for node in product(*(range(FIGURE_1.height(column) + 1) for column in columns)):
            levels = dict(zip(columns, node, strict=True))
            whole = tuple(levels.get(column, FIGURE_1.height(column)) for column in FIGURE_1.quasi)
            assert lattice.evaluate(whole).feasible == (node in expected)


def test_example_3_3_has_two_minimal_generalizations() -> None:
    solution = check(figure_1(), Incognito(), "lm", MAX_SUP)
    assert solution is not None
    assert [tuple(node.values()) for node in solution.minimal] == [(1, 1, 0), (0, 2, 1)]
    assert solution.remark == "2 minimal generalizations"


def test_the_pruning_spares_looks() -> None:
    space = figure_1()
    lattice = Lattice(problem_of(space.table, space.rules, "lm", MAX_SUP))
    survivors(lattice)
    assert lattice.nodes_checked < lattice.n_nodes


def test_it_is_optimal_only_where_nothing_may_be_suppressed() -> None:
    space = figure_1()
    for limit, guarantee in ((Fraction(0), "optimal"), (MAX_SUP, "none")):
        solution = check(space, Incognito(), "lm", limit)
        assert solution is not None
        assert solution.guarantee == guarantee


def test_every_node_is_looked_at_where_pruning_would_be_wrong() -> None:
    space = FullDomain(FIGURE_1, Rules((FrequencyLDiversity(l=Fraction(2), column="disease"),)))
    solution = check(space, Incognito(), "lm", Fraction(3, 10))
    assert solution is not None
    assert solution.nodes_checked == len(space.judged)
    assert {tuple(node.values()) for node in solution.minimal} == space.minimal(Fraction(3, 10))
    assert "every node was looked at" in solution.remark


def test_a_preference_chooses_among_the_minimal() -> None:
    space = figure_1()
    nodes = {}
    for prefer in ("absolute-distance", "suppression", "distribution"):
        solution = check(space, Incognito(prefer=prefer), "lm", MAX_SUP)
        assert solution is not None
        nodes[prefer] = node_of(space, solution)
    assert nodes == {"absolute-distance": (1, 1, 0), "suppression": (1, 1, 0), "distribution": (1, 1, 0)}
