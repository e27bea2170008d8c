"""The three cases of Theorem 10, what is claimed in each setting, and the optimum of many tiny tables."""

from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest

from shoal.foundation.errors import InfeasibleError
from shoal.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, PrivacyModel
from shoal.search.algorithms import MApproximation
from shoal.search.local.leftovers import leftovers_bound, leftovers_of
from shoal.search.problem import Solution
from tests.oracles.local.checks import check_case
from tests.oracles.local.random_jobs import Case, random_local
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Rules

NONE, HALF = Fraction(0), Fraction(1, 2)
FLAT = {letter: (letter, "*") for letter in "abcd"}
DEEP = {letter: (letter, "ab" if letter in "ab" else "cd", "*") for letter in "abcd"}


def case_of(
    words: str,
    *models: PrivacyModel,
    limit: Fraction = NONE,
    measure: str = "stars",
    weights: tuple[float, ...] = (),
    stars: bool = False,
) -> Case:
    """Return a table with a record for each word, a column for each of its letters; after a colon, its illness."""
    records, columns = [], [f"q{j}" for j in range(len(words.split()[0].partition(":")[0]))]
    for word in words.split():
        quasi, _, illness = word.partition(":")
        records.append({**dict(zip(columns, quasi, strict=True)), "illness": illness or "x"})
    named = dict(zip(columns, weights, strict=False))
    table = LocalTable(records, dict.fromkeys(columns, FLAT), ("illness",), named)
    return Case(table, Rules(models, stars=stars), measure, limit)


def solve(case: Case) -> Solution:
    solution = check_case(case, MApproximation())
    assert solution is not None
    return solution


def own(case: Case) -> float | None:
    """Return what the theory of the algorithm bounds the loss by; the best bound may be higher."""
    return leftovers_bound(leftovers_of(case.problem))


def stated(solution: Solution) -> tuple[float, float | None, str, float | None]:
    return solution.loss.total, solution.bound, solution.guarantee, solution.factor


def test_equal_records_stay_as_they_are() -> None:
    solution = solve(case_of("aa aa bb bb bb", KAnonymity(k=2)))
    assert stated(solution) == (0, 0, "optimal", None)
    assert solution.remark == "every record is published as it is"


def test_case_1_the_leftovers_are_enough() -> None:
    """Three records stand alone, and each pays for one of the two columns at least."""
    case = case_of("aa aa ab bc cd", KAnonymity(k=2))
    solution = solve(case)
    assert own(case) == 3
    assert stated(solution) == (6, 6, "optimal", None)
    assert sorted(solution.groups.sizes.tolist()) == [2, 3]


def test_case_1_without_any_other_class() -> None:
    assert stated(solve(case_of("aa ab ac", KAnonymity(k=2)))) == (3, 3, "optimal", None)


def test_case_2_the_leftover_borrows() -> None:
    """One record lacks two; the cheaper class lends them, and keeps three. The bound is k."""
    solution = solve(case_of("ab aa aa aa aa aa cc cc cc cc cc", KAnonymity(k=3)))
    assert stated(solution) == (3, 3, "optimal", None)
    assert sorted(solution.groups.sizes.tolist()) == [3, 3, 5]
    assert solution.remark.endswith("were joined with 2 records of larger classes")


def test_case_2_with_several_that_lend() -> None:
    case = case_of("dd ab ab ab ab ba ba ba ba", KAnonymity(k=3))
    solution = solve(case)
    assert own(case) == 3
    assert stated(solution) == (6, 6, "optimal", None)
    assert sorted(solution.groups.sizes.tolist()) == [3, 3, 3]


def test_case_3_nobody_can_spare_enough() -> None:
    """The leftover joins a whole class, though not the smallest: the other costs one column only."""
    solution = solve(case_of("aa bb bb bb ac ac ac ac", KAnonymity(k=3)))
    assert stated(solution) == (5, 4, "factor", 2)
    assert stated(solve(case_of("aa bb bb bb ac ac ac", KAnonymity(k=3)))) == (4, 4, "optimal", None)


