from collections import Counter
from random import Random

import numpy as np
import pytest

from shoal.classes.tally import Tally
from tests.oracles.papers import FIGURE_1
from tests.oracles.problems import tally_of
from tests.oracles.random_tables import random_table


def test_the_tally_of_figure_1() -> None:
    tally = tally_of(FIGURE_1)
    assert (tally.n_records, tally.n_points) == (10, 8)
    assert sorted(tally.counts.tolist()) == [1, 1, 1, 1, 1, 1, 2, 2]
    assert [column.leaf_counts.tolist() for column in tally.quasi] == [[3, 3, 1, 3], [2, 2, 2, 4], [6, 4]]


def spelled(tally: Tally, without: int | None = None) -> Counter[tuple[int, ...]]:
    """Return the records and the people of each combination of codes, one by one."""
    found: Counter[tuple[int, ...]] = Counter()
    sides = [tally.counts, *tally.populations.values()]
    for side, counts in enumerate(sides):
        for codes, profile, count in zip(tally.codes.tolist(), tally.profiles.tolist(), counts.tolist(), strict=True):
            kept = [code for number, code in enumerate(codes) if number != without]
            found[(side, *kept, profile)] += count
    return +found


@pytest.mark.parametrize("people", [False, True])
def test_without_a_column_points_that_are_alike_are_one(people: bool) -> None:
    tally = tally_of(random_table(Random(3), n_records=30, people=people))  # noqa: S311
    for number, column in enumerate(tally.quasi):
        less = tally.without([column.name])
        assert [one.name for one in less.quasi] == [one.name for one in tally.quasi if one is not column]
        assert spelled(less) == spelled(tally, number)
        points = [tuple(row) for row in zip(*less.codes.T.tolist(), less.profiles.tolist(), strict=True)]
        assert points == sorted(set(points))
        assert less.n_records == tally.n_records


def test_some_points_alone_are_what_they_were() -> None:
    tally = tally_of(random_table(Random(3), n_records=30, people=True))  # noqa: S311
    whole, points = spelled(tally), np.array([4, 1])
    some = tally.at(points, tally.counts[points])
    assert some.codes.tolist() == tally.codes[points].tolist()
    assert spelled(some) <= whole
    assert sum(spelled(some).values()) == sum(
        int(counts[points].sum()) for counts in (tally.counts, *tally.populations.values())
    )
    assert tally.at(points, np.array([2, 7])).n_records == 9
