"""Classes against plain lists of records."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping, Parts
from shoal.classes.tally import SensitiveColumn, Tally
from shoal.foundation.errors import SpecError
from tests.models.cases import histogram

Record = tuple[str, str]
Classes = list[list[Record]]

quick = settings(deadline=None, max_examples=60)
VALUES = (("a", "b", "c"), ("x", "y"))
PROFILES = [(i, j) for i in range(3) for j in range(2)]


@st.composite
def labelled(draw: st.DrawFn) -> tuple[Tally, list[int], int]:
    """Draw points with labels, such that no class is empty; some points are of a population only."""
    n_classes = draw(st.integers(1, 4))
    labels = [*range(n_classes), *draw(st.lists(st.integers(-1, n_classes - 1), max_size=8))]
    counts = [draw(st.integers(1 if i < n_classes else 0, 4)) for i in range(len(labels))]
    tally = Tally(
        quasi=(),
        sensitive=tuple(SensitiveColumn(name, values) for name, values in zip(("ill", "pay"), VALUES, strict=True)),
        codes=np.zeros((len(labels), 0), dtype=np.int32),
        profiles=np.array([draw(st.integers(0, 5)) for _ in labels], dtype=np.int32),
        profile_codes=np.array(PROFILES, dtype=np.int32),
        counts=np.array(counts, dtype=np.int64),
        populations={"p": np.array([draw(st.integers(0, 3)) for _ in labels], dtype=np.int64)},
    )
    return tally, labels, n_classes


def record(profile: int) -> Record:
    ill, pay = PROFILES[profile]
    return VALUES[0][ill], VALUES[1][pay]


def plain(tally: Tally, labels: list[int], n_classes: int) -> Classes:
    classes: Classes = [[] for _ in range(n_classes)]
    for label, profile, n in zip(labels, tally.profiles, tally.counts, strict=True):
        if label >= 0:
            classes[label] += [record(int(profile))] * int(n)
    return classes


def shown(groups: Grouping) -> list[Counter[Record]]:
    found = []
    for c in range(groups.n_classes):
        part = slice(groups.offsets[c], groups.offsets[c + 1])
        entries = zip(groups.profiles[part], groups.counts[part], strict=True)
        assert (np.diff(groups.profiles[part]) > 0).all()
        found.append(Counter({record(int(profile)): int(count) for profile, count in entries}))
        assert found[-1].total() == groups.sizes[c]
    return found


def grouped(case: tuple[Tally, list[int], int]) -> tuple[Grouping, Classes]:
    tally, labels, n_classes = case
    return Grouping.of(tally, np.array(labels, dtype=np.int32), n_classes), plain(*case)


@given(labelled())
@quick
def test_points_are_grouped_by_their_labels(case: tuple[Tally, list[int], int]) -> None:
    groups, classes = grouped(case)
    tally, labels, n_classes = case
    assert shown(groups) == [Counter(members) for members in classes]
    totals = Counter(value for members in classes for value in members)
    assert groups.totals.tolist() == [totals[record(profile)] for profile in range(6)]
    people = [
        sum(n for n, at in zip(tally.populations["p"], labels, strict=True) if at == c) for c in range(-1, n_classes)
    ]
    assert groups.populations["p"].tolist() == people[1:]
    assert groups.outside["p"] == people[0]
    assert groups.n_records == sum(map(len, classes))


@given(labelled(), st.data())
@quick
def test_some_of_the_classes(case: tuple[Tally, list[int], int], data: st.DataObject) -> None:
    groups, classes = grouped(case)
    kept = data.draw(st.lists(st.booleans(), min_size=len(classes), max_size=len(classes)))
    some = groups.only(np.array(kept))
    chosen = [Counter(members) for members, keep in zip(classes, kept, strict=True) if keep]
    assert shown(some) == chosen
    assert some.totals.tolist() == groups.totals.tolist()
    everyone = groups.outside["p"] + groups.populations["p"].sum()
    assert some.outside["p"] + some.populations["p"].sum() == everyone
    assert some.own_totals().totals.sum() == some.n_records == sum(members.total() for members in chosen)


@given(labelled(), st.data())
@quick
def test_joined_classes(case: tuple[Tally, list[int], int], data: st.DataObject) -> None:
    groups, classes = grouped(case)
    drawn = data.draw(st.lists(st.integers(0, 2), min_size=len(classes), max_size=len(classes)))
    numbers = {number: place for place, number in enumerate(dict.fromkeys(drawn))}
    target = [numbers[number] for number in drawn]
    joined = groups.merged(np.array(target, dtype=np.int32), len(numbers))
    expected = []
    for new in range(len(numbers)):
        parts = [c for c, at in enumerate(target) if at == new]
        expected.append(Counter(value for c in parts for value in classes[c]))
        assert joined.populations["p"][new] == sum(groups.populations["p"][c] for c in parts)
    assert shown(joined) == expected
    assert joined.outside == groups.outside


@given(labelled(), st.sampled_from(["ill", "pay"]), st.booleans())
@quick
def test_blocks_of_records_that_cannot_be_told_apart(
    case: tuple[Tally, list[int], int], column: str, known: bool
) -> None:
    groups, classes = grouped(case)
    mine, other = (0, 1) if column == "ill" else (1, 0)
    expected = Counter()  # type: ignore[var-annotated]
    for c, members in enumerate(classes):
        for value in {member[other] if known else None for member in members}:
            block = [member[mine] for member in members if value in (None, member[other])]
            expected[c, tuple(sorted(Counter(block).items()))] += 1
    histogram, owners = groups.blocks(column, others_known=known)
    found = Counter()  # type: ignore[var-annotated]
    for b, owner in enumerate(owners.tolist()):
        values, counts = histogram.of_class(b)
        entries = {VALUES[mine][value]: int(count) for value, count in zip(values, counts, strict=True)}
        found[owner, tuple(sorted(entries.items()))] += 1
        assert (histogram.sizes[b], histogram.distinct[b]) == (sum(entries.values()), len(entries))
        assert histogram.largest[b] == max(entries.values())
    assert found == expected
    whole = Counter(member[mine] for members in classes for member in members)
    assert histogram.reference.tolist() == [whole[value] for value in VALUES[mine]]
    assert histogram.owners.tolist() == np.repeat(np.arange(len(owners)), histogram.distinct).tolist()
    if not known:
        assert groups.histogram(column).counts.tolist() == histogram.counts.tolist()


def test_classes_of_a_part_are_compared_with_all_of_the_table() -> None:
    profiles = np.array([0, 1, 1], dtype=np.int32)
    codes = np.array([[0], [1]], dtype=np.int32)
    part = Tally((), (), np.zeros((3, 0), np.int32), profiles, codes, np.arange(1, 4), whole=np.array([7, 9]))
    labels = np.array([0, 0, -1], dtype=np.int32)
    assert Grouping.of(part, labels, 1).totals.tolist() == [7, 9]
    assert Grouping.of(replace(part, whole=None), labels, 1).totals.tolist() == [1, 2]


@given(labelled())
@quick
def test_the_weights_of_a_class_are_those_of_its_records(case: tuple[Tally, list[int], int]) -> None:
    groups, classes = grouped(case)
    assert groups.weights.tolist() == groups.sizes.tolist()
    pay = replace(groups.sensitive[1], weights=np.array([3, 10]))
    weighted = replace(groups, sensitive=(groups.sensitive[0], pay))
    assert weighted.weights.tolist() == [sum({"x": 3, "y": 10}[own] for _, own in members) for members in classes]


def test_the_values_of_a_table_are_counted_once() -> None:
    """And anew for another table that has the same column."""
    column = SensitiveColumn("ill", ("a", "b"))
    profiles, codes = np.array([0, 1, 1], dtype=np.int32), np.array([[0], [1]], dtype=np.int32)
    tally = Tally((), (column,), np.zeros((3, 0), np.int32), profiles, codes, np.arange(1, 4))

    def reference(tally: Tally) -> NDArray[np.int64]:
        return Grouping.of(tally, np.zeros(3, dtype=np.int32), 1).histogram("ill").reference

    part = replace(tally, whole=np.array([7, 9]))
    assert reference(part).tolist() == [7, 9]
    assert reference(part) is reference(part)
    assert reference(replace(part, profile_codes=codes[::-1].copy())).tolist() == [9, 7]
    assert reference(replace(part, profile_codes=codes[::-1].copy(), whole=np.array([2, 3]))).tolist() == [3, 2]
    assert reference(replace(part, whole=np.array([5, 5]))).tolist() == [5, 5]
    assert reference(tally).tolist() == [1, 5]


def test_an_unknown_column_is_named() -> None:
    tally = Tally(
        (), (), np.zeros((1, 0), np.int32), np.zeros(1, np.int32), np.zeros((1, 0), np.int32), np.ones(1, int)
    )
    groups = Grouping.of(tally, np.zeros(1, dtype=np.int32), 1)
    with pytest.raises(SpecError, match=r"'ill' is not a sensitive column\. Sensitive columns are: none"):
        groups.histogram("ill")
    with pytest.raises(SpecError, match=r"Sensitive columns are: 'pay', 'job'\.$"):
        replace(groups, sensitive=tuple(SensitiveColumn(name, ()) for name in ("pay", "job"))).number("ill")


def test_the_sizes_are_described() -> None:
    tally = Tally(
        (), (), np.zeros((3, 0), np.int32), np.zeros(3, np.int32), np.zeros((1, 0), np.int32), np.arange(1, 4)
    )
    groups = Grouping.of(tally, np.array([0, 1, 1], dtype=np.int32), 2)
    assert groups.describe() == {"count": 2, "smallest": 1, "largest": 5, "average": 3.0}
    assert groups.only(np.array([False, False])).describe() == {"count": 0, "smallest": 0, "largest": 0, "average": 0.0}


def listed(parts: Parts) -> list[tuple[int, int, int]]:
    return list(zip(parts.points.tolist(), parts.classes.tolist(), parts.counts.tolist(), strict=True))


def parts_of(*rows: tuple[int, int, int]) -> Parts:
    points, classes, counts = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return Parts(points.astype(np.int32), classes.astype(np.int32), counts)


@given(labelled())
@quick
def test_whole_points_are_grouped_as_by_their_labels(case: tuple[Tally, list[int], int]) -> None:
    tally, labels, n_classes = case
    parts = Parts.whole(tally, np.array(labels, dtype=np.int32))
    assert parts.n_classes == n_classes
    one, other = Grouping.of(tally, parts.classes, n_classes), Grouping.of_parts(tally, parts, n_classes)
    assert shown(one) == shown(other)
    assert one.totals.tolist() == other.totals.tolist()
    assert other.populations == {}


@given(labelled(), st.data())
@quick
def test_parted_points_are_grouped_part_by_part(case: tuple[Tally, list[int], int], data: st.DataObject) -> None:
    tally, _, _ = case
    rows, expected = [], [Counter[Record]() for _ in range(3)]
    for point, n in enumerate(tally.counts.tolist()):
        for _ in range(n):
            label = data.draw(st.integers(-1, 2))
            rows.append((point, label, 1))
            if label >= 0:
                expected[label][record(int(tally.profiles[point]))] += 1
    parts = parts_of(*rows).filled()
    groups = Grouping.of_parts(tally, parts, parts.n_classes)
    assert shown(groups) == [members for members in expected if members]
    assert groups.totals.sum() == sum(members.total() for members in expected)


def test_parts_without_records_and_empty_classes_go() -> None:
    parts = parts_of((0, 5, 2), (1, -1, 1), (1, 2, 3), (2, 3, 0), (3, -1, 0))
    assert parts.n_classes == 6
    assert listed(parts.filled()) == [(0, 1, 2), (1, -1, 1), (1, 0, 3)]
    assert parts.filled().n_classes == 2
    assert parts_of().n_classes == parts_of().filled().n_classes == 0
    assert parts_of((0, -1, 4)).filled().n_classes == 0


def test_the_most_frequent_values_of_each_class() -> None:
    blocks = histogram([[1, 3, 1, 0], [2, 2, 0, 1], [0, 0, 4, 0]])
    assert blocks.largest.tolist() == [3, 2, 4]
    assert blocks.distinct.tolist() == blocks.needed.tolist() == [3, 3, 1]
    assert [blocks.beyond(most).tolist() for most in range(4)] == [[5, 5, 4], [2, 3, 0], [1, 1, 0], [0, 0, 0]]
    persons = replace(blocks, sizes=np.array([3, 3, 4]), persons=10)  # of the second, some hold two values
    assert persons.needed.tolist() == [1, 2, 1]
    assert [persons.beyond(most).tolist() for most in range(3)] == [[3, 3, 4], [0, 1, 0], [0, 0, 0]]
    assert (blocks.total, persons.total) == (14, 10)


def test_where_there_is_no_class_nothing_is_frequent() -> None:
    nothing, no_codes = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    full = histogram([[1, 2]])
    none = replace(full, offsets=np.zeros(1, dtype=np.int64), values=no_codes, counts=nothing, sizes=nothing)
    found = (none.largest, none.distinct, none.needed, none.beyond(1), none.owners)
    assert [one.tolist() for one in found] == [[]] * 5
    assert none.dense().shape == (0, 2)
