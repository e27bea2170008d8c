"""Two-factor-3: bound and factor against brute force, on binary columns, on any alphabet and with trees."""

from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest

from shoal.foundation.errors import SpecError
from shoal.models import DistinctLDiversity, KAnonymity, PrivacyModel
from shoal.search.algorithms import TwoFactor2, TwoFactor3
from shoal.search.problem import Solution
from tests.oracles.hardness.hard_instances import table_of
from tests.oracles.local.checks import check_case
from tests.oracles.local.random_jobs import Case, random_local
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Rules

MEASURES = ("tree", "stars", "entropy", "monotone-entropy", "lm", "ncp")
RING = ["0000", "0001", "0011", "0111", "1111", "1110", "1100", "1000"]


def asked(table: LocalTable, measure: str = "stars", limit: Fraction = Fraction(0), *more: PrivacyModel) -> Case:
    return Case(table, Rules((KAnonymity(k=3), *more)), measure, limit)


def solve(case: Case) -> Solution:
    solution = check_case(case, TwoFactor3())
    assert solution is not None
    return solution


def test_the_ring_of_the_paper() -> None:
    """The lightest 2-factor is the ring itself, of weight 8, and each way to cut it costs 3 x 8 or more (000 s.6)."""
    case = asked(table_of([tuple(map(int, one)) for one in RING], 2))
    solution = solve(case)
    assert solution.loss.total == 24.0
    assert solution.factor == 2.0
    assert sorted(solution.groups.sizes.tolist()) == [4, 4]
    assert solution.bound is not None
    assert solution.bound >= 12.0


def test_three_values_cost_less_than_two_would() -> None:
    """One column, three values: the cycle weighs 3, the class costs 3, and 1.5 x 3 is no bound."""
    solution = solve(asked(table_of([(0,), (1,), (2,)], 3)))
    assert (solution.loss.total, solution.bound, solution.guarantee, solution.factor) == (3.0, 3.0, "optimal", 3.0)


def test_a_cycle_of_five_stays_whole() -> None:
    """Trap of the paper: two classes of four need eight records."""
    ring = [(1, 1, 0, 0, 0), (0, 1, 1, 0, 0), (0, 0, 1, 1, 0), (0, 0, 0, 1, 1), (1, 0, 0, 0, 1)]
    solution = solve(asked(table_of(ring, 2)))
    assert solution.groups.sizes.tolist() == [5]


@pytest.mark.parametrize("alphabet", [2, 4])
def test_tables_of_suppression(alphabet: int, seeds: Callable[[int], range]) -> None:
    for seed in seeds(30):
        rng = Random(seed)  # noqa: S311
        some = [tuple(rng.randrange(alphabet) for _ in range(rng.randint(1, 6))) for _ in range(1)]
        width = len(some[0])
        some = [tuple(rng.randrange(alphabet) for _ in range(width)) for _ in range(rng.randint(3, 9))]
        records = some if rng.random() < 0.5 else [rng.choice(some) for _ in some]
        solution = solve(asked(table_of(records, alphabet)))
        assert solution.factor in ((2.0,) if alphabet == 2 else (2.0, 3.0))
        assert "which is proven" in solution.remark


@pytest.mark.parametrize("measure", MEASURES)
def test_tables_of_trees(measure: str, seeds: Callable[[int], range]) -> None:
    for seed in seeds(10):
        rng = Random(f"{measure} {seed}")  # noqa: S311
        solution = solve(asked(random_local(rng, rng.randint(3, 9), forms=("tree",), missing=seed % 4 == 0), measure))
        assert solution.factor in (2.0, 3.0)


@pytest.mark.parametrize("stars", [False, True])
def test_suppression_is_weighed_against_edges(stars: bool, seeds: Callable[[int], range]) -> None:
    for seed in seeds(15):
        rng = Random(seed)  # noqa: S311
        table = random_local(rng, rng.randint(4, 7), forms=("tree",))
        limit = rng.choice([Fraction(3, 10), Fraction(1)])
        solve(Case(table, Rules((KAnonymity(k=3),), stars), rng.choice(["tree", "stars"]), limit))


def test_further_promises_are_kept_by_joining_classes(seeds: Callable[[int], range]) -> None:
    seen = set()
    for seed in seeds(60):
        rng = Random(seed)  # noqa: S311
        case = asked(random_local(rng, 8, forms=("tree",)), "lm", Fraction(0), DistinctLDiversity(l=2, column="wage"))
        solution = check_case(case, TwoFactor3())
        if solution is not None:
            joined = "joined" in solution.remark
            assert (solution.factor is None) == joined
            seen.add(joined)
    assert seen == {False, True}


def test_smaller_classes_are_made_as_two_factor_2_does(seeds: Callable[[int], range]) -> None:
    for seed in seeds(10):
        table = random_local(Random(seed), 9, forms=("tree",))  # noqa: S311
        problem = local_problem(table, Rules((KAnonymity(k=2),)), "tree")
        first, second = (algorithm.solve(problem) for algorithm in (TwoFactor2(), TwoFactor3()))
        assert (first.loss, first.bound, first.factor) == (second.loss, second.bound, second.factor)


def test_larger_classes_are_refused() -> None:
    table = table_of([(number,) for number in range(4)], 4)
    with pytest.raises(SpecError, match=r"makes classes of 3 records and a few more.* need 4\. Use .*'forest'"):
        TwoFactor3().solve(local_problem(table, Rules((KAnonymity(k=4),)), "stars"))
