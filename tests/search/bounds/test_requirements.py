"""Bounds that know what promises ask of the values of a class, against brute force, with what proves them."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from shoal.actions.verification.charged import Charged, proven
from shoal.measures import CellMeasure
from shoal.models import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    RecursiveClDiversity,
    TCloseness,
)
from shoal.models.caps import Caps
from shoal.models.model import PrivacyModel
from shoal.releases.charges import RowCharges, ranked, rows_in_order
from shoal.search.bounds.bounds import LIGHT, Bound, lower_bound
from shoal.search.bounds.requirements import required_of
from shoal.search.local.forms import forms_of
from shoal.search.problem import Border, Problem
from tests.oracles.local.random_jobs import Case, random_local
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Rules
from tests.search.searches import Search, random_tally

HAIR = 1e-9
Maker = Callable[[Random], PrivacyModel]


def tenths(rng: Random, least: int, most: int) -> Any:
    return Fraction(rng.randint(least, most), 10)


MAKERS: dict[str, Maker] = {
    "frequency": lambda rng: FrequencyLDiversity(l=tenths(rng, 11, 35), column="illness"),
    "whole frequency": lambda rng: FrequencyLDiversity(l=Fraction(rng.randint(2, 3)), column="illness"),
    "alpha": lambda rng: AlphaKAnonymity(alpha=tenths(rng, 3, 9), k=rng.randint(1, 4), column="illness"),
    "alpha of one": lambda rng: AlphaKAnonymity(alpha=tenths(rng, 1, 6), k=2, column="illness", value="1"),
    "entropy": lambda rng: EntropyLDiversity(l=tenths(rng, 11, 30), column="illness"),
    "recursive": lambda rng: RecursiveClDiversity(c=tenths(rng, 2, 25), l=rng.randint(1, 3), column="illness"),
    "t": lambda rng: TCloseness(t=tenths(rng, 0, 8), column="illness"),
    "t, known": lambda rng: TCloseness(t=tenths(rng, 2, 8), column="illness", others="known"),
    "t, input": lambda rng: TCloseness(t=tenths(rng, 0, 8), column="illness", against="input"),
    "beta": lambda rng: BetaLikeness(beta=tenths(rng, 1, 20), column="illness"),
    "enhanced": lambda rng: BetaLikeness(beta=tenths(rng, 1, 40), column="illness", kind="enhanced"),
    "delta": lambda rng: DeltaDisclosure(delta=tenths(rng, 3, 20), column="illness"),
}


def bound_of(problem: Problem) -> Bound:
    assert isinstance(problem.measure, CellMeasure)
    return lower_bound(problem, forms_of(problem.tally.quasi, problem.measure))


def derived(problem: Problem, found: Bound) -> Fraction | None:
    """Return what the witness of a bound proves, by the checker's own rows."""
    witness, tally, required = found.witness, problem.tally, required_of(problem)
    assert witness is not None
    assert isinstance(problem.measure, CellMeasure)
    charges = RowCharges.of(tally, witness.own, witness.unit, witness.column)
    leaves = {column.name: tally.codes[:, j] for j, column in enumerate(tally.quasi)}
    sizes = {column.name: column.hierarchy.n_leaves for column in tally.quasi}
    values, caps = None, None
    if charges.column is not None:
        number = [column.name for column in tally.sensitive].index(charges.column)
        ranks = ranked(tally.sensitive[number].values)
        values = ranks[tally.profile_codes[tally.profiles, number]]
        assert required.caps is not None
        caps = replace(required.caps, most=tuple(required.caps.most[code] for code in np.argsort(ranks)))
    numbers, first = rows_in_order(leaves, sizes, values)
    rows = Charged(
        tally.quasi,
        tally.codes[first],
        np.bincount(numbers, weights=tally.counts).astype(np.int64),
        None if values is None else values[first],
        max(problem.k, required.fewest),
        problem.limit > 0,
        caps,
    )
    return proven(rows, problem.measure, charges)


