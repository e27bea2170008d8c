from math import comb, log, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.classes.population_estimates import Sample, digamma, pitman, population_uniques, snb, zayatz

SIZES = st.lists(st.integers(1, 9), min_size=2, max_size=30)


def drawn(cells: NDArray[np.int64], fraction: float, seed: int) -> NDArray[np.int64]:
    """Return the class sizes of a simple random sample."""
    sample = np.random.default_rng(seed).choice(len(cells), round(len(cells) * fraction), replace=False)
    return np.unique(cells[sample], return_counts=True)[1].astype(np.int64)


def uniques(cells: NDArray[np.int64]) -> int:
    return int(np.count_nonzero(np.unique(cells, return_counts=True)[1] == 1))


def people() -> NDArray[np.int64]:
    """100,000 people by age, place, sex and status, none of them evenly spread."""
    rng, n = np.random.default_rng(3), 100_000
    age = np.clip(rng.normal(45, 18, n).astype(int), 0, 99)
    place = np.minimum(rng.zipf(1.5, n), 400)
    return np.asarray(
        ((age * 401 + place) * 2 + rng.integers(0, 2, n)) * 5 + rng.choice(5, n, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    )


def log_likelihood(sizes: list[int], alpha: float, theta: float) -> float:
    """Pitman's sampling formula, but for what does not depend on its parameters."""
    return (
        sum(log(theta + i * alpha) for i in range(1, len(sizes)))
        - sum(log(theta + i) for i in range(1, sum(sizes)))
        + sum(log(i - alpha) for size in sizes for i in range(1, size))
    )


@settings(max_examples=40)
@given(SIZES, st.floats(0.05, 1))
def test_zayatz_is_bayes_rule(sizes: list[int], fraction: float) -> None:
    sample = Sample.of(np.array(sizes), fraction)
    n, people, alone = sum(sizes), sample.population, sizes.count(1)
    chances = [size * comb(people - size, n - 1) / comb(people, n) for size in sizes]
    wanted = alone * (alone * n / people) / sum(chances) * people / n if alone else 0.0
    assert zayatz(sample) == pytest.approx(wanted, rel=1e-6)


@settings(max_examples=15)
@given(SIZES)
def test_pitman_takes_the_likeliest_parameters(sizes: list[int]) -> None:
    found = pitman(Sample.of(np.array(sizes), 0.1))
    if found is None or 1 not in sizes:
        assert found == (None if 1 in sizes else 0.0)
        return
    people = Sample.of(np.array(sizes), 0.1).population
    grid = [(a, t) for a in np.linspace(0.02, 0.98, 25) for t in np.geomspace(0.01, 300, 60) - a * 0.99]
    alpha, theta = max(grid, key=lambda both: log_likelihood(sizes, *both))

    def expected(a: float, t: float) -> float:
        return people * prod((t + a + i) / (t + 1 + i) for i in range(people - 1))

    near = [expected(a, t) for a, t in grid if log_likelihood(sizes, a, t) > log_likelihood(sizes, alpha, theta) - 0.5]
    assert min(near) * 0.8 <= found <= max(near) * 1.2


@pytest.mark.parametrize("fraction", [0.05, 0.1, 0.3, 0.6])
def test_estimates_are_near_the_truth(fraction: float) -> None:
    cells = people()
    found = population_uniques(drawn(cells, fraction, 1), fraction)
    assert found["uniques"] == pytest.approx(uniques(cells), rel=0.15)
    assert found["model"] == ("pitman" if fraction <= 0.1 else found["model"])
    assert found["population"] == len(cells)
    assert found["share"] == found["uniques"] / len(cells)


def test_snb_finds_the_classes_it_supposes() -> None:
    rng = np.random.default_rng(5)
    sizes = 1 + rng.negative_binomial(1, 0.5, 20_000)
    cells = np.repeat(np.arange(20_000), sizes)
    found = snb(Sample.of(drawn(cells, 0.6, 2), 0.6))
    assert found == pytest.approx(uniques(cells), rel=0.03)


def test_everybody_is_counted() -> None:
    found = population_uniques(np.array([1, 1, 1, 2, 5]), 1.0)
    assert (found["model"], found["uniques"], found["share"], found["of_sample_uniques"]) == ("count", 3.0, 0.3, 1.0)
    assert population_uniques(np.array([2, 2]), 0.1)["uniques"] == 0.0


def test_a_model_that_does_not_fit_gives_way() -> None:
    found = population_uniques(np.array([1, 1, 1, 1]), 0.05)
    assert found["estimates"]["pitman"] is None
    assert found["model"] == "zayatz"
    assert found["uniques"] == pytest.approx(80)


def test_digamma_at_known_places() -> None:
    assert digamma(1) == pytest.approx(-0.57721566490153286, abs=1e-14)
    assert digamma(0.5) == pytest.approx(-1.9635100260214235, abs=1e-13)
    assert digamma(100) == pytest.approx(4.600161852738087, abs=1e-13)
