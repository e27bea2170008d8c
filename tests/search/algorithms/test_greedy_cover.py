"""The greedy cover: its factor against brute force, what it refuses, and what it may say of itself."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import log
from random import Random

import pytest

from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.models import DistinctLDiversity, KAnonymity, TCloseness
from shoal.search.algorithms import GreedyCover
from shoal.search.problem import Solution
from tests.oracles.checks import close
from tests.oracles.hardness.hard_instances import blocks, table_of
from tests.oracles.local.checks import check_case, check_claims, check_texts
from tests.oracles.local.random_jobs import Case, plain_request, random_local
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Rules

MEASURES = ("stars", "tree", "entropy", "monotone-entropy", "lm", "ncp")
STAR = {letter: (letter, "*") for letter in "abcxyz"}
NO = Fraction(0)


def letters(rows: str, k: int, measure: str = "stars") -> Case:
    """Ask for k-anonymity of records of single letters, column by column, that may be suppressed; `-` is missing."""
    records = [{f"c{j}": None if one == "-" else one for j, one in enumerate(row)} for row in rows.split()]
    return Case(LocalTable(records, dict.fromkeys(records[0], STAR)), Rules((KAnonymity(k=k),)), measure, NO)


def solved(case: Case) -> Solution:
    solution = check_case(case, GreedyCover())
    assert solution is not None
    return solution


@pytest.mark.parametrize("measure", MEASURES)
def test_the_loss_is_within_the_factor_and_the_bound_below_the_optimum(
    measure: str, seeds: Callable[[int], range]
) -> None:
    for seed in seeds(60):
        case = plain_request(seed, measure)
        solution = solved(case)
        assert solution.guarantee in ("factor", "optimal")
        assert solution.factor == pytest.approx(2 * (1 + log(2 * case.problem.k)))


def test_a_table_worked_by_hand() -> None:
    """See `test_two_sets_of_just_k_become_one`: the classes are a* and b*, which is the best there is."""
    solution = solved(letters("ax ax ay by bz", 2))
    assert solution.groups.sizes.tolist() == [3, 2]
    assert solution.loss.total == 5
    assert solution.bound == 4  # ax costs nothing, all others need a star, and ay is charged for one more
    assert solution.guarantee == "factor"
    assert solution.remark == "5 closed patterns listed, 3 times one chosen"


def test_a_table_on_which_the_greedy_is_not_optimal() -> None:
    """The three records ax* are taken first, at a third of a star each; the others are left to be all stars."""
    case = letters("axa axb axc bxa byb cxc", 2)
    solution = solved(case)
    assert case.optimum == 8  # *xa, *xc and **b
    assert solution.loss.total == 12


def test_a_missing_value_is_a_value_of_its_own() -> None:
    assert solved(letters("a- a- ax ax", 2)).loss.total == 0
    assert solved(letters("a- ax", 2)).loss.total == 2


@pytest.mark.parametrize(("rows", "k", "sizes"), [("a b c", 3, [3]), ("a a b b c", 3, [5]), ("a a a", 2, [3])])
def test_few_records_are_one_class(rows: str, k: int, sizes: list[int]) -> None:
    assert solved(letters(rows, k)).groups.sizes.tolist() == sizes


def test_fewer_than_k_records_are_an_error() -> None:
    with pytest.raises(InfeasibleError, match=r"largest k possible.* is 2"):
        GreedyCover().solve(letters("a b", 3).problem)


def test_records_with_equal_values_may_be_parted() -> None:
    """Seven a and one b for k = 2: the b takes one a, and the other six lose nothing."""
    solution = solved(letters("a a a a a a a b", 2))
    assert solution.loss.total == 2
    assert sorted(solution.parts.counts.tolist()) == [1, 1, 6]


def test_k_of_1_loses_nothing() -> None:
    solution = solved(letters("a b c", 1))
    assert solution.loss.total == 0
    assert solution.guarantee == "optimal"


def test_no_factor_where_the_paper_proves_none(seeds: Callable[[int], range]) -> None:
    for seed in seeds(20):
        case = plain_request(seed, "nonuniform-entropy")
        assert solved(case).guarantee in ("none", "optimal")
        case = replace(plain_request(seed, "tree"), limit=Fraction(1, 3))
        assert solved(case).guarantee in ("none", "optimal")


@pytest.mark.parametrize("model", [DistinctLDiversity(l=2, column="illness"), TCloseness(t=0.3, column="illness")])
def test_other_promises_are_kept_by_joining_classes(
    model: DistinctLDiversity | TCloseness, seeds: Callable[[int], range]
) -> None:
    joined = 0
    for seed in seeds(30):
        table = random_local(Random(seed), 9, forms=("tree",))  # noqa: S311
        solution = check_case(Case(table, Rules((KAnonymity(k=2), model)), "tree", NO), GreedyCover())
        if solution is not None:
            assert solution.guarantee in ("none", "optimal")
            joined += "joined with others to keep every promise" in solution.remark
    assert joined > 0


def test_missing_values_that_match_everything_leave_nothing_to_prove() -> None:
    case = letters("a- ax by b-", 2)
    case = replace(case, rules=replace(case.rules, wildcard=True))
    solution = solved(case)
    assert solution.bound == 0
    assert solution.guarantee == "none"


def test_ranges_and_classes_are_refused() -> None:
    case = letters("ax ax", 2, "discernibility")
    with pytest.raises(SpecError, match="'discernibility' depends on whole classes"):
        GreedyCover().solve(case.problem)
    table = LocalTable(case.table.records, case.table.hierarchies, forms={"c1": "ranges"})
    with pytest.raises(SpecError, match="Column 'c1' publishes ranges"):
        GreedyCover().solve(local_problem(table, case.rules, "lm"))


def test_a_time_limit_ends_the_cover() -> None:
    case = letters("ax ax ay by bz", 2)
    problem = local_problem(case.table, case.rules, "stars", time_limit=0.0)
    solution = GreedyCover().solve(problem)
    check_texts(case, problem, solution)
    check_claims(case, solution)
    assert solution.guarantee == "none"
    assert "5 of 5 records not covered" in solution.remark


def test_progress_is_told() -> None:
    told: list[tuple[str, float | None]] = []
    GreedyCover().solve(letters("ax ax ay by bz", 2).problem, lambda step, share=None: told.append((step, share)))
    assert told == [("covering the records", 0.0)]


def test_sets_see_more_than_pairs() -> None:
    """Of the family of 000 s.4 that pairs cannot tell apart, one class of k records is the optimum."""
    for k in (2, 3, 4, 5):
        case = Case(table_of(blocks(k)), Rules((KAnonymity(k=k),)), "stars", NO)
        solution = GreedyCover().solve(case.problem)
        assert close(solution.loss.total, k * k * 2 ** (k - 2))
        assert solution.guarantee == "optimal"


def test_the_order_of_the_records_does_not_matter(seeds: Callable[[int], range]) -> None:
    for seed in seeds(10):
        rng = Random(seed)  # noqa: S311
        table = random_local(rng, 30, forms=("tree",), missing=seed % 2 == 0)
        shuffled = table.with_records(rng.sample(table.records, len(table.records)))
        one, other = (
            GreedyCover().solve(local_problem(records, Rules((KAnonymity(k=3),)), "tree"))
            for records in (table, shuffled)
        )
        assert one.loss == other.loss
        assert one.bound == other.bound
        assert one.parts.classes.tolist() == other.parts.classes.tolist()
        assert one.parts.counts.tolist() == other.parts.counts.tolist()
