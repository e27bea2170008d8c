"""Bounds that know that values may not be frequent, against brute force."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from shoal.measures import CellMeasure
from shoal.models import AlphaKAnonymity, FrequencyLDiversity, KAnonymity
from shoal.models.model import PrivacyModel
from shoal.search.bounds.bounds import LIGHT, Bound, lower_bound
from shoal.search.bounds.diversity import DealtGroups, diversity_of
from shoal.search.local.forms import forms_of
from shoal.search.problem import Border, Problem
from tests.oracles.local.random_jobs import Case, random_local
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Rules
from tests.search.searches import Search, random_tally

HAIR = 1e-9
SHARED: list[PrivacyModel] = [
    FrequencyLDiversity(l=2, column="illness"),
    FrequencyLDiversity(l=3, column="illness"),
    FrequencyLDiversity(l="2.5", column="illness"),  # type: ignore[arg-type]
    AlphaKAnonymity(alpha=Fraction(1, 2), k=2, column="illness"),
]


def bound_of(problem: Problem) -> Bound:
    assert isinstance(problem.measure, CellMeasure)
    return lower_bound(problem, forms_of(problem.tally.quasi, problem.measure))


def listed(cells: str, illnesses: str, k: int, model: PrivacyModel) -> Case:
    """Return a column of letters below a star, each with an illness."""
    records = [{"q": cell, "illness": illness} for cell, illness in zip(cells, illnesses, strict=True)]
    table = LocalTable(records, {"q": {letter: (letter, "*") for letter in "abcdef"}}, ("illness",))
    return Case(table, Rules((KAnonymity(k=k), model)), "stars", Fraction(0))


@pytest.mark.parametrize("model", SHARED, ids=str)
def test_no_bound_is_above_the_optimum(model: PrivacyModel, seeds: Callable[[int], range]) -> None:
    bounded = 0
    for seed in seeds(90):
        rng = Random(seed)  # noqa: S311  (tables, not secrets)
        table = random_local(rng, rng.randint(4, 8), missing=rng.random() < 0.2)
        limit = rng.choice([Fraction(0), Fraction(1, 4)])
        rules = Rules((KAnonymity(k=rng.randint(1, 3)), model), stars=rng.random() < 0.3)
        case = Case(table, rules, rng.choice(["stars", "lm", "ncp", "tree"]), limit)
        if case.optimum is None:
            continue
        found = bound_of(case.problem)
        assert found.total <= case.optimum + HAIR
        bounded += found.total > 0
    assert bounded > len(seeds(90)) // 20


def test_equal_records_of_different_values_cost_nothing() -> None:
    """Six records a, a, b, b, c, c with l = 3: each of a pattern's groups may have its excess."""
    case = listed("aaabbb", "xyzxyz", 3, FrequencyLDiversity(l=3, column="illness"))
    assert bound_of(case.problem).total == case.optimum == 0
    case = listed("aabbcc", "xyxzyz", 3, FrequencyLDiversity(l=3, column="illness"))
    assert bound_of(case.problem).total == case.optimum == 6


def test_a_class_of_equal_records_with_one_value_is_none() -> None:
    """Without the values, three equal records are a class that costs nothing."""
    case = listed("aaabbb", "xxxyyy", 2, FrequencyLDiversity(l=2, column="illness"))
    assert bound_of(case.problem).total == case.optimum == 6
    size_alone = local_problem(case.table, Rules((KAnonymity(k=2),)), "stars", Fraction(0))
    assert bound_of(size_alone).total == 0


def test_how_groups_are_dealt() -> None:
    """Round-robin into floor(n / l) groups: l to 2l - 1 records with different values in each."""
    rng = Random(7)  # noqa: S311
    for _ in range(300):
        l = rng.randint(2, 5)  # noqa: E741
        n = rng.randint(l, 30)
        counts: list[int] = []
        while sum(counts) < n:
            counts.append(rng.randint(1, min(n // l, n - sum(counts))))
        dealt: list[list[int]] = [[] for _ in range(n // l)]
        for place, value in enumerate(value for value, count in enumerate(counts) for _ in range(count)):
            dealt[place % len(dealt)].append(value)
        assert all(l <= len(group) <= 2 * l - 1 and len(set(group)) == len(group) for group in dealt)


def test_which_promises_cap_every_share() -> None:
    tally = random_tally(Random(3), 40)  # noqa: S311

    def of(*models: PrivacyModel) -> DealtGroups | None:
        return diversity_of(Search.of(tally, "ncp", 2, *models).problem)

    assert of() is None
    assert of(FrequencyLDiversity(l="1.9", column="illness")) is None  # type: ignore[arg-type]
    assert of(FrequencyLDiversity(l="2.9", column="illness")) == DealtGroups(0, 2)  # type: ignore[arg-type]
    assert of(*SHARED) == DealtGroups(0, 3)
    assert of(AlphaKAnonymity(alpha=Fraction(1, 3), k=2, column="illness")) == DealtGroups(0, 3)
    assert of(AlphaKAnonymity(alpha=Fraction(1, 3), k=2, column="illness", value="a")) is None
    assert of(FrequencyLDiversity(l=2, column="illness", entity="id")) is None
    whole = Search.of(tally, "ncp", 2, *SHARED).problem
    assert diversity_of(replace(whole, border=Border((), print))) is None


def test_a_larger_table_is_bounded_better_by_groups() -> None:
    tally = random_tally(Random(5), 400, n_columns=4, wide=True)  # noqa: S311
    promised = Search.of(tally, "ncp", 2, FrequencyLDiversity(l=2, column="illness")).problem
    plain = Search.of(tally, "ncp", 2).problem
    assert bound_of(promised).total > 1.02 * bound_of(plain).total
    assert isinstance(promised.measure, CellMeasure)
    light = lower_bound(promised, forms_of(tally.quasi, promised.measure), effort=LIGHT)
    assert light.total == lower_bound(plain, forms_of(tally.quasi, promised.measure), effort=LIGHT).total
    assert np.isfinite(light.total)
