"""How two columns hang together."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.audits.utility import associations as module
from shoal.audits.utility.associations import Association, associations, correlation, ranks
from tests.audits import plain_utility as plain

COLOURS, SIZES = ["blue", "green", "red"], ["l", "m", "s", "xl"]


def pair(raw: Sequence[Sequence[str | None]], shown: Sequence[Sequence[str | None]]) -> Association:
    scales = []
    for number, name in enumerate(("x", "y")):
        before, after = ([row[number] for row in table] for table in (raw, shown))
        scales.append(plain.scale(before, after, name=name))
    return associations(scales)[0]


def covers(cell: str) -> list[str]:
    return [part.strip() for part in cell.strip("{}").split(",")]


RAW = st.tuples(st.sampled_from([*COLOURS, None]), st.sampled_from(SIZES))
SHOWN = st.tuples(
    st.sampled_from([*COLOURS, "{blue, red}", "*", None]), st.sampled_from([*SIZES, "{l, xl}", "{m, s, xl}"])
)
ALL = [(colour, size) for colour in COLOURS for size in SIZES]


@given(st.lists(RAW, max_size=20), st.lists(SHOWN, min_size=1, max_size=20), st.booleans())
def test_tables_are_those_of_plain_counting(
    raw: list[tuple[str | None, str]], shown: list[tuple[str | None, str]], few: bool
) -> None:
    table = [*ALL, *raw]
    with pytest.MonkeyPatch.context() as patch:
        if few:  # as if there were too many pairs of states for one array
            patch.setattr(module, "_DENSE", 0)
            patch.setattr(module, "_BLOCK", 3)
        found = pair(table, shown)
    before = plain.joint(*([{row[j]: 1.0} for row in table] for j in (0, 1)))
    after = plain.joint(
        [plain.spread_evenly(row[0], covers, 3) for row in shown],
        [plain.spread_evenly(row[1], covers, 4) for row in shown],
    )
    assert found.total_variation == pytest.approx(plain.variation(before, after))
    assert found.cramers_v[0] == pytest.approx(plain.cramers_v(before, len(table)))
    expected = plain.cramers_v(after, len(shown))
    assert (found.cramers_v[1] is None) == (expected is None)
    assert expected is None or found.cramers_v[1] == pytest.approx(min(expected, 1.0))
    assert found.pearson is None


NUMBERS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=25)


@given(NUMBERS)
def test_correlations_are_those_of_plain_counting(points: list[tuple[int, int]]) -> None:
    first, second = ([float(point[j]) for point in points] for j in (0, 1))
    assert ranks(np.array(first)).tolist() == plain.ranks(first)
    found, expected = correlation(np.array(first), np.array(second)), plain.pearson(first, second)
    assert (found is None) == (expected is None)
    assert expected is None or found == pytest.approx(expected)


def test_ranges_count_as_their_middles_and_what_is_not_told_is_left_out() -> None:
    raw = [(str(n), str(n * n)) for n in range(1, 9)]
    shown = [("1-4", "10"), ("5-8", "40"), ("5-8", "20"), ("*", "1"), (None, "64")]
    found = pair(raw, [(a, b) for a, b in shown])
    assert found.pearson is not None
    assert found.spearman is not None
    assert found.pearson[0] == pytest.approx(plain.pearson(range(1, 9), [n * n for n in range(1, 9)]))
    assert found.spearman[0] == pytest.approx(1)
    assert found.pearson[1] == pytest.approx(plain.pearson([2.5, 6.5, 6.5], [10, 40, 20]))
    assert found.as_dict()["pearson"]["after"] == found.pearson[1]


def test_nothing_changed_is_nothing() -> None:
    found = pair(ALL, ALL[::-1])
    assert found.total_variation == 0
    assert found.cramers_v == (0, 0)
