"""Companions, against all worlds of small histories."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from shoal.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity
from shoal.models.model import PrivacyModel
from shoal.releases.series.histories import keeps, last_marks, likeliest, longer
from shoal.search.series.cohorts import who_stays
from tests.oracles import worlds
from tests.oracles.worlds import Release, Where

PROMISES: list[PrivacyModel] = [KAnonymity(k=2), FrequencyLDiversity(l=2, column="ill")]


def keeping(histories: Sequence[str]) -> bool:
    return keeps(histories, PROMISES, ["ill"])


def history(seed: int) -> tuple[list[Release], list[Where], Fraction]:
    """Return a random series of one cohort after another, and the bound that its groups give."""
    rng = np.random.default_rng(seed)
    releases: list[Release] = []
    places: list[Where] = []
    cohorts: list[list[tuple[str, str]]] = []
    bound, known = Fraction(0), 0
    for _ in range(3):
        after = []
        for cohort in cohorts:
            leaves = rng.random(len(cohort)) < 0.25
            gone = [one for one, left in zip(cohort, leaves.tolist(), strict=True) if left]
            rest = [one for one, left in zip(cohort, leaves.tolist(), strict=True) if not left]
            marks = [f"1:{value}" for _, value in rest]
            stays = who_stays([f"1:{value}" for _, value in gone], marks, marks, keeping, rng).tolist()
            left = [*gone, *(one for one, there in zip(rest, stays, strict=True) if not there)]
            bound = max(bound, likeliest([f"1:{value}" for _, value in left]) if left else Fraction(0))
            assert not left or keeping([f"1:{value}" for _, value in left])
            after.append([one for one, there in zip(rest, stays, strict=True) if there])
        coming = [(f"p{known + i}", str(rng.choice(list("xyz")))) for i in range(int(rng.integers(0, 8 - known)))]
        if keeping([f"1:{value}" for _, value in coming]):
            after.append(coming)
            known += len(coming)
        cohorts = [one for one in after if one]
        bound = max([bound, *(likeliest([f"1:{value}" for _, value in one]) for one in cohorts)])
        if cohorts:
            releases.append({f"c{n}": [value for _, value in one] for n, one in enumerate(cohorts)})
            places.append({person: [f"c{n}"] for n, one in enumerate(cohorts) for person, _ in one})
    return releases, places, bound


def counted_worlds(numbers: Iterable[int]) -> tuple[int, int]:
    """Count all worlds of some histories; return of how many, and for how many of these the bound is reached."""
    counted = tight = 0
    for seed in numbers:
        releases, places, bound = history(seed)
        if releases:
            found = worlds.posteriors(releases, places)
            most = max(max(shares.values()) for shares in found.values())
            assert most <= bound <= Fraction(1, 2)
            counted, tight = counted + 1, tight + (most == bound)
    return counted, tight


def test_nobody_is_known_with_more_than_the_groups_say(seeds: Callable[[int], range]) -> None:
    counted, tight = counted_worlds(seeds(600))
    assert counted > 20
    assert tight > 10


@pytest.mark.deep
def test_nobody_is_known_with_more_than_the_groups_say_in_many_histories() -> None:
    counted, tight = counted_worlds(range(1000, 11_000))
    assert counted > 3000
    assert tight > 1000


def test_nobody_leaves_alone() -> None:
    rng = np.random.default_rng(1)
    here = [f"1:{value}" for value in "xyzxyz"]
    stays = who_stays(["1:x"], here, here, keeping, rng)
    assert int((~stays).sum()) == 1  # one of another value goes along
    assert here[int(np.flatnonzero(~stays)[0])] != "1:x"
    assert who_stays([], here, here, keeping, rng).all()


def test_a_cohort_that_cannot_be_parted_is_withheld() -> None:
    here = ["1:x", "1:y", "1:z"]
    stays = who_stays(["1:x"], here[:2], here[:2], keeping, np.random.default_rng(1))
    assert not stays.any()


def test_a_changed_value_is_looked_at_from_then_on() -> None:
    ill = longer(longer("", 1, "a"), 2, "a")
    assert ill == "1:a"
    assert longer(ill, 3, "b") == "1:a 3:b"
    assert last_marks("1:a 3:b") == "b"
    assert keeps(["1:a", "1:b"], [DistinctLDiversity(l=2, column="ill")], ["ill"])
    assert not keeps(["1:a 2:b", "1:b"], [DistinctLDiversity(l=2, column="ill")], ["ill"])
    assert likeliest(["1:a,x 2:b,x", "1:b,y"]) == 1


def changing(seed: int) -> tuple[list[list[tuple[str, str]]], Fraction]:
    """Return who of a cohort is in each release with which value, which may change, and the bound of its groups."""
    rng = np.random.default_rng(seed)
    here = [(f"p{i}", f"1:{rng.choice(list('xyz'))}") for i in range(int(rng.integers(4, 8)))]
    releases: list[list[tuple[str, str]]] = []
    bound = Fraction(0)
    for step in range(1, 4):
        if step > 1:
            leaves = (rng.random(len(here)) < 0.2).tolist()
            gone = [one for one, left in zip(here, leaves, strict=True) if left]
            rest = [one for one, left in zip(here, leaves, strict=True) if not left]
            changes = (rng.random(len(rest)) < 0.3).tolist()
            now = [
                longer(then, step, str(rng.choice(list("xyz")))) if new else then
                for (_, then), new in zip(rest, changes, strict=True)
            ]
            stays = who_stays([one for _, one in gone], [one for _, one in rest], now, keeping, rng).tolist()
            left = [one for _, one in gone] + [one for (_, one), there in zip(rest, stays, strict=True) if not there]
            bound = max(bound, likeliest(left)) if left else bound
            here = [(name, one) for (name, _), one, there in zip(rest, now, stays, strict=True) if there]
        if not keeping([one for _, one in here]):
            break
        bound = max(bound, likeliest([one for _, one in here]))
        releases.append([(name, last_marks(one)) for name, one in here])
    return releases, bound


def test_values_that_change_are_hidden_in_each_release(seeds: Callable[[int], range]) -> None:
    """A world gives everybody a value for each release; what a person has may be another one each time."""
    counted = 0
    for seed in seeds(240):
        releases, bound = changing(seed)
        for shown in releases:
            orders = Counter(permutations(value for _, value in shown))
            for place in range(len(shown)):
                having = Counter[str]()
                for order in orders:
                    having[order[place]] += 1
                assert Fraction(max(having.values()), having.total()) <= bound <= Fraction(1, 2)
            counted += 1
    assert counted > 20