def test_suppression_is_an_alternative() -> None:
    """A leftover that may go costs two stars; if it may not, k records pay. As stars it would be a class of one."""
    words = "dd aa aa aa aa aa aa aa"
    for case, loss, least in (
        (case_of(words, KAnonymity(k=3), limit=HALF), 2, 1),
        (case_of(words, KAnonymity(k=3)), 6, 3),
        (case_of(words, KAnonymity(k=3), limit=HALF, stars=True), 6, 3),
    ):
        assert own(case) == least
        assert solve(case).loss.total == loss


def test_weights_make_the_factor_their_sum_over_the_least() -> None:
    case = case_of("aa ab bc cd", KAnonymity(k=2), weights=(1, 4))
    assert own(case) == 4
    assert stated(solve(case)) == (20, 18, "factor", 5)


def test_a_column_with_one_value_does_not_count() -> None:
    assert solve(case_of("daa dab dbc dcd", KAnonymity(k=2))).factor == 2


@pytest.mark.parametrize("measure", ["stars", "tree", "lm", "ncp"])
def test_the_factor_is_m_in_the_setting_of_the_theorem(measure: str, seeds: Callable[[int], range]) -> None:
    """Hundreds of tables of columns that are published or starred: the loss is within m of the optimum."""
    seen = set()
    for seed in seeds(300):
        rng = Random(f"{measure} {seed}")  # noqa: S311
        table = random_local(rng, rng.randint(2, 8), forms=("sets",), n_columns=3)
        table = LocalTable(table.records, table.hierarchies)
        case = Case(table, Rules((KAnonymity(k=rng.randint(1, min(4, len(table.records)))),)), measure, NONE)
        solution = solve(case)
        assert solution.bound is not None
        assert solution.guarantee in ("optimal", "factor")
        values = [{record[column] for record in table.records} for column in table.quasi]
        assert solution.factor in (None, sum(len(mine) > 1 for mine in values))
        assert case.optimum is not None
        assert solution.loss.total <= len(table.quasi) * case.optimum + 1e-9
        seen.add(solution.remark.split()[-1])
    assert {"is", "class", "classes", "promises"} <= seen


def test_free_nodes_below_the_star_take_the_factor_away() -> None:
    records = [{"q": letter} for letter in "aabcdd"]
    case = Case(LocalTable(records, {"q": DEEP}), Rules((KAnonymity(k=2),)), "stars", NONE)
    assert stated(solve(case)) == (2, 0, "none", None)
    tree = Case(case.table, case.rules, "tree", NONE)
    assert own(tree) == 1
    solution = solve(tree)
    assert (solution.bound, solution.guarantee) == (2, "optimal")  # the best, with half the promised distance to it


def test_absorbing_promises_keep_the_factor_in_case_1() -> None:
    diverse = DistinctLDiversity(l=2, column="illness")
    solution = solve(case_of("aa:x aa:y ab:x ab:x bc:y bc:y", KAnonymity(k=2), diverse))
    assert stated(solution) == (8, 4, "factor", 2)
    alone = solve(case_of("ab:x ab:x aa:x aa:y", KAnonymity(k=2), diverse))
    assert (alone.loss.total, alone.guarantee) == (4, "none")


def test_other_promises_have_a_bound_only() -> None:
    """Of three records with one value too many, two can be published as they are, so that one is charged."""
    solution = solve(case_of("aa:x aa:x aa:y ab:y ab:y ab:x", FrequencyLDiversity(l=Fraction(2), column="illness")))
    assert stated(solution) == (6, 2, "none", None)


def test_promises_that_need_several_classes() -> None:
    """The leftovers have one value only, and each class can make up for one of them."""
    words = "dd:x dc:x " + "aa:x aa:y " + "bb:x bb:y " + "cc:x cc:y " + "ab:y ab:x"
    solution = solve(case_of(words, FrequencyLDiversity(l=Fraction(5, 3), column="illness")))
    assert solution.remark.endswith("were joined with 4 classes that keep the promises")


def test_a_measure_of_classes_has_no_claim() -> None:
    solution = solve(case_of("aa aa ab bc cd", KAnonymity(k=2), measure="discernibility"))
    assert (solution.bound, solution.guarantee) == (None, "none")


def test_fewer_records_than_k() -> None:
    case = case_of("aa ab", KAnonymity(k=3))
    with pytest.raises(InfeasibleError, match="k-anonymity fails: asked is k = 3"):
        MApproximation().solve(local_problem(case.table, case.rules, "stars"))
