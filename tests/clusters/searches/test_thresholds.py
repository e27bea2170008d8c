"""The least threshold is found although success is not monotone, and without a list of distances."""

from random import Random

import numpy as np
import pytest

from shoal.clusters.searches.points import Clusters
from shoal.clusters.searches.thresholds import OUT_OF_TIME, Searched, ThresholdRun, least_threshold
from shoal.foundation.progress import silent


def named(number: float) -> Clusters:
    """Return clusters that tell at which threshold they were found."""
    none = np.zeros(0, dtype=np.int64)
    return Clusters(none, none, none, np.zeros((1, 0)), number)


@pytest.mark.parametrize("seed", range(60))
def test_the_end_is_at_most_the_threshold_from_which_all_succeed(seed: int) -> None:
    draw = Random(seed)  # noqa: S311
    numbers = sorted(draw.sample(range(1, 1000), 30))
    certain = draw.choice(numbers)  # from here on every run succeeds; below, some do
    works = {number: number >= certain or draw.random() < 0.3 for number in (0, *numbers)}
    tried = []

    def run(tau: float) -> ThresholdRun:
        tried.append(tau)
        below = max(number for number in (0, *numbers) if number <= tau)
        above = min((number for number in numbers if number > tau), default=np.inf)
        return ThresholdRun(named(below) if works[below] else None, below, above)

    searched = least_threshold(0.0, numbers[-1], named(numbers[-1]), run, silent)
    assert searched.high <= searched.low <= certain
    assert works[int(searched.high)]
    assert searched.found.bound == searched.high
    assert len(set(tried)) == len(tried) <= 12
    assert searched.bound == pytest.approx(searched.low / 2)
    assert (searched.factor(1), searched.factor(2), searched.finding(1).remark) == (2, 4, "")


def test_a_search_that_is_stopped_tells_what_it_knows() -> None:
    stopped = least_threshold(2.0, 8.0, named(8), lambda _: None, silent)
    assert (stopped.low, stopped.high, stopped.finding(1).remark) == (2, 8, OUT_OF_TIME)
    assert stopped.factor(1) == pytest.approx(8)
    assert Searched(named(8), 0.0, 8.0).factor(1) is None
    assert Searched(named(0), 0.0, 0.0).factor(1) == 2
