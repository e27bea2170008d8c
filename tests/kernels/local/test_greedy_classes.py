"""Greedy clusters against plain loops over all records."""

from itertools import pairwise
from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.local.greedy_classes import cluster_rest, cluster_seeds, join_rest, split_alike
from tests.search.searches import MEASURE_NAMES, Search, random_tally

SEEDS = st.integers(0, 10**6)


@given(sizes=st.lists(st.integers(1, 40), min_size=1, max_size=6), least=st.integers(1, 7))
def test_equal_records_are_parted(sizes: list[int], least: int) -> None:
    firsts = np.cumsum([0, *sizes]).astype(np.int64)
    label = np.full(firsts[-1], -1, dtype=np.int64)
    n_classes = split_alike(firsts, least, 2 * least, label)
    for begin, end in pairwise(firsts):
        if end - begin < least:
            assert set(label[begin:end].tolist()) == {-1}
        else:
            counts = np.unique(label[begin:end], return_counts=True)[1]
            assert (
                least <= counts.min() <= counts.max() <= max(2 * least, end - begin if end - begin < 2 * least else 0)
            )
    assert sorted(set(label[label >= 0].tolist())) == list(range(n_classes))


@settings(max_examples=60)
@given(seed=SEEDS, measure=st.sampled_from(MEASURE_NAMES))
def test_clusters_are_of_k_records(seed: int, measure: str) -> None:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    least = rng.randint(1, 5)
    search = Search.of(random_tally(rng, rng.randint(least, 80)), measure, least, seed=seed)
    annealer = search.annealer
    label = np.full(len(annealer.records.point), -1, dtype=np.int64)
    seeds = np.array(rng.sample(range(len(annealer.states)), len(annealer.states)), dtype=np.int64)
    n = cluster_seeds(annealer.columns, annealer.states, annealer.records.firsts, annealer.near, seeds, least, label, 0)
    assert np.bincount(label[label >= 0], minlength=n).tolist() == [least] * n
    whole = annealer.clustered()
    assert whole.min() == 0
    assert np.bincount(whole).min() >= least


def greedy(search: Search, rest: list[int], least: int) -> list[list[int]]:
    """Return classes of `least` records, each begun with the last record and filled with the cheapest."""
    point, found = search.annealer.records.point, []
    while len(rest) >= 2 * least:
        own = [rest.pop()]
        while len(own) < least:
            prices = search.prices([[int(point[i]) for i in (*own, other)] for other in rest])
            chosen = int(np.argmin(np.round(prices, 9)))
            own.append(rest[chosen])
            last = rest.pop()
            if chosen < len(rest):
                rest[chosen] = last
        found.append(sorted(own))
    return found


@settings(max_examples=30)
@given(seed=SEEDS)
def test_the_rest_is_clustered_by_a_look_at_all(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    least, n = rng.randint(1, 4), rng.randint(4, 16)
    search = Search.of(random_tally(rng, n), "stars", least)  # whose prices are exact, so that ties are ties
    annealer = search.annealer
    label = np.full(n, -1, dtype=np.int64)
    rest = np.arange(n)
    n_classes = cluster_rest(annealer.columns, annealer.states, annealer.records.point, rest, least, label, 0)
    expected = greedy(search, list(range(n)), least)
    assert [np.flatnonzero(label == c).tolist() for c in range(len(expected))] == expected
    assert n_classes - len(expected) in (0, 1)
    assert np.bincount(label[label >= 0]).min() >= min(least, n)


@settings(max_examples=30)
@given(seed=SEEDS)
def test_what_is_left_joins_where_it_costs_least(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    search = Search.of(random_tally(rng, 20), "ncp", 2)
    annealer = search.annealer
    label = np.array([rng.randrange(4) for _ in range(16)] + [-1] * 4, dtype=np.int64)
    label[:4] = range(4)
    rng.shuffle(label)  # type: ignore[arg-type]
    found = label.copy()
    join_rest(annealer.columns, annealer.states, annealer.records.point, found, 4)
    assert found[label >= 0].tolist() == label[label >= 0].tolist()
    for record in np.flatnonzero(label < 0):
        losses = []
        for c in range(4):
            tried = label.copy()
            tried[record] = c
            losses.append(search.loss(np.where(tried < 0, np.arange(20) + 4, tried)))
        label[record] = found[record]
        assert losses[found[record]] <= min(losses) + 1e-9
