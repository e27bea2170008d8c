from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.tables.hierarchies import HierarchySpec, Intervals, Masking, Ranges, Sets
from shoal.tables.hierarchies.automatic import automatic_hierarchy
from shoal.tables.hierarchies.intervals import fitting
from shoal.tables.hierarchies.numeric import scaled


def whole(*ends: int) -> list[str]:
    return [str(number) for number in range(*ends)]


@pytest.mark.parametrize(
    ("values", "widths"),
    [
        (whole(17, 91), (5, 10, 20, 40)),  # a range of 73, as the ages of Adult
        (whole(0, 101), (5, 10, 20, 40, 80)),
        (whole(0, 31), (5, 10, 20)),
        (whole(31, 59), (5, 10, 20)),
        (whole(1, 5), (2,)),
        (["-40", "33"], (5, 10, 20, 40)),
        (["0", "1000000"], (50000, 100000, 200000, 400000, 800000)),
        (["0.1", "0.83"], (Fraction(1, 20), Fraction(1, 10), Fraction(1, 5), Fraction(2, 5))),
        (["1.0", "1.5"], (Fraction(1, 20), Fraction(1, 10), Fraction(1, 5), Fraction(2, 5))),
        (whole(100, 120), (2, 4, 8, 16)),  # too short for codes of digits
        (["00", "01", "23"], (5, 10, 20)),  # too short for codes
    ],
)
def test_numbers_get_intervals(values: list[str], widths: tuple[Fraction, ...]) -> None:
    assert automatic_hierarchy(values) == Ranges()
    assert fitting(*(scaled(values) or ([], 1))) == Intervals(widths=widths)
    assert Ranges().build(values, "column").labels == Intervals(widths=widths).build(values, "column").labels


@pytest.mark.parametrize(
    ("values", "spec"),
    [
        ([f"{number:05d}" for number in range(500, 520)], Masking()),
        ([f"A{number}" for number in range(100, 120)], Masking()),
        ([f"{number:05d}" for number in range(500, 505)], Masking()),
        ([f"A{number}" for number in range(100, 105)], Masking()),
        (["22030", "22032", "22045"], Masking()),
        (whole(1950, 2010), Masking()),
        (["02", "03"], Ranges()),
        ([f"A{number}" for number in range(95, 120)], Sets()),
        ([f"A {number}" for number in range(100, 120)], Sets()),
        ([f"A{number:010d}" for number in range(20)], Sets()),
        (["2024-03-01", "2024-03-02T10:00"], Ranges()),
        (["2024-03-01", "x"], Sets()),
        (["Male", "Female"], Sets()),
        (["7"], Ranges()),
        (["0", "1"], Ranges()),
        (["7", "7.0"], Ranges()),
        ([], Sets()),
    ],
)
def test_all_else(values: list[str], spec: HierarchySpec) -> None:
    assert automatic_hierarchy(values) == spec


DIFFERENT = st.lists(st.text("0123456789.-aA", min_size=1, max_size=4), max_size=15, unique=True)


@settings(deadline=None)
@given(DIFFERENT)
def test_the_choice_always_fits_and_the_order_does_not_matter(values: list[str]) -> None:
    spec = automatic_hierarchy(values)
    assert spec.build(values, "column", Path()).n_leaves == len(values)
    assert automatic_hierarchy(sorted(values)) == spec == automatic_hierarchy(values[::-1])


@settings(deadline=None)
@given(st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=8, unique=True))
def test_three_to_five_widths_unless_the_range_is_small(numbers: list[int]) -> None:
    assert automatic_hierarchy([str(number) for number in numbers]) in (Ranges(), Masking())
    if max(numbers) - min(numbers) > 16:
        found = fitting(numbers, 1)
        assert found is not None
        assert found.widths is not None
        assert len(found.widths) in (3, 4, 5)
