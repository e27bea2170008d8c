"""Each kernel of closed patterns against a twin of a few lines."""

from itertools import combinations
from random import Random

import numpy as np
import pytest

from shoal.kernels.exact.closed import closures_of_sets, excesses, support_prices, supports
from shoal.kernels.local.states import join_into
from shoal.search.local.states import encoding_of
from tests.search.searches import Search, random_tally


def joined(columns: object, one: np.ndarray, other: np.ndarray) -> tuple[int, ...]:
    target = np.empty((1, len(one)), dtype=np.int64)
    join_into(columns, target, 0, one[None, :], 0, other[None, :], 0)  # type: ignore[arg-type]
    return tuple(target[0].tolist())


@pytest.mark.parametrize("seed", range(30))
def test_all_sets_are_closed_and_hold_what_lies_below(seed: int) -> None:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    search = Search.of(random_tally(rng, rng.randint(1, 8)), rng.choice(["ncp", "entropy", "stars"]), 1)
    records = search.annealer.records
    encoding, codes, counts = encoding_of(search.tally.quasi, search.forms), records.codes, np.diff(records.firsts)
    columns, states, k = encoding.columns, encoding.states(codes), rng.randint(1, 3)
    expected = set()
    for size in range(1, len(states) + 1):
        for own in combinations(range(len(states)), size):
            state = states[own[0]]
            for i in own:
                state = np.array(joined(columns, state, states[i]))
            expected.add(tuple(state.tolist()))
    closed = closures_of_sets(columns, states, len(expected))
    assert sorted(map(tuple, closed.tolist())) == sorted(expected)
    assert len(closures_of_sets(columns, states, len(expected) - 1)) == 0
    kept, ends, members = supports(columns, closed, states, counts, k, 10_000)
    inside = [[i for i in range(len(states)) if joined(columns, row, states[i]) == tuple(row)] for row in closed]
    large = [sum(counts[i] for i in own) >= k for own in inside]
    assert kept.tolist() == large
    lists = [own for own, enough in zip(inside, large, strict=True) if enough]
    assert members.tolist() == [i for own in lists for i in own]
    assert ends.tolist() == np.cumsum([len(own) for own in lists]).tolist()
    prices = support_prices(columns, states, ends, members)
    expected_prices = search.prices(lists)
    assert prices.tolist() == pytest.approx(expected_prices)
    assert len(lists) == 0 or len(supports(columns, closed, states, counts, k, len(members) - 1)[1]) == 0


def most_exceeding(gains: list[int], k: int, forced: int | None = None) -> int:
    """Return the largest sum of at least k of the gains, one of them given."""
    sums = []
    for size in range(k, len(gains) + 1):
        for own in combinations(range(len(gains)), size):
            if forced is None or forced in own:
                sums.append(sum(gains[i] for i in own))
    return max(sums)


@pytest.mark.parametrize("seed", range(40))
def test_how_much_charges_exceed_the_price_of_a_pattern(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    counts = [rng.randint(1, 3) for _ in range(4)]
    charges, k = [rng.randint(-3, 6) for _ in counts], rng.randint(1, 4)
    lists = [own for size in (2, 3, 4) for own in combinations(range(4), size) if sum(counts[i] for i in own) >= k]
    prices = [rng.randint(0, 5) for _ in lists]
    begins = np.cumsum([0, *map(len, lists)])
    totals, forced = excesses(
        np.array(charges), np.array(counts), np.array(prices), begins, np.array([i for own in lists for i in own]), k
    )
    for p, (own, price) in enumerate(zip(lists, prices, strict=True)):
        owners = [i for i in own for _ in range(counts[i])]
        gains = [charges[i] - price for i in owners]
        assert totals[p] == most_exceeding(gains, k)
        assert forced[begins[p] : begins[p + 1]].tolist() == [most_exceeding(gains, k, owners.index(i)) for i in own]
