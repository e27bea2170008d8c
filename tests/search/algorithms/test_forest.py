"""Forest: the bound and the factor, with every measure, weights, suppression and further promises."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.foundation.progress import silent
from shoal.measures import Stars
from shoal.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, PrivacyModel, TCloseness
from shoal.search.algorithms import Forest
from shoal.search.local.decomposition import largest_class
from shoal.search.local.forms import forms_of
from shoal.search.neighbours.exact import QuasiRows, neighbours
from shoal.search.problem import Solution
from tests.oracles.checks import close
from tests.oracles.hardness.hard_instances import blocks, copies, table_of, waves
from tests.oracles.local.checks import check_case
from tests.oracles.local.random_jobs import Case, random_local
from tests.oracles.local.tables import Form, LocalTable, local_problem
from tests.oracles.plain import Rules

AGES = {
    **{str(age): (str(age), "20-24", "20-29", "*") for age in range(20, 25)},
    **{str(age): (str(age), "25-29", "20-29", "*") for age in range(25, 30)},
    **{str(age): (str(age), "30-34", "30-39", "*") for age in range(30, 35)},
}
CITIES = {city: (city, "*") for city in ("Rome", "Oslo")}
PROVEN = ("tree", "stars", "entropy", "monotone-entropy", "lm", "ncp")


def solve(case: Case) -> Solution:
    solution = check_case(case, Forest())
    assert solution is not None
    return solution


def asked(table: LocalTable, k: int, measure: str = "tree", limit: Fraction = Fraction(0), *more: PrivacyModel) -> Case:
    return Case(table, Rules((KAnonymity(k=k), *more)), measure, limit)


def people(*pairs: tuple[str, str]) -> LocalTable:
    return LocalTable([{"age": age, "city": city} for age, city in pairs], {"age": AGES, "city": CITIES})


def test_a_table_by_hand() -> None:
    """Two pairs that meet at the lowest level, and a record whose nearest are one level up, in the first pair.

    The neighbours are at 1/3, 1/3, 1/3, 1/3 and 2/3, so that 2 is a bound. The last record has to join a pair: the
    first makes a class at 2/3, so that three records pay 2/3 and two pay 1/3. Of the 2/3 more, the last record and one
    of the pair can be charged half: the bound is nearly 7/3.
    """
    table = people(("20", "Rome"), ("23", "Rome"), ("27", "Rome"), ("30", "Oslo"), ("33", "Oslo"))
    solution = solve(asked(table, 2))
    assert solution.bound == pytest.approx(7 / 3, rel=1e-3)
    assert solution.loss.total == pytest.approx(8 / 3)
    assert (solution.guarantee, solution.factor) == ("factor", 3.0)
    assert sorted(solution.groups.sizes.tolist()) == [2, 3]
    weighted = solve(asked(replace(table, weights={"age": 3.0, "city": 0.5}), 2))
    assert weighted.bound == pytest.approx(7, rel=1e-3)
    assert weighted.loss.total == pytest.approx(8.0)


def test_records_alike_are_hidden_by_each_other() -> None:
    """Six of the one and two of the other: three of the six help the two out, and three stay as they are."""
    table = people(*[("20", "Rome")] * 6, ("24", "Rome"), ("24", "Rome"))
    solution = solve(asked(table, 3))
    assert solution.bound == pytest.approx(1, rel=1e-3)
    assert solution.loss.total == pytest.approx(1.0)
    assert sorted(solution.groups.sizes.tolist()) == [3, 5]


@pytest.mark.parametrize("measure", PROVEN)
def test_the_loss_is_within_the_factor_and_the_bound_below_the_optimum(
    measure: str, seeds: Callable[[int], range]
) -> None:
    factors = set()
    for seed in seeds(40):
        rng = Random(f"{measure} {seed}")  # noqa: S311  (tables, not secrets)
        k = rng.randint(2, 3)
        table = random_local(rng, rng.randint(2 * k, 9), forms=("tree",), missing=rng.random() < 0.2)
        solution = solve(asked(table, k, measure))
        assert solution.guarantee in ("factor", "optimal")
        assert solution.factor == largest_class(k)
        factors.add(solution.factor)
    assert factors == {3.0, 5.0}


def test_no_factor_where_a_price_depends_on_the_record(seeds: Callable[[int], range]) -> None:
    for seed in seeds(20):
        rng = Random(seed)  # noqa: S311
        pairs = [(rng.choice(list(AGES)), rng.choice(list(CITIES))) for _ in range(7)]
        solution = solve(asked(people(*pairs), 2, "nonuniform-entropy"))
        assert solution.factor is None
        assert solution.bound is not None


@pytest.mark.parametrize(
    ("measure", "stars"),
    [
        *[("tree", False), ("stars", False), ("lm", False), ("entropy", True)],
        *(pytest.param(name, name != "entropy", marks=pytest.mark.deep) for name in ("tree", "stars", "lm", "entropy")),
    ],
)
def test_records_are_left_out_where_that_lowers_the_loss(measure: str, stars: bool) -> None:
    trimmed = 0
    for seed in range(15):
        rng = Random(f"{measure} {seed}")  # noqa: S311
        table = random_local(rng, rng.randint(5, 7), forms=("tree",))
        case = Case(table, Rules((KAnonymity(k=2),), stars), measure, rng.choice([Fraction(3, 10), Fraction(1)]))
        solution = solve(case)
        without = Forest().solve(replace(case.problem, max_suppressed=Fraction(0)))
        assert solution.loss.total <= without.loss.total + 1e-9
        assert solution.factor == 3.0
        assert solution.suppressed != 1 or not stars
        trimmed += solution.suppressed > 0
    assert trimmed > 0 or stars or measure == "stars"  # stars must be two, to hide each other


def test_an_outlier_is_left_out() -> None:
    """Beside 5 records that lose nothing together, one of another age and city costs 6 x 2; suppressed, it costs 2."""
    table = people(*[("20", "Rome")] * 5, ("30", "Oslo"))
    case = asked(table, 5, "tree", Fraction(1, 5))
    solution = solve(case)
    assert (solution.suppressed, solution.loss.total) == (1, 2.0)
    stars = replace(case.problem, stars=True)
    assert Forest().solve(stars).suppressed == 0  # a star alone is not one of five
    assert Forest().solve(replace(case.problem, max_suppressed=Fraction(1, 10))).loss.total == 12.0


@pytest.mark.parametrize(
    "model",
    [
        DistinctLDiversity(l=2, column="illness"),
        FrequencyLDiversity(l=Fraction(3, 2), column="illness"),
        TCloseness(t=Fraction(2, 5), column="illness"),
    ],
)
@pytest.mark.parametrize("limit", [Fraction(0), Fraction(3, 10)])
def test_further_promises_are_kept_by_joining_classes(
    model: PrivacyModel, limit: Fraction, seeds: Callable[[int], range]
) -> None:
    seen = set()
    for seed in seeds(56):
        rng = Random(seed)  # noqa: S311
        table = random_local(rng, 8 if limit == 0 else 7, forms=("tree",))
        solution = check_case(asked(table, 2, "lm", limit, model), Forest())
        if solution is not None:
            joined = "joined" in solution.remark
            assert (solution.factor is None) == joined
            seen.add(joined)
    assert seen == {False, True}


@pytest.mark.parametrize("family", [blocks, waves])
@pytest.mark.parametrize("k", [3, 4])
def test_the_two_families_with_equal_graphs(family: type, k: int) -> None:
    """Neighbours tell nothing about which of the two it is, and the losses differ by about k / 4; the bound knows."""
    length = 2 ** (k - 2)
    case = Case(table_of(copies(family(k), 3), 3), Rules((KAnonymity(k=k),)), "stars", Fraction(0))
    forms = forms_of(case.problem.tally.quasi, Stars())
    solution = Forest().solve(case.problem)
    near = neighbours(QuasiRows.of(case.problem.tally), case.problem.tally.quasi, forms, k, silent)
    assert near.bound == 3 * k * 2 * length
    each = k * length if family is blocks else 4 * length - 2
    assert solution.loss.total == solution.bound == 3 * k * each
    assert solution.factor == largest_class(k)
    assert solution.groups.n_classes == 3


@pytest.mark.parametrize("form", ["ranges", "numbers", "sets"])
def test_columns_whose_subsets_overlap_are_refused(form: Form) -> None:
    rows = {str(value): (str(value), "*") for value in range(4)}
    table = LocalTable([{"q": str(value)} for value in range(4)], {"q": rows}, forms={"q": form})
    with pytest.raises(
        SpecError,
        match=r"Column 'q' publishes (ranges|sets), which may overlap.*'forest' needs nodes.*'mondrian'",
    ):
        Forest().solve(local_problem(table, Rules((KAnonymity(k=2),)), "ncp"))


def test_fewer_records_than_k_are_an_error() -> None:
    with pytest.raises(InfeasibleError, match="largest k possible"):
        Forest().solve(asked(people(("20", "Rome"), ("21", "Rome")), 3).problem)


@pytest.mark.parametrize("k", [2, 3, 6])
def test_missing_values_that_match_everything_leave_no_claim(k: int) -> None:
    table = random_local(Random(k), 6, forms=("tree",), missing=True)  # noqa: S311
    solution = Forest().solve(local_problem(table, Rules((KAnonymity(k=k),), wildcard=True), "lm"))
    assert (solution.bound, solution.factor) == (0, None)
    assert solution.guarantee == ("optimal" if solution.loss.total == 0 else "none")


def test_the_order_of_the_records_does_not_matter(seeds: Callable[[int], range]) -> None:
    for seed in seeds(10):
        rng = Random(seed)  # noqa: S311
        table = random_local(rng, 30, forms=("tree",))
        records = list(table.records)
        rng.shuffle(records)
        first, second = (Forest().solve(asked(one, 3).problem) for one in (table, table.with_records(records)))
        assert close(first.loss.total, second.loss.total)
        for one, other in ((first.parts.points, second.parts.points), (first.parts.classes, second.parts.classes)):
            assert np.array_equal(one, other)
