"""Each kernel that cuts slices in place against its twin in plain Python."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.local.slices import (
    Cuts,
    Entries,
    Slices,
    apply_cuts,
    copy_entry,
    sort_parts,
    spread_parts,
    swap_entries,
)

Entry = tuple[int, int, int]
"""The value, the records and the target of an entry; its point is its place."""

CLASS = st.lists(st.tuples(st.integers(0, 99), st.integers(1, 5), st.integers(0, 2)), min_size=3, max_size=12)


def entries_of(listed: list[Entry], room: int = 0) -> Entries:
    columns = [np.array([each[side] for each in listed] + [0] * room) for side in range(3)]
    return Entries(
        np.column_stack([columns[0], columns[0] + 100]).astype(np.uint16),
        columns[1].astype(np.int64),
        np.arange(len(listed) + room, dtype=np.int32),
        columns[2].astype(np.int32),
    )


def listed(entries: Entries, places: range) -> list[tuple[int, int, int, int]]:
    """Return the point, both values and the records of each entry, in the order of the points."""
    return sorted((int(entries.points[i]), *entries.rows[i].tolist(), int(entries.weights[i])) for i in places)


def test_moving_and_swapping() -> None:
    entries = entries_of([(7, 1, 0), (8, 2, 1)], room=1)
    swap_entries(entries, 0, 1)
    copy_entry(entries, 0, 2)
    assert entries.rows.tolist() == [[8, 108], [7, 107], [8, 108]]
    assert (entries.weights.tolist(), entries.points.tolist()) == ([2, 1, 2], [1, 0, 1])
    assert entries.targets[:2].tolist() == [1, 0]


@given(CLASS)
def test_entries_are_arranged_by_their_parts(given_entries: list[Entry]) -> None:
    entries, before = entries_of(given_entries), entries_of(given_entries)
    starts, records = np.empty(3, dtype=np.int64), np.empty(3, dtype=np.int64)
    sort_parts(entries, 0, len(given_entries), starts, records)
    assert entries.targets.tolist() == sorted(before.targets.tolist())
    assert listed(entries, range(len(given_entries))) == listed(before, range(len(given_entries)))
    for part in range(3):
        assert starts[part] == sum(target < part for _, _, target in given_entries)
        assert records[part] == sum(weight for _, weight, target in given_entries if target == part)
        end = starts[part + 1] if part < 2 else len(given_entries)
        assert all(given_entries[point][2] == part for point in entries.points[starts[part] : end])


def test_parts_are_spread() -> None:
    """With k = 2 a part of 5 records gets room for one more entry, one of 7 for two."""
    entries = entries_of([(i, 1, 0) for i in range(6)], room=9)
    starts = np.array([0, 2, 4])
    spread_parts(entries, 6, 2, starts, np.array([5, 7, 3]))
    assert starts.tolist() == [0, 3, 7]
    assert [entries.points[i] for i in (0, 1, 3, 4, 7, 8)] == [0, 1, 2, 3, 4, 5]


@given(st.lists(CLASS, min_size=1, max_size=4), st.booleans(), st.data())
def test_cuts_are_applied(classes: list[list[Entry]], relaxed: bool, data: st.DataObject) -> None:
    """Each class becomes its parts; an entry that is shared is in both of the first two, with all of its records."""
    flat: list[Entry] = []
    slices: list[tuple[int, int, int]] = []
    for members in classes:
        records = sum(weight for _, weight, _ in members)
        slices.append((len(flat), len(members), records))
        flat += [*members, *([(0, 0, 0)] * (records - 1) if relaxed else [])]
    chosen, shared, kept = [], [], []
    for (first, length, _), members in zip(slices, classes, strict=True):
        whole = sorted({target for _, _, target in members}) == [0, 1, 2] and data.draw(st.booleans())
        able = [first + i for i in range(length) if members[i][1] > 1 and members[i][2] == 0]
        shared.append(data.draw(st.sampled_from(able)) if whole and relaxed and able else -1)
        kept.append(data.draw(st.integers(1, flat[shared[-1]][1] - 1)) if shared[-1] >= 0 else 0)
        chosen.append(3 if whole else 0)
    entries, before = entries_of(flat), entries_of(flat)
    cuts = Cuts(*(np.array(each, dtype=np.int64) for each in (chosen, shared, kept)))
    parts = apply_cuts(entries, Slices(*np.array(slices).T.copy()), cuts, 1, relaxed)
    expected = []
    for (first, length, _), ways, at, some in zip(slices, chosen, shared, kept, strict=True):
        for part in range(ways):
            mine = [i for i in range(first, first + length) if flat[i][2] == part]
            rows = [(i, flat[i][0], flat[i][0] + 100, some if i == at else flat[i][1]) for i in mine]
            rows += [(at, flat[at][0], flat[at][0] + 100, flat[at][1] - some)] if part == 1 and at >= 0 else []
            expected.append(sorted(rows))
    found = [listed(entries, range(first, first + length)) for first, length in zip(parts[0], parts[1], strict=True)]
    assert found == expected
    assert parts.records.tolist() == [sum(row[3] for row in rows) for rows in expected]
    places = [i for first, length in zip(parts[0], parts[1], strict=True) for i in range(first, first + length)]
    assert len(set(places)) == len(places)
    assert before.points.tolist() == list(range(len(flat)))