@pytest.mark.parametrize("name", MAKERS)
def test_no_bound_is_above_the_optimum_and_its_witness_proves_it(name: str, seeds: Callable[[int], range]) -> None:
    bounded = 0
    for seed in seeds(60):
        rng = Random(f"{name} {seed}")  # noqa: S311  (tables, not secrets)
        table = random_local(rng, rng.randint(4, 8), missing=rng.random() < 0.2)
        limit = rng.choice([Fraction(0), Fraction(0), Fraction(1, 4), Fraction(2, 5)])
        models = [MAKERS[name](rng), *([MAKERS[rng.choice(list(MAKERS))](rng)] if rng.random() < 0.2 else [])]
        rules = Rules((KAnonymity(k=rng.randint(1, 4)), *models), stars=rng.random() < 0.3)
        measure = rng.choice(["stars", "lm", "ncp", "tree", "entropy", "nonuniform-entropy"])
        case = Case(table, rules, measure, limit)
        if case.optimum is None:
            continue
        found = bound_of(case.problem)
        assert found.total <= case.optimum + HAIR, seed
        if found.witness is not None:
            again = derived(case.problem, found)
            assert again is not None
            assert found.witness.total * (1 - HAIR) <= again <= case.optimum + HAIR, seed
        bounded += found.kind == "shares"
    assert bounded > len(seeds(60)) // 30


def listed(cells: str, illnesses: str, k: int, model: PrivacyModel) -> Case:
    """Return a column of letters below a star, each with an illness."""
    records = [{"q": cell, "illness": illness} for cell, illness in zip(cells, illnesses, strict=True)]
    table = LocalTable(records, {"q": {letter: (letter, "*") for letter in "abcdef"}}, ("illness",))
    return Case(table, Rules((KAnonymity(k=k), model)), "stars", Fraction(0))


def test_equal_records_of_different_values_cost_nothing() -> None:
    """Six records a, a, a, b, b, b with l = 3: classes of one pattern, joined, are charged what each is."""
    case = listed("aaabbb", "xyzxyz", 3, FrequencyLDiversity(l=3, column="illness"))
    assert bound_of(case.problem).total == case.optimum == 0
    case = listed("aabbcc", "xyxzyz", 3, FrequencyLDiversity(l=3, column="illness"))
    assert bound_of(case.problem).total == case.optimum == 6


def test_a_class_that_is_larger_than_l_need_not_split() -> None:
    """Three values with three records each are a class for k = 4 and l = 3, but no groups of four are one."""
    case = listed("aaaaaaaaa", "xxxyyyzzz", 4, FrequencyLDiversity(l=3, column="illness"))
    assert bound_of(case.problem).total == case.optimum == 0
    case = listed("aaaaabbbb", "xxxyyyzzz", 4, FrequencyLDiversity(l=3, column="illness"))
    assert bound_of(case.problem).total == case.optimum == 9


def test_a_class_of_equal_records_with_one_value_is_none() -> None:
    """Without the values, three equal records are a class that costs nothing."""
    case = listed("aaabbb", "xxxyyy", 2, FrequencyLDiversity(l=2, column="illness"))
    assert bound_of(case.problem).total == case.optimum == 6
    size_alone = local_problem(case.table, Rules((KAnonymity(k=2),)), "stars", Fraction(0))
    assert bound_of(size_alone).total == 0


def test_what_is_required_of_a_problem() -> None:
    tally = random_tally(Random(3), 40)  # noqa: S311
    counts = np.bincount(tally.profiles, tally.counts, 4)

    def of(*models: PrivacyModel, limit: int = 0) -> Problem:
        return Search.of(tally, "ncp", 2, *models, limit=limit).problem

    assert required_of(of()).caps is None
    near = TCloseness(t=Fraction(1, 5), column="illness")
    found = required_of(of(FrequencyLDiversity(l=2, column="illness"), near, limit=8))
    assert (found.column, found.caps) == (
        "illness",
        Caps(tuple(min(Fraction(int(one), 32), Fraction(1)) for one in counts), Fraction(1, 5)),
    )
    assert found.fewest > 1
    whole = of(near, limit=8)
    stars = required_of(replace(whole, stars=True)).caps
    assert stars is not None
    assert stars.most == tuple(Fraction(int(one), 40) for one in counts)
    assert required_of(replace(whole, border=Border((), print))).caps is None
    assert required_of(replace(whole, wildcard=True)).caps is None
    assert required_of(of(FrequencyLDiversity(l=2, column="illness", entity="id"))).caps is None


def test_a_larger_table_is_bounded_better_by_caps() -> None:
    tally = random_tally(Random(5), 400, n_columns=4, wide=True)  # noqa: S311
    promised = Search.of(tally, "ncp", 2, FrequencyLDiversity(l=2, column="illness")).problem
    plain = Search.of(tally, "ncp", 2).problem
    assert bound_of(promised).total > 1.02 * bound_of(plain).total
    assert isinstance(promised.measure, CellMeasure)
    light = lower_bound(promised, forms_of(tally.quasi, promised.measure), effort=LIGHT)
    assert light.total == lower_bound(plain, forms_of(tally.quasi, promised.measure), effort=LIGHT).total
    assert np.isfinite(light.total)
