from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.classes import wildcard_matching
from shoal.classes.wildcard_matching import matching_pairs, neighbourhoods
from shoal.models.by_hand import classes_by_hand

MISSING = 3
quick = settings(deadline=None, max_examples=80)


@pytest.fixture(params=["all pairs", "joins"], autouse=True, scope="module")
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compare all pairs of classes, as of a few, and join them, as many are."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(wildcard_matching, "_FEW", 100_000 if request.param == "all pairs" else -1)
        yield


@st.composite
def cells(draw: st.DrawFn) -> list[list[int]]:
    n_columns = draw(st.integers(1, 4))
    row = st.lists(st.integers(0, MISSING), min_size=n_columns, max_size=n_columns)
    return draw(st.lists(row, min_size=1, max_size=12, unique_by=tuple))


def match(one: list[int], other: list[int]) -> bool:
    return all(a == b or MISSING in (a, b) for a, b in zip(one, other, strict=True))


def expected_pairs(rows: list[list[int]]) -> set[tuple[int, int]]:
    return {(i, j) for i in range(len(rows)) for j in range(len(rows)) if match(rows[i], rows[j])}


@given(cells(), st.booleans())
@quick
def test_pairs_agree_where_neither_misses_its_value(rows: list[list[int]], per_cell: bool) -> None:
    codes = np.array(rows, dtype=np.int32)
    missing = np.full(codes.shape if per_cell else codes.shape[1], MISSING, dtype=np.int32)
    first, second = matching_pairs(codes, missing)
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == expected_pairs(rows)


def test_a_column_without_a_missing_code_has_no_wildcard() -> None:
    codes = np.array([[0, MISSING], [0, 1], [1, 1]], dtype=np.int32)
    first, second = matching_pairs(codes, np.array([-1, MISSING], dtype=np.int32))
    assert set(zip(first.tolist(), second.tolist(), strict=True)) == {(0, 0), (1, 1), (2, 2), (0, 1), (1, 0)}


def test_no_class_matches_nothing() -> None:
    first, second = matching_pairs(np.zeros((0, 2), dtype=np.int32), np.full(2, MISSING, dtype=np.int32))
    assert (first.tolist(), second.tolist()) == ([], [])


def test_a_class_that_misses_all_matches_every_one() -> None:
    first, second = matching_pairs(np.array([[3, 3], [0, 1], [2, 2]], dtype=np.int32), np.full(2, 3, dtype=np.int32))
    assert sorted(zip(first.tolist(), second.tolist(), strict=True)) == [
        (0, 0),
        (0, 1),
        (0, 2),
        (1, 0),
        (1, 1),
        (2, 0),
        (2, 2),
    ]


@given(cells(), st.data())
@quick
def test_a_neighbourhood_has_the_records_of_all_matching_classes(rows: list[list[int]], data: st.DataObject) -> None:
    record = st.tuples(st.sampled_from("abc"), st.sampled_from("xy"))
    classes = [data.draw(st.lists(record, min_size=1, max_size=3)) for _ in rows]
    groups = classes_by_hand(classes, ("illness", "wage"), populations={"p": list(range(len(rows)))})
    codes = np.array(rows, dtype=np.int32)
    around = neighbourhoods(groups, codes, np.full(codes.shape[1], MISSING, dtype=np.int32))
    for i, row in enumerate(rows):
        near = [j for j, other in enumerate(rows) if match(row, other)]
        members = sorted(value for j in near for value in classes[j])
        entries = slice(around.offsets[i], around.offsets[i + 1])
        shown = []
        for profile, count in zip(around.profiles[entries], around.counts[entries], strict=True):
            values = zip(around.sensitive, around.profile_codes[profile], strict=True)
            shown += [tuple(column.values[code] for column, code in values)] * int(count)
        assert sorted(shown) == members
        assert around.sizes[i] == len(members)
        assert around.populations["p"][i] == sum(near)
    assert around.totals.tolist() == groups.totals.tolist()
