"""Each kernel of subsets against a twin of a few lines."""

from collections.abc import Iterator
from itertools import product
from random import Random

import numpy as np
import pytest

from shoal.kernels.exact.subsets import best_partitions, class_costs, closure_prices
from shoal.search.local.states import encoding_of
from tests.search.searches import Search, random_tally

Digits = tuple[int, ...]


def subsets(counts: list[int]) -> Iterator[Digits]:
    """Go through all subsets by how many records they have of each kind, in the order of their numbers."""
    for digits in product(*(range(count + 1) for count in reversed(counts))):
        yield digits[::-1]


@pytest.mark.parametrize("seed", range(30))
def test_every_set_is_closed_and_priced(seed: int) -> None:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    search = Search.of(random_tally(rng, rng.randint(1, 9)), rng.choice(["ncp", "lm", "entropy", "tree"]), 1)
    codes = search.annealer.records.codes
    encoding = encoding_of(search.tally.quasi, search.forms)
    prices = closure_prices(encoding.columns, encoding.states(codes))
    sets = [[i for i in range(len(codes)) if bits >> i & 1] for bits in range(1, 1 << len(codes))]
    assert prices[0] == 0
    assert prices[1:].tolist() == pytest.approx(search.prices(sets))


@pytest.mark.parametrize("seed", range(30))
def test_a_class_costs_its_price_for_each_record_if_it_passes(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    counts = [rng.randint(1, 3) for _ in range(rng.randint(1, 4))]
    most, weights = rng.randint(1, sum(counts)), [rng.randint(1, 3) for _ in counts]
    prices = np.array([rng.randint(0, 9) / 4 for _ in range(1 << len(counts))])
    profiles = sum(count * weight for count, weight in zip(counts, weights, strict=True)) + 1
    passing = np.array([rng.random() < 0.7 for _ in range(profiles)])
    expected = []
    for digits in subsets(counts):
        bits = sum(1 << i for i, digit in enumerate(digits) if digit)
        profile = sum(digit * weight for digit, weight in zip(digits, weights, strict=True))
        allowed = 0 < sum(digits) <= most and passing[profile]
        expected.append(sum(digits) * prices[bits] if allowed else np.inf)
    found = class_costs(np.array(counts), prices, np.array(weights), passing, most)
    assert found.tolist() == expected


@pytest.mark.parametrize("seed", range(40))
def test_the_best_of_all_partitions_of_every_subset(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    counts = [rng.randint(1, 3) for _ in range(rng.randint(1, 4))]
    most, listed = rng.randint(1, sum(counts)), list(subsets(counts))
    costs = np.array(
        [rng.choice([1.0, 2.0, 5.0, np.inf]) * sum(digits) if any(digits) else np.inf for digits in listed]
    )
    costs[[sum(digits) > most for digits in listed]] = np.inf
    least = {listed[0]: 0.0}
    for digits in listed[1:]:
        rests = [
            (tuple(a - b for a, b in zip(digits, own, strict=True)), cost)
            for own, cost in zip(listed, costs, strict=True)
            if all(a >= b for a, b in zip(digits, own, strict=True)) and any(own)
        ]
        least[digits] = min(cost + least[rest] for rest, cost in rests)
    best, chosen = np.zeros(len(costs)), np.zeros(len(costs), dtype=np.int64)
    middle = rng.randint(1, len(costs))
    for begin, end in ((1, middle), (middle, len(costs))):
        best_partitions(np.array(counts), costs, most, begin, end, best, chosen)
    assert best.tolist() == list(least.values())
    for number in np.flatnonzero(best[1:] < np.inf) + 1:
        assert best[number] == costs[chosen[number]] + best[number - chosen[number]]
