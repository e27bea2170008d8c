"""Classes that show their values several times are parted, and nothing that was promised of them changes."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import polars as pl

from shoal.jobs.arguments import request
from shoal.jobs.posing import problem_of
from shoal.jobs.source import read
from shoal.search.series.parting import grouped, part_large
from shoal.search.series.people import People
from shoal.search.series.settling import dissolve_open
from shoal.search.series.signatures import SignatureClasses
from tests.search.series.small import SmallSeries


def people_of(values: list[int], rng: np.random.Generator) -> People:
    """Return persons with these values and random quasi values."""
    ages = [str(age) for age in rng.integers(20, 60, len(values))]
    frame = pl.DataFrame({"age": ages, "sex": rng.choice(["m", "f"], len(values)), "ill": [str(one) for one in values]})
    source = read(request(frame, quasi=["age", "sex"], sensitive=["ill"], k=2, seed=1), frame)
    counted = source.engine.count(("ill",))
    none = np.full(len(values), -1, dtype=np.int64)
    return People.of(problem_of(source.job, counted.tally), counted.point_of, np.array(values), none, none)


def test_a_large_class_is_parted_into_classes_of_its_signature(seeds: Callable[[int], range]) -> None:
    for seed in seeds(60):
        rng = np.random.default_rng(seed)
        of_each = rng.integers(1, 12, 3)
        people = people_of(np.repeat([0, 1, 2], of_each).tolist(), rng)
        label = np.zeros(len(people), dtype=np.int64)
        classes = SignatureClasses(people, label, [(0, 1, 2)], np.zeros(1, dtype=np.int64), 3)
        before = people.prices(people.closed(people.members(label, 1)))[0]
        least = int(rng.integers(2, 8))
        part_large(classes, least)
        together = -(-least // 3)
        assert classes.n_classes == max(1, of_each.min() // together)
        members = people.members(classes.label, classes.n_classes)
        assert (people.prices(people.closed(members)) <= before).all()
        for number in range(1, classes.n_classes):
            counts = Counter(people.values[classes.label == number].tolist())
            assert counts == dict.fromkeys(range(3), together)
        assert classes.sizes().sum() == len(people)
        assert classes.sizes().min() >= min(least, len(people))
        lacking = int((of_each.max() - of_each).sum())
        assert classes.holes()[2].sum() == lacking  # no more counterfeits are needed than before


def test_groups_have_as_many_of_each_pool_and_lie_closer_together() -> None:
    rng = np.random.default_rng(3)
    people = people_of([0] * 40 + [1] * 40, rng)
    groups = grouped(people, [np.arange(40), np.arange(40, 80)], 2)
    assert sorted(np.concatenate(groups).tolist()) == list(range(80))
    assert all(Counter(people.values[group].tolist()) == {0: 2, 1: 2} for group in groups)
    spans = [np.ptp(people.places[group, 0]) for group in groups]
    assert np.mean(spans) < np.ptp(people.places[:, 0]) / 3


def test_of_scarce_values_fewer_members_are_lacking_afterwards() -> None:
    people = people_of([0, 1, 1, 2, 0, 2], np.random.default_rng(1))  # lacking: 2, 0, 1
    for coming, left in (([1, 1, 1], 3), ([1, 0, 1], 0)):
        classes = SignatureClasses(people, np.array([0, 0, 1, 1, 2, 2]), [(0, 1, 2)], np.zeros(3, dtype=np.int64), 3)
        dissolve_open(classes, np.array(coming))
        assert classes.holes()[2].sum() == left


def test_a_class_that_had_to_be_joined_does_not_stay_large() -> None:
    series = SmallSeries(dict(zip("pqrstun", "xyzxyzx", strict=True)), dict.fromkeys("pqrstun", 30), m=3, k=3)
    series.step(list("pqrstu"), 1)
    series.step(list("qrstu"), 2)
    assert len(set(series.homes.values())) == 1
    assert series.fakes == 1
    series.step(list("qrstun"), 3)
    assert len(set(series.homes.values())) == 2
    assert series.fakes == 1
