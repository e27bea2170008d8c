"""Signatures that never change, against all worlds of small histories."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from tests.oracles import worlds
from tests.search.series.small import VALUES, SmallSeries

MOST = 9  # persons and counterfeits whose worlds are counted


def drawn(seed: int, *, counterfeits: bool = True, n_persons: int = 7, k: int = 2, few: bool = False) -> SmallSeries:
    """Return a random history of up to three releases."""
    rng = np.random.default_rng(seed)
    persons = [f"p{number}" for number in range(rng.integers(2, n_persons + 1))]
    series = SmallSeries(
        {person: str(rng.choice(list(VALUES[:3]))) for person in persons},
        {person: int(rng.integers(20, 30)) for person in persons},
        k=k,
        counterfeits=counterfeits,
        few=few,
    )
    for step in range(3):
        series.step([person for person in persons if rng.random() < 0.7], seed * 3 + step)
    return series


def counted_worlds(seed: int, *, counterfeits: bool) -> bool:
    """Count all worlds of a history, if they are not too many, and compare them with what is claimed."""
    series = drawn(seed, counterfeits=counterfeits)
    if not series.releases or len(series.held) + series.fakes > MOST:
        return False
    found = worlds.posteriors(series.releases, series.places)
    for person in series.held:
        shown = len(series.signatures[series.held[person]])
        assert set(found[person].values()) == {Fraction(1, shown)}
        assert shown >= 2
    return True


@pytest.mark.parametrize("counterfeits", [True, False])
def test_nobody_is_known_with_more_than_one_half(seeds: Callable[[int], range], counterfeits: bool) -> None:
    assert sum(counted_worlds(seed, counterfeits=counterfeits) for seed in seeds(240)) > 10


@pytest.mark.deep
def test_nobody_is_known_with_more_than_one_half_in_many_histories() -> None:
    assert sum(counted_worlds(seed, counterfeits=seed % 2 == 0) for seed in range(1000, 11_000)) > 8000


def test_each_class_shows_the_values_of_its_signature_equally_often(seeds: Callable[[int], range]) -> None:
    for seed in seeds(60):
        series = drawn(seed, n_persons=60, k=3)
        for release, where in zip(series.releases, series.places, strict=True):
            for name, shown in release.items():
                counts = Counter(shown)
                assert len(set(counts.values())) == 1
                assert len(counts) >= 2
                real = [person for person, held in where.items() if held == [name] and not person.startswith("nobody")]
                assert len(real) >= 3


def test_without_counterfeits_there_are_none(seeds: Callable[[int], range]) -> None:
    withheld = 0
    for seed in seeds(60):
        series = drawn(seed, counterfeits=False, n_persons=20)
        assert series.fakes == 0
        withheld += len(series.withheld)
    assert withheld > 0


def test_a_newcomer_of_the_same_value_takes_the_place_of_who_left() -> None:
    series = SmallSeries(
        dict(zip("pqrn", "xyzy", strict=True)), dict(zip("pqrn", (20, 21, 22, 24), strict=True)), m=3, k=3
    )
    series.step(["p", "q", "r"], 1)
    series.step(["p", "r", "n"], 2)
    assert series.fakes == 0
    assert series.held["n"] == series.held["q"]
    assert worlds.posteriors(series.releases, series.places)["q"] == dict.fromkeys("xyz", Fraction(1, 3))


def test_who_returns_keeps_the_signature() -> None:
    series = SmallSeries(
        dict(zip("pqrstu", "xyzxyz", strict=True)), dict(zip("pqrstu", (20, 21, 22, 60, 61, 62), strict=True)), m=3, k=3
    )
    series.step(list("pqrstu"), 1)
    before = dict(series.held)
    series.step(list("pqrst"), 2)
    series.step(list("pqrstu"), 3)
    assert series.held == before
    assert set(series.homes) == set("pqrstu")


def test_who_does_not_balance_waits() -> None:
    series = SmallSeries(dict(zip("pqrs", "xxxy", strict=True)), dict(zip("pqrs", (20, 21, 22, 23), strict=True)))
    series.step(list("pqrs"), 1)
    assert len(series.homes) == 2
    assert not series.withheld
