"""Tables at the edge, through every algorithm that searches the whole lattice."""

from fractions import Fraction
from math import inf
from random import Random

import pytest

from shoal.foundation.errors import InfeasibleError
from shoal.models import KAnonymity
from shoal.search.algorithms import ALGORITHMS, Exhaustive, Optimal
from shoal.search.lattice.cells import KeyLayout
from shoal.search.lattice.lattice import Lattice
from tests.contracts.cluster_variants import made
from tests.oracles.checks import check, check_optimal, node_of
from tests.oracles.full_domain import FullDomain, judge
from tests.oracles.plain import PlainTable, Record, Rules
from tests.oracles.problems import hierarchy_of, problem_of
from tests.oracles.random_tables import LIMITS

TREE = {value: (value, value[0] if value[0] == "a" else value, "*") for value in ("a1", "a2", "b")}
"""Not balanced: b stays itself until the top."""

FULL_DOMAIN = [kind.name for kind in ALGORITHMS if not (kind.local or kind.alike or kind.objective)]
WHOLE = [name for name in FULL_DOMAIN if "suppression" not in name]


def k_anonymous(records: list[Record], k: int, columns: int = 1) -> FullDomain:
    return FullDomain(PlainTable(records, {f"q{j}": TREE for j in range(columns)}), Rules((KAnonymity(k=k),)))


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("limit", LIMITS)
def test_as_many_records_as_k(name: str, limit: Fraction) -> None:
    solution = check(k_anonymous([{"q0": "a1"}, {"q0": "b"}, {"q0": "b"}], 3), ALGORITHMS[name](), "lm", limit)
    assert solution is not None
    assert (solution.levels, solution.suppressed) == ({"q0": 2}, 0)


@pytest.mark.parametrize("name", ALGORITHMS.names)
@pytest.mark.parametrize("limit", [Fraction(0), Fraction(1)])
def test_fewer_records_than_k(name: str, limit: Fraction) -> None:
    space = k_anonymous([{"q0": "a1"}, {"q0": "b"}], 3)
    with pytest.raises(InfeasibleError) as caught:
        made(ALGORITHMS[name]).solve(problem_of(space.table, space.rules, "lm", limit))
    words = str(caught.value)
    assert "k-anonymity fails: asked is k = 3" in words
    assert "No amount of suppression helps" in words
    assert caught.value.diagnosis["suppression"]["records"] is None


@pytest.mark.parametrize("name", FULL_DOMAIN)
def test_all_records_equal(name: str) -> None:
    solution = check(k_anonymous([{"q0": "a2"}] * 5, 5), ALGORITHMS[name]())
    assert solution is not None
    assert (solution.loss.total, solution.groups.sizes.tolist()) == (0, [5])


def test_all_records_different() -> None:
    records: list[Record] = [{"q0": a, "q1": b} for a in TREE for b in TREE]
    for limit in LIMITS:
        check_optimal(k_anonymous(records, 2, columns=2), "lm", limit)


@pytest.mark.parametrize("name", WHOLE)
def test_a_column_with_one_value(name: str) -> None:
    table = PlainTable([{"q": "v"}] * 2, {"q": {"v": ("v", "*")}})
    solution = check(FullDomain(table, Rules((KAnonymity(k=2),))), ALGORITHMS[name]())
    assert solution is not None
    assert (solution.levels, solution.loss.total) == ({"q": 0}, 0)


def test_one_record_and_nothing_asked() -> None:
    solution = check(k_anonymous([{"q0": "b"}], 1), Optimal())
    assert solution is not None
    assert solution.levels == {"q0": 0}


def test_a_limit_is_rounded_down_to_whole_records() -> None:
    space = k_anonymous([{"q0": "a1"}, *[{"q0": "b"}] * 2], 2)
    below = check(space, Optimal(), "lm", Fraction(33, 100))
    exact = check(space, Optimal(), "lm", Fraction(1, 3))
    assert below is not None
    assert exact is not None
    assert (below.suppressed, exact.suppressed) == (0, 1)


def test_a_hierarchy_that_is_not_balanced() -> None:
    """At level 1 the two a's hide together and b stays itself, at no loss."""
    solution = check(k_anonymous([{"q0": value} for value in ("a1", "a2", "b", "b")], 2), Optimal())
    assert solution is not None
    assert solution.levels == {"q0": 1}
    assert solution.loss.total == pytest.approx(2 * 1 / 2)


