"""What charges prove of a table: never more than the optimum, whatever they are, and all of a bound that is theirs."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from shoal.actions.verification.charged import Charged, proven
from shoal.foundation.errors import CertificateError
from shoal.measures import CellMeasure
from shoal.models import FrequencyLDiversity, KAnonymity
from shoal.models.caps import PARTS, Caps
from shoal.releases.charges import RowCharges, ranked, rows_in_order
from shoal.search.bounds.bounds import lower_bound
from shoal.search.local.forms import forms_of
from shoal.search.problem import Problem
from tests.oracles.local.random_jobs import Case, random_local
from tests.oracles.plain import Rules
from tests.search.searches import MEASURE_NAMES, Search, random_tally

HAIR = 1e-9


def measure_of(problem: Problem) -> CellMeasure:
    assert isinstance(problem.measure, CellMeasure)
    return problem.measure


def charged(problem: Problem, l: int | None = None) -> Charged:  # noqa: E741  (the paper's letter)
    """Return the rows of a problem; with l, those of classes with at most one in l records of each illness."""
    tally = problem.tally
    leaves = {column.name: tally.codes[:, j] for j, column in enumerate(tally.quasi)}
    sizes = {column.name: column.hierarchy.n_leaves for column in tally.quasi}
    values = ranked(tally.sensitive[0].values)[tally.profile_codes[tally.profiles, 0]] if l else None
    numbers, first = rows_in_order(leaves, sizes, values)
    counts = np.bincount(numbers, weights=tally.counts).astype(np.int64)
    shown = None if values is None else values[first]
    caps = Caps((Fraction(1, l),) * len(tally.sensitive[0].values)) if l else None
    return Charged(tally.quasi, tally.codes[first], counts, shown, problem.k, problem.limit > 0, caps)


def witnessed(problem: Problem) -> tuple[float, RowCharges]:
    """Return the bound of a problem and the charges that it leaves."""
    found = lower_bound(problem, forms_of(problem.tally.quasi, measure_of(problem)))
    witness = found.witness
    assert witness is not None
    return found.total, RowCharges.of(problem.tally, witness.own, witness.unit, witness.column)


@pytest.mark.parametrize("measure", ["stars", "lm", "ncp", "tree", "entropy", "nonuniform-entropy"])
def test_no_charges_prove_more_than_the_optimum(measure: str, seeds: Callable[[int], range]) -> None:
    some = 0
    for seed in seeds(240):
        rng = Random(seed)  # noqa: S311  (tables, not secrets)
        table = random_local(rng, rng.randint(3, 7), missing=rng.random() < 0.2)
        diverse = rng.random() < 0.4
        models = [KAnonymity(k=rng.randint(1, 3)), *([FrequencyLDiversity(l=2, column="illness")] if diverse else [])]
        case = Case(table, Rules(tuple(models)), measure, rng.choice([Fraction(0), Fraction(1, 3)]))
        if case.optimum is None:
            continue
        rows = charged(case.problem, 2 if diverse and rng.random() < 0.7 else None)
        rows = replace(rows, columns=case.problem.tally.quasi)
        unit = rng.choice([0, 1, 3, 20])  # in coarse units all depends on what is rounded down
        own = np.array([int(rng.uniform(-0.2, 1.5 + 2 / (1 + unit)) * 2**unit) for _ in rows.counts], dtype=np.int64)
        found = proven(rows, measure_of(case.problem), RowCharges(unit, None, own))
        if found is not None:
            assert found <= case.optimum + HAIR, seed
            some += found > 0
    assert some > len(seeds(240)) // 20


@pytest.mark.parametrize("measure", MEASURE_NAMES)
def test_what_a_bound_charges_proves_it(measure: str, seeds: Callable[[int], range]) -> None:
    some = 0
    for seed in seeds(120):
        rng = Random(seed)  # noqa: S311  (tables, not secrets)
        tally = random_tally(rng, rng.randint(4, 30), size=8)
        k = rng.randint(2, 4)
        models = [FrequencyLDiversity(l=k, column="illness")] if rng.random() < 0.3 else []
        problem = Search.of(tally, measure, k, *models, limit=rng.choice([0, 2])).problem
        found = lower_bound(problem, forms_of(tally.quasi, measure_of(problem)))
        if found.witness is None:
            continue
        charges = RowCharges.of(tally, found.witness.own, found.witness.unit, found.witness.column)
        exact = proven(charged(problem, k if charges.column else None), measure_of(problem), charges)
        assert exact is not None
        assert exact >= found.witness.total * (1 - HAIR), seed
        some += exact > 0
    assert some > len(seeds(120)) // 20


def _pairs(limit: int = 0) -> Problem:
    """Return the problem of ten records in five points, in classes of two."""
    return Search.of(random_tally(Random(1), 10, size=5), "lm", 2, limit=limit).problem  # noqa: S311


def test_charges_have_an_upper_limit_for_all_records_together() -> None:
    problem = _pairs()
    rows = charged(problem)
    rows.counts[:2] = 1, 2
    for most in ([2**61, 0], [0, 2**60], [-(2**61), 0], [2**60, -(2**59)]):
        own = np.array([*most, *[0] * (len(rows.counts) - 2)], dtype=np.int64)
        assert proven(rows, measure_of(problem), RowCharges(0, None, own)) == 0
        for more in (own + np.sign(own) * 2**12, np.where(own, -(2**63), own)):
            with pytest.raises(CertificateError, match="larger than all that can be lost"):
                proven(rows, measure_of(problem), RowCharges(0, None, more))


def test_the_unit_of_charges_has_a_lower_limit_for_all_records_together() -> None:
    problem = _pairs()
    rows = charged(problem)
    rows.counts[:] = 1
    rows.counts[0] += 8 - len(rows.counts)
    nothing = np.zeros(len(rows.counts), dtype=np.int64)
    assert sum(column.weight for column in rows.columns) == 4  # what a record loses at most
    finest = 61 - 3 - 2
    assert proven(rows, measure_of(problem), RowCharges(finest, None, nothing)) == 0
    for unit in (finest + 1, 63, 64, 1_000):
        with pytest.raises(CertificateError, match="finer than sums of 64 bits allow"):
            proven(rows, measure_of(problem), RowCharges(unit, None, nothing))


@pytest.mark.parametrize("diverse", [False, True])
def test_the_largest_charges_prove_no_more_either(diverse: bool, seeds: Callable[[int], range]) -> None:
    for seed in seeds(240):
        rng = Random(seed)  # noqa: S311  (tables, not secrets)
        table = random_local(rng, rng.randint(3, 7))
        models = [KAnonymity(k=2), *([FrequencyLDiversity(l=2, column="illness")] if diverse else [])]
        case = Case(table, Rules(tuple(models)), "lm", Fraction(0))
        if case.optimum is None:
            continue
        rows = replace(charged(case.problem, 2 if diverse else None), columns=case.problem.tally.quasi)
        share = 2**61 // int(rows.counts.sum()) // (PARTS if diverse else 1)
        for unit in (0, 30, 45):
            own = np.array([rng.choice([share, share // 2, share // 4, -share, 0]) for _ in rows.counts])
            found = proven(rows, measure_of(case.problem), RowCharges(unit, None, own.astype(np.int64)))
            assert found is not None, seed
            assert found <= case.optimum + HAIR, (seed, unit)


def test_what_takes_too_long_to_look_at_proves_nothing() -> None:
    problem = _pairs()
    rows = charged(problem)
    charges = RowCharges(0, None, np.ones(len(rows.counts), dtype=np.int64))
    assert proven(rows, measure_of(problem), charges) is not None
    assert proven(rows, measure_of(problem), charges, most=0) is None


def test_a_loss_of_next_to_nothing_is_not_rounded_up_to_a_whole_price() -> None:
    """All losses are sums of prices; a price that is small beside the others is not nothing."""
    problem = _pairs()
    first, second = problem.tally.quasi
    light = (replace(first, weight=1e-14), second)
    codes = np.stack([np.arange(2), np.zeros(2)], axis=1).astype(np.int32)
    rows = Charged(light, codes, np.array([1, 1], dtype=np.int64), None, 2, suppressible=False)
    found = proven(rows, measure_of(problem), RowCharges(58, None, np.array([2_000, 2_000], dtype=np.int64)))
    assert found is not None
    assert 0 < found <= Fraction(2e-14)  # that both are published as the top of the first column


def test_a_suppressed_record_is_charged_no_more_than_it_costs_and_losses_are_whole_prices() -> None:
    problem = _pairs()
    first, second = problem.tally.quasi
    rows = replace(charged(problem), columns=(replace(first, weight=0.5), second), k=11)  # no ten records are a class
    n, own = int(rows.counts.sum()), np.full(len(rows.counts), 9, dtype=np.int64)
    assert n == 10
    assert proven(rows, measure_of(problem), RowCharges(0, None, own)) == 90
    own[0] = 2
    may = replace(rows, suppressible=True)  # each for 3.5, which is 3 in whole units
    kept = int(rows.counts[0])
    assert proven(may, measure_of(problem), RowCharges(0, None, own)) == 3 * (n - kept) + 2 * kept
    eighths = RowCharges(3, None, np.ones(len(rows.counts), dtype=np.int64))
    assert proven(rows, measure_of(problem), eighths) == Fraction(3, 2)  # the next multiple of a half after 10 / 8
    with pytest.raises(CertificateError, match="There are 3 charges, and the raw table has 5 different rows"):
        proven(rows, measure_of(problem), RowCharges(0, None, own[:3]))
