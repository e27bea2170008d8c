"""Lightest factors against brute force, against a matching, and bounds that every factor keeps."""

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from shoal.foundation.progress import silent
from shoal.kernels.matching.edges import edge_weights
from shoal.search.matching.cycles import degrees
from shoal.search.matching.factors import Factor, FactorSearch, Pace
from shoal.search.matching.pairs import Pairs
from tests.oracles.factors import least_factor, matched_factor
from tests.search.tallies import distances, forms_by, random_tally


def found(
    seed: int, n: int, least: int, limit: int = 0, omitted: float = 0.0, deadline: float = np.inf
) -> tuple[Pairs, list[list[int]], Factor]:
    """Return a random table's graph, its weights in units, and the factor that is found."""
    rng = Random(seed)  # noqa: S311
    tally = random_tally(rng, n, rng.choice([1, 3, 6]), rng.choice([2, 3, 8]))
    forms = forms_by(tally, rng.choice(["tree", "stars", "ncp"]))
    codes = np.repeat(tally.codes, tally.counts, axis=0)
    none = np.zeros(codes.shape[1], dtype=np.bool_)
    pairs = Pairs.of(codes, forms, forms.prices, none, omitted * float(forms.tops.sum()))
    matrix = np.rint(distances(forms, codes) / pairs.unit).astype(int).tolist()
    return pairs, matrix, FactorSearch(pairs, least, limit, deadline, silent).found(codes, forms)


def check(pairs: Pairs, factor: Factor, least: int, limit: int = 0) -> None:
    """Assert that a factor is one, and weighs what it says."""
    ends = degrees(pairs.n, factor.edges)
    assert (ends[factor.omitted] == 0).all()
    assert ((ends >= least) & (ends <= 2))[~factor.omitted].all()
    assert factor.omitted.sum() <= limit
    assert len(np.unique(factor.edges, axis=0)) == len(factor.edges)
    assert (factor.edges[:, 0] < factor.edges[:, 1]).all()
    weight = edge_weights(pairs.weights, factor.edges).sum() + pairs.omitted * factor.omitted.sum()
    assert factor.bound <= factor.weight == weight


@pytest.mark.parametrize("least", [1, 2])
def test_the_lightest_factor_of_a_tiny_table(least: int, seeds: Callable[[int], range]) -> None:
    for seed in seeds(100):
        pairs, matrix, factor = found(seed, least + 1 + seed % (7 - least), least)
        check(pairs, factor, least)
        assert factor.proven
        assert factor.weight == factor.bound == least_factor(matrix, least)


@pytest.mark.parametrize("least", [1, 2])
def test_records_may_be_omitted_at_a_price(least: int, seeds: Callable[[int], range]) -> None:
    """With a limit that binds, the relaxation need not be tight: then the bound is below, and says so."""
    proven = 0
    for seed in seeds(60):
        n, limit = 4 + seed % 4, 1 + seed % 2
        pairs, matrix, factor = found(seed, n, least, limit, (0.2, 0.5, 1.0)[seed % 3])
        check(pairs, factor, least, limit)
        assert factor.weight == least_factor(matrix, least, pairs.omitted, limit) >= factor.bound
        proven += factor.proven
    assert proven > 30 * len(seeds(60)) / 60


@pytest.mark.parametrize("n", [40, 61, 80])
def test_a_matching_finds_the_same_weight(n: int) -> None:
    for seed in range(4):
        pairs, matrix, factor = found(seed, n, 1)
        check(pairs, factor, 1)
        assert factor.proven
        assert factor.weight == matched_factor(matrix)


@pytest.mark.parametrize("least", [1, 2])
def test_larger_tables_are_proven(least: int) -> None:
    for seed in range(4):
        pairs, _, factor = found(seed, 120, least)
        check(pairs, factor, least)
        assert factor.proven


def test_equal_records_weigh_nothing() -> None:
    """Zero weights: any factor is a lightest one (notes on the paper: components may be cycles and long paths)."""
    tally = random_tally(Random(1), 1, 2, 2)  # noqa: S311
    forms = forms_by(tally, "stars")
    codes = np.repeat(tally.codes, 50, axis=0)
    pairs = Pairs.of(codes, forms, forms.prices, np.zeros(codes.shape[1], dtype=np.bool_), 0.0)
    for least in (1, 2):
        factor = FactorSearch(pairs, least, 0, np.inf, silent).found(codes, forms)
        check(pairs, factor, least)
        assert (factor.weight, factor.proven) == (0, True)


@pytest.mark.parametrize("least", [1, 2])
def test_out_of_time_there_is_a_factor_and_a_bound(least: int, seeds: Callable[[int], range]) -> None:
    for seed in seeds(10):
        pairs, matrix, factor = found(seed, 7, least, deadline=0.0)
        check(pairs, factor, least)
        assert factor.bound <= least_factor(matrix, least) <= factor.weight


def test_weights_without_a_common_unit(seeds: Callable[[int], range]) -> None:
    for seed in seeds(20):
        rng = Random(seed)  # noqa: S311
        tally = random_tally(rng, 7, 3, 4)
        forms = forms_by(tally, "entropy")
        codes = np.repeat(tally.codes, tally.counts, axis=0)
        pairs = Pairs.of(codes, forms, forms.prices, np.zeros(codes.shape[1], dtype=np.bool_), 0.0)
        matrix = np.floor(distances(forms, codes) / pairs.unit).astype(int).tolist()
        for least in (1, 2):
            factor = FactorSearch(pairs, least, 0, np.inf, silent).found(codes, forms)
            assert factor.proven
            assert factor.weight == pytest.approx(least_factor(matrix, least), rel=1e-9)


def test_the_centre_is_cut_off_when_the_bound_stands_still() -> None:
    pace = Pace(centre=False)
    pace.step(3, 7.5, rose=True)
    pace.step(2, 7.5, rose=False)
    assert not pace.centre
    pace.step(2, 7.5, rose=False)
    assert pace.centre
    pace.step(4, 8.0, rose=True)
    assert pace.centre
    pace.step(0, 8.0, rose=False)
    assert not pace.centre
    assert pace.going
    for _ in range(4):
        pace.step(1, 8.0, rose=False)
    assert not pace.going
