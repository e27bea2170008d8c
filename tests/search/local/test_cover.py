"""The greedy cover against all sets of k to 2k - 1 records, and the classes that it becomes."""

from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.models import KAnonymity
from shoal.search.local import patterns as module
from shoal.search.local.cover import Covering, greedy_cover, parts_of_cover
from shoal.search.problem import Problem
from tests.oracles.local.losses import Pricing
from tests.oracles.local.random_jobs import plain_request, random_local
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Record, Rules
from tests.search.local.test_patterns import listing, records_of

STAR = {letter: (letter, "*") for letter in "abcxyz"}


def always(share: float) -> bool:
    assert 0 <= share < 1
    return True


def covered(problem: Problem) -> Covering:
    return greedy_cover(listing(problem), always)


def sets_of(records: list[Record], pricing: Pricing, k: int) -> dict[tuple[int, ...], float]:
    """Return all sets of k to 2k - 1 records, with what each of their records pays."""
    sizes = range(k, min(2 * k - 1, len(records)) + 1)
    sets = [some for size in sizes for some in combinations(range(len(records)), size)]
    return {some: pricing.paid(pricing.shown([records[i] for i in some])) / len(some) for some in sets}


@given(seed=st.integers(0, 10**6), measure=st.sampled_from(["stars", "tree", "entropy", "monotone-entropy", "lm"]))
@settings(deadline=None, max_examples=100)
def test_every_step_is_one_of_the_greedy_over_all_sets(seed: int, measure: str) -> None:
    case = plain_request(seed, measure)
    patterns = listing(case.problem)
    covering = greedy_cover(patterns, always)
    sets = sets_of(records_of(patterns), Pricing(case.table, measure), patterns.k)
    before: set[int] = set()
    for turn, ratio in enumerate(covering.ratios):
        new = {int(i) for i in np.flatnonzero(covering.turns == turn)}
        ratios = {some: price / len(set(some) - before) for some, price in sets.items() if set(some) - before}
        assert ratio == pytest.approx(min(ratios.values()), abs=1e-12)
        assert any(new == set(some) - before and ratios[some] <= ratio + 1e-12 for some in ratios)
        if measure == "stars":  # whose prices are exact, so that ties are
            assert len(new) == max(len(set(some) - before) for some in ratios if ratios[some] == min(ratios.values()))
        before |= new
    assert before == set(range(len(covering.turns)))


@given(seed=st.integers(0, 10**6), measure=st.sampled_from(["stars", "tree", "entropy", "ncp"]))
@settings(deadline=None, max_examples=100)
def test_phase_2_makes_classes_of_k_to_2k_that_cost_no_more_than_the_cover(seed: int, measure: str) -> None:
    rng = Random(seed)  # noqa: S311
    k = rng.randint(1, 5)
    table = random_local(rng, rng.randint(k, 60), forms=("tree",))
    patterns = listing(local_problem(table, Rules((KAnonymity(k=k),)), measure))
    covering = greedy_cover(patterns, always)
    records, pricing = records_of(patterns), Pricing(table, measure)
    price = 0.0
    for label in np.unique(covering.labels):
        members = [records[i] for i in np.flatnonzero(covering.labels == label)]
        assert k <= len(members) <= 2 * k - 1
        price += pricing.paid(pricing.shown(members)) / len(members)
    newly = np.bincount(covering.turns)
    assert newly.max() <= 2 * k - 1
    assert price <= covering.ratios @ newly + 1e-9
    assert (np.diff(covering.ratios) >= -1e-12).all()