@pytest.mark.parametrize(("weights", "node"), [((1.0, 9.0), (2, 0)), ((9.0, 1.0), (0, 2)), ((0.0, 1.0), (2, 0))])
def test_the_column_that_weighs_more_is_spared(weights: tuple[float, float], node: tuple[int, int]) -> None:
    records: list[Record] = [{"q0": a, "q1": b} for a in ("a1", "b") for b in ("a1", "b")]
    columns = {"q0": TREE, "q1": TREE}
    table = PlainTable(records, columns, weights=dict(zip(columns, weights, strict=True)))
    space = FullDomain(table, Rules((KAnonymity(k=2),)))
    solution = check(space, Optimal())
    assert solution is not None
    assert node_of(space, solution) == node


@pytest.mark.parametrize("limit", LIMITS)
def test_keys_of_more_than_one_word(limit: Fraction) -> None:
    """Twelve columns of 500 values take 9 bits each; only three can be generalized, so that brute force ends."""
    rng = Random(1)  # noqa: S311
    values = [f"v{i}" for i in range(500)]
    flat = {value: (value, "*") for value in values}
    tall = {value: (value, f"{value[:2]}..", "*") for value in values}
    hierarchies = {f"q{j}": tall if j in (0, 6, 11) else flat for j in range(12)}
    records: list[Record] = []
    for _ in range(6):
        base = {column: rng.choice(values) for column in hierarchies}
        near = {column: f"{base[column][:2]}{rng.choice('123')}" for column in ("q0", "q6", "q11")}
        records += [base, {**base, **near}, {**base, "q3": rng.choice(values)}]
    table = PlainTable(records, hierarchies)
    problem = problem_of(table, Rules((KAnonymity(k=2),)), "lm", limit)
    assert KeyLayout.of([hierarchy_of(table, column).n_leaves for column in table.quasi]).words.max() == 1
    fixed = [range(3) if j in (0, 6, 11) else range(2) if j == 3 else (0,) for j in range(12)]
    lattice = Lattice(problem, fixed)
    space = FullDomain(table, Rules((KAnonymity(k=2),)))
    for node in list(lattice.all_nodes())[::5]:
        outcome, plain = lattice.evaluate(node), judge(table, space.rules, node)
        assert (outcome.suppressed, outcome.feasible) == (plain.suppressed, plain.feasible(problem.limit))
        assert outcome.loss == (pytest.approx(space.loss("lm", plain)) if outcome.feasible else inf)
    if limit == 1:
        assert Optimal().solve(problem).loss.total <= min(lattice.evaluate(node).loss for node in lattice.all_nodes())


@pytest.mark.parametrize("seed", range(3))
def test_many_columns_of_two_levels_through_both_searches(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    hierarchies = {f"q{j}": {f"v{i}": (f"v{i}", "*") for i in range(300)} for j in range(8)}
    rows = [[rng.randrange(300) for _ in hierarchies] for _ in range(8)]
    records: list[Record] = []
    for row in rows * 4:
        noisy = [value if rng.random() < 0.9 else rng.randrange(300) for value in row]
        records.append({f"q{j}": f"v{value}" for j, value in enumerate(noisy)})
    problem = problem_of(PlainTable(records, hierarchies), Rules((KAnonymity(k=2),)), "lm", Fraction(1, 2))
    best, plain = Optimal().solve(problem), Exhaustive().solve(problem)
    assert best.loss.total == pytest.approx(plain.loss.total)
    assert best.nodes_checked <= plain.nodes_checked == 2**8


@pytest.mark.parametrize("name", ["optimal", "exhaustive"])
@pytest.mark.parametrize("measure", ["stars", "suppression", "tree", "lm"])
def test_of_equal_losses_the_least_general_is_taken(name: str, measure: str) -> None:
    space = k_anonymous([{"q0": value} for value in ("b", "b", "a1", "a1")], 2)
    solution = check(space, ALGORITHMS[name](), measure, Fraction(1))
    assert solution is not None
    assert solution.levels == {"q0": 0}
