"""Few signatures: what is shared out balances, and all worlds of small histories keep the promise."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.search.series.apportioning import apportioned
from tests.oracles import worlds
from tests.search.series.small import SmallSeries
from tests.search.series.test_invariance import MOST, drawn


def most_groups(counts: list[int], m: int) -> int:
    """Return the largest number of groups with m different values each, by trying all."""
    return max(groups for groups in range(sum(counts) + 1) if sum(min(one, groups) for one in counts) >= m * groups)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6), st.integers(2, 4), st.data())
def test_as_many_groups_as_can_be_are_shared_out(counts: list[int], m: int, data: st.DataObject) -> None:
    signature = st.lists(st.integers(0, len(counts) - 1), min_size=m, max_size=m, unique=True)
    some = data.draw(st.lists(signature.map(lambda one: tuple(sorted(one))), max_size=4)) if len(counts) >= m else []
    found = list(apportioned(np.array(counts), m, some))
    assert sum(groups for _, groups in found) == most_groups(counts, m)
    used = Counter[int]()
    for one, groups in found:
        assert groups > 0
        assert len(set(one)) == m
        used.update(dict.fromkeys(one, groups))
    assert all(used[value] <= number for value, number in enumerate(counts))


def test_what_is_wanted_comes_first() -> None:
    counts = np.array([5, 5, 5, 5, 5, 5])
    assert list(apportioned(counts, 3, [(1, 3, 5)])) == [((1, 3, 5), 5), ((0, 2, 4), 5)]
    assert list(apportioned(counts, 3, [])) == [((0, 1, 2), 5), ((3, 4, 5), 5)]


def counted_worlds(seed: int) -> bool:
    series = drawn(seed, few=True)
    if not series.releases or len(series.held) + series.fakes > MOST:
        return False
    found = worlds.posteriors(series.releases, series.places)
    for person in series.held:
        assert set(found[person].values()) == {Fraction(1, len(series.signatures[series.held[person]]))}
    return True


def test_nobody_is_known_with_more_than_one_half(seeds: Callable[[int], range]) -> None:
    assert sum(counted_worlds(seed) for seed in seeds(60)) > 5


def test_fewer_signatures_are_used() -> None:
    used = []
    for few in (False, True):
        rng = np.random.default_rng(2)
        persons = [f"p{number}" for number in range(240)]
        having = dict(zip(persons, rng.choice(list("xyzuvw"), 240).tolist(), strict=True))
        ages = dict(zip(persons, rng.integers(20, 90, 240).tolist(), strict=True))
        series = SmallSeries(having, ages, m=3, k=3, few=few)
        found = series.step(persons, 1)
        assert found is not None
        used.append(len(set(found.owned.tolist())))
        assert (found.label >= 0).mean() > 0.9
    assert used[1] < used[0] / 2