@given(seed=st.integers(0, 10**6), measure=st.sampled_from(["stars", "tree", "entropy", "nonuniform-entropy"]))
@settings(deadline=None, max_examples=40)
def test_listing_only_what_can_matter_changes_nothing(seed: int, measure: str) -> None:
    rng = Random(seed)  # noqa: S311
    table = random_local(rng, rng.randint(5, 120), forms=("tree",), missing=seed % 2 == 0)
    patterns = listing(local_problem(table, Rules((KAnonymity(k=rng.randint(1, 5)),)), measure))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_TOGETHER", 10**6)
        patch.setattr(module, "_WORTH", 1)
        eager = greedy_cover(patterns, always)
        patch.setattr(module, "_TOGETHER", 1)
        lazy = greedy_cover(patterns, always)
    assert lazy.n_patterns <= eager.n_patterns
    for name in ("labels", "turns", "ratios"):
        assert getattr(lazy, name).tolist() == getattr(eager, name).tolist()


def table_of(rows: str) -> LocalTable:
    """Return records of single letters, column by column, that may be suppressed."""
    records = [{f"c{j}": letter for j, letter in enumerate(row)} for row in rows.split()]
    return LocalTable(records, dict.fromkeys(records[0], STAR))


def solved(rows: str, k: int) -> Covering:
    return covered(local_problem(table_of(rows), Rules((KAnonymity(k=k),)), "stars"))


def test_two_sets_of_just_k_become_one() -> None:
    """Worked by hand: five closed patterns, of which a* and *y and b* hold two or three records at a star each.

    First ax at 0. Then b* and *y cover two records at 1/2 each, and b* comes first in the order of levels. The
    third record is left: a* and *y cover it at 1. Its set is filled with a record of the first one, which has just
    2: so the two become one class.
    """
    covering = solved("ax ax ay by bz", 2)
    assert covering.ratios.tolist() == [0.0, 0.5, 1.0]
    assert covering.turns.tolist() == [0, 0, 2, 1, 1]
    assert covering.labels.tolist() == [0, 0, 0, 1, 1]
    assert covering.n_patterns == 5


def test_a_set_of_more_than_k_gives_a_record_away() -> None:
    covering = solved("a a a b", 2)
    assert covering.ratios.tolist() == [0.0, 1.0]
    assert sorted(np.bincount(covering.labels).tolist()) == [2, 2]


def test_equal_records_are_covered_by_themselves() -> None:
    covering = solved("a a a a a a a b b b b", 3)
    assert covering.ratios.tolist() == [0.0, 0.0, 0.0]
    assert covering.labels.tolist()[:7].count(covering.labels[0]) in (3, 4, 5)
    assert set(covering.labels.tolist()[:7]).isdisjoint(covering.labels.tolist()[7:])


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_a_cover_that_is_stopped_has_classes(k: int) -> None:
    for seed in range(8):
        table = random_local(Random(seed), 4 + 3 * seed, forms=("tree",))  # noqa: S311
        patterns = listing(local_problem(table, Rules((KAnonymity(k=k),)), "tree"))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "_TOGETHER", 1)
            patch.setattr(module, "_WORTH", 1)
            for turns in range(4):
                left = iter([True] * turns + [False])
                stopped = greedy_cover(patterns, lambda share, left=left: next(left))  # type: ignore[misc]
                sizes = np.bincount(stopped.labels)
                small = sizes[(sizes > 0) & (sizes < k)]
                assert len(small) <= 1
                assert len(small) == 0 or small[0] == np.count_nonzero(stopped.turns < 0)
                assert stopped.complete == bool((stopped.turns >= 0).all())


def test_points_that_differ_in_a_sensitive_value_share_a_place() -> None:
    records = [{"c0": "a", "ill": "yyn"[i % 3]} for i in range(6)] + [{"c0": "b", "ill": "n"}]
    table = LocalTable(records, {"c0": STAR}, ("ill",))
    problem = local_problem(table, Rules((KAnonymity(k=2),)), "stars")
    patterns = listing(problem)
    assert (problem.tally.n_points, patterns.n_rows) == (3, 2)
    parts = parts_of_cover(problem.tally, patterns, greedy_cover(patterns, always))
    assert np.bincount(parts.points, weights=parts.counts).tolist() == problem.tally.counts.tolist()
    assert sorted(np.bincount(parts.classes, weights=parts.counts).tolist()) == [2, 2, 3]
