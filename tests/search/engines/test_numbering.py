from collections import defaultdict

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.search.engines.numbering import numbered
from shoal.tables.table import Column

RECORDS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abcdefghijkl"), st.integers(0, 3)), max_size=40)


def plainly(records: list[tuple[int, str, int]]) -> list[str]:
    """Number the persons of each class by the sorted list of what is shown of each, then by who comes first."""
    shown: dict[tuple[int, str], list[int]] = defaultdict(list)
    for group, person, row in records:
        shown[group, person].append(row)
    numbers: dict[tuple[int, str], str] = {}
    for group in {group for group, _ in shown}:
        persons = [person for other, person in shown if other == group]
        ranked = sorted(persons, key=lambda person: sorted(shown[group, person]))  # they are in order of appearance
        numbers |= {(group, person): str(place) for place, person in enumerate(ranked, 1)}
    return [numbers[group, person] for group, person, _ in records]


@given(RECORDS)
@settings(max_examples=60, deadline=None)
def test_persons_are_numbered_within_their_class_by_what_is_shown(records: list[tuple[int, str, int]]) -> None:
    groups, persons, rows = ([record[j] for record in records] for j in range(3))
    column = Column.of(pl.Series(persons, dtype=pl.String))
    found = numbered(np.array(groups, dtype=np.int32), column, np.array(rows, dtype=np.int32))
    assert [found.values[code] for code in found.codes] == plainly(records)
    assert found.values == sorted(found.values)
    assert set(found.codes.tolist()) == set(range(len(found.values)))
