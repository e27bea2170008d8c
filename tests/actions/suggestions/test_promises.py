from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.actions.suggestions.promises import fitting_diversity, most_classes


def dealt(counts: list[int], needed: int) -> int:
    """Return the most classes with `needed` different values each, by trying all ways to deal the records out."""
    records = [value for value, count in enumerate(counts) for _ in range(count)]
    best = 0
    for classes in product(range(len(records)), repeat=len(records)):
        held: dict[int, set[int]] = {}
        for record, number in zip(records, classes, strict=True):
            held.setdefault(number, set()).add(record)
        best = max(best, sum(len(values) >= needed for values in held.values()))
    return best


@settings(max_examples=25)
@given(st.lists(st.integers(1, 3), min_size=1, max_size=4).filter(lambda counts: sum(counts) <= 5), st.integers(1, 3))
def test_the_most_classes_are_those_of_all_ways(counts: list[int], needed: int) -> None:
    assert most_classes(np.array(counts), needed) == dealt(counts, needed)


def test_what_is_suggested() -> None:
    assert fitting_diversity(np.array([100, 100, 100, 100]), 5).l == 3
    assert fitting_diversity(np.array([100, 100]), 5).l == 2
    rare = fitting_diversity(np.array([990, 9, 1]), 5)
    assert (rare.l, rare.classes) == (2, 10)
    assert fitting_diversity(np.array([10]), 5).l == 1
    assert fitting_diversity(np.array([], dtype=np.int64), 5).l == 1
