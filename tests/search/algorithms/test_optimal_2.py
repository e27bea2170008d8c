"""Optimal 2-anonymity and 2-diversity: against brute force, by the papers' examples, and what is refused."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.models import (
    AlphaKAnonymity,
    DistinctLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    PrivacyModel,
    TCloseness,
)
from shoal.search.algorithms import Optimal2
from shoal.search.local.forms import forms_of
from shoal.search.local.partition import cell_measure
from shoal.search.matching.pairing import Pairing
from shoal.search.problem import Solution
from tests.oracles.checks import close
from tests.oracles.local.checks import check_case
from tests.oracles.local.random_jobs import FORMS, Case, random_local
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Rules
from tests.oracles.subsets import least_loss

MEASURES = ("stars", "tree", "lm", "ncp", "entropy", "monotone-entropy")
LETTERS = {letter: (letter, "*") for letter in "abcd"}
ALIKE = (KAnonymity(k=2),)
DIVERSE = (FrequencyLDiversity(l=2, column="illness"),)
HALVES = (KAnonymity(k=2), AlphaKAnonymity(alpha=0.5, k=2, column="illness"))


def solve(table: LocalTable, models: tuple[PrivacyModel, ...], measure: str = "stars", **asked: Fraction) -> Solution:
    return Optimal2().solve(local_problem(table, Rules(models), measure, asked.get("limit", Fraction(0))))


def words(*rows: str) -> LocalTable:
    """Return records of one letter in each column."""
    columns = [f"q{number}" for number in range(len(rows[0]))]
    records: list[dict[str, str | None]] = [dict(zip(columns, row, strict=True)) for row in rows]
    return LocalTable(records, dict.fromkeys(columns, LETTERS))


def test_2_anonymity_is_optimal(seeds: Callable[[int], range]) -> None:
    """Tables of trees, with duplicates and ties."""
    for seed in seeds(120):
        rng = Random(seed)  # noqa: S311  (tables, not secrets)
        table = random_local(rng, rng.randint(2, 8), forms=("tree",), n_columns=rng.choice([1, 2, 4]))
        measure = rng.choice(MEASURES)
        solution = solve(table, ALIKE, measure)
        optimum = least_loss(table, 2, measure)
        assert optimum is not None
        assert solution.guarantee == "optimal"
        assert close(solution.loss.total, optimum)
        assert solution.bound is not None
        assert close(solution.bound, optimum)


@pytest.mark.parametrize("models", [ALIKE, DIVERSE, HALVES])
def test_every_form_with_and_without_suppression(models: tuple[PrivacyModel, ...]) -> None:
    """Solved, or rightly said to be infeasible, or refused; by brute force over all partitions."""
    outcomes: Counter[str] = Counter()
    for seed in range(24):
        rng = Random(seed)  # noqa: S311
        table = random_local(rng, rng.randint(2, 7), forms=FORMS, n_columns=3, missing=rng.random() < 0.2)
        limit = rng.choice([Fraction(0), Fraction(0), Fraction(1, 3)])
        solution = check_case(Case(table, Rules(models), rng.choice(MEASURES), limit), Optimal2())
        outcomes[solution.guarantee if solution else "not"] += 1
    assert outcomes["optimal"] > 5
    assert outcomes["none"] == 0


def test_many_copies_are_set_aside_without_losing_the_optimum(seeds: Callable[[int], range]) -> None:
    for seed in seeds(60):
        rng = Random(seed)  # noqa: S311
        few = random_local(rng, rng.randint(1, 3), forms=("tree",), n_columns=2)
        table = few.with_records([rng.choice(few.records) for _ in range(9)])
        measure = rng.choice(MEASURES)
        problem = local_problem(table, Rules(ALIKE), measure, Fraction(0))
        forms = forms_of(problem.tally.quasi, cell_measure(problem, "a test"))
        pairing = Pairing.of(problem, forms, None, "a test")
        of_points = np.bincount(pairing.records.point)
        left = np.bincount(pairing.records.point[pairing.matched], minlength=len(of_points))
        assert left.max() <= 4
        assert ((of_points - left) % 2 == 0).all()
        optimum = least_loss(table, 2, measure)
        assert optimum is not None
        assert close(solve(table, ALIKE, measure).loss.total, optimum)


def test_three_records_in_one_class() -> None:
    """Two pairs of four records cost 2 + 2 stars; of five records, three must share a class."""
    assert solve(words("aa", "ab", "ba", "bb"), ALIKE).loss.total == 4
    solution = solve(words("aa", "ab", "ac", "bb", "bd"), ALIKE)
    assert sorted(solution.groups.sizes.tolist()) == [2, 3]
    assert solution.loss.total == 5


def test_an_odd_set_costs_more_than_its_halves() -> None:
    """Two triangles far apart: half of each edge would cost 3 each, and classes of three cost 3 x 1 each."""
    table = words("aaa", "baa", "caa", "abb", "bbb", "cbb")
    solution = solve(table, ALIKE)
    assert solution.guarantee == "optimal"
    assert solution.loss.total == 6


def ill(*rows: str) -> LocalTable:
    """Return records of one column, and the illness as the last letter."""
    records: list[dict[str, str | None]] = [{"q": row[0], "illness": row[1]} for row in rows]
    return LocalTable(records, {"q": LETTERS}, ("illness",))


def test_2_diversity_parts_equal_records() -> None:
    """Records that agree in all columns may not be a class if they share the illness."""
    assert solve(ill("ax", "ax", "by", "by"), ALIKE).loss.total == 0
    assert solve(ill("ax", "ax", "by", "by"), DIVERSE).loss.total == 4
    assert solve(ill("ax", "ay", "bx", "by"), DIVERSE).loss.total == 0


def test_a_value_of_more_than_half_is_infeasible_at_once() -> None:
    with pytest.raises(InfeasibleError, match="frequency-l-diversity"):
        solve(ill("ax", "bx", "by"), DIVERSE)


def test_suppression_costs_all_columns() -> None:
    """A record that is far from all: with its neighbours it would cost them much, alone its own columns."""
    table = words("aaaa", "aaaa", "bbbb", "bbbb", "cdcd")
    assert solve(table, ALIKE).loss.total == 12
    assert solve(table, ALIKE, limit=Fraction(1, 5)).loss.total == 4


@pytest.mark.parametrize(
    ("models", "said"),
    [
        ((KAnonymity(k=3),), "k = 3"),
        ((KAnonymity(k=2), DistinctLDiversity(l=2, column="illness")), "distinct-l-diversity"),
        ((KAnonymity(k=2), TCloseness(t=0.9, column="illness")), "t-closeness"),
        ((*DIVERSE, FrequencyLDiversity(l=2, column="wage")), "more than one sensitive column"),
        ((FrequencyLDiversity(l=2, column="illness", others="known"),), "frequency-l-diversity"),
        ((AlphaKAnonymity(alpha=0.6, k=2, column="illness"),), "alpha-k-anonymity"),
    ],
)
def test_other_promises_are_refused(models: tuple[PrivacyModel, ...], said: str) -> None:
    records: list[dict[str, str | None]] = [
        {"q": letter, "illness": illness, "wage": wage}
        for letter, illness, wage in zip("aabbccdd", "xyxyxyxy", "uuvvuuvv", strict=True)
    ]
    table = LocalTable(records, {"q": LETTERS}, ("illness", "wage"))
    with pytest.raises(SpecError, match=said):
        solve(table, models)


def test_ranges_with_a_measure_that_falls_are_refused() -> None:
    rng = Random(3)  # noqa: S311
    table = random_local(rng, 6, forms=("ranges",))
    assert solve(table, ALIKE, "ncp").guarantee == "optimal"
    with pytest.raises(SpecError, match="ranges or sets"):
        solve(table, ALIKE, "entropy")
