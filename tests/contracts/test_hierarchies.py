"""What every type of hierarchy promises, whatever the values."""

import csv
import io
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.tables.hierarchies import (
    HIERARCHIES,
    Collection,
    Dates,
    Hierarchy,
    HierarchySpec,
    Intervals,
    Levels,
    Masking,
    Order,
    Ranges,
    Sets,
    Suppression,
    Taxonomy,
)
from shoal.tables.hierarchies.dates import Step


@dataclass(frozen=True)
class Case:
    """A recipe, the values of a column that it fits, and the files that it reads."""

    spec: HierarchySpec
    values: list[str]
    files: Mapping[str, str] = field(default_factory=dict)

    def build(self, values: list[str] | None = None) -> Hierarchy:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in self.files.items():
                (Path(folder) / name).write_text(text, newline="")
            return self.spec.build(self.values if values is None else values, "column", Path(folder))


TEXTS = st.lists(st.text("ab0 -*|;,\"'{}é\n", min_size=1, max_size=4).filter(str.strip), max_size=12, unique=True)
INTEGERS = st.integers(-60, 60).map(str)
DECIMALS = st.decimals(-20, 20, places=2).map(str)
ANY_TEXTS = st.one_of(TEXTS, st.lists(INTEGERS, max_size=12, unique=True))
DAYS = st.dates(date(1995, 1, 1), date(2006, 12, 31)).map(date.isoformat)
TIMES = st.datetimes(datetime(2000, 1, 1), datetime(2000, 2, 1)).map(lambda time: time.isoformat(" "))


@st.composite
def levels(draw: st.DrawFn) -> Case:
    values = draw(TEXTS.filter(bool))
    nodes = list(range(len(values)))
    rows = [[value] for value in values]
    for level in range(draw(st.integers(0, 3))):
        joined = draw(st.lists(st.integers(0, len(values) - 1), min_size=len(values), max_size=len(values)))
        nodes = [joined[node] for node in nodes]
        for row, node in zip(rows, nodes, strict=True):
            row.append(f'{level}; "{node}"')
    text = io.StringIO()
    delimiter = draw(st.sampled_from(";,\t"))
    csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows([*row, "*"] for row in rows)
    return Case(Levels(path="h.csv"), values, {"h.csv": text.getvalue()})


@st.composite
def intervals(draw: st.DrawFn) -> Case:
    values = draw(st.lists(draw(st.sampled_from([INTEGERS, DECIMALS])), max_size=12, unique=True))
    if draw(st.booleans()):
        finest = draw(st.lists(st.integers(-30, 30), min_size=1, max_size=8, unique=True).map(sorted))
        coarser = draw(st.lists(st.sampled_from(finest), min_size=1, unique=True).map(sorted))
        return Case(Intervals(cuts=(tuple(finest), tuple(coarser))), values)
    width = draw(st.sampled_from([1, 2, 5, 0.5, 0.25]))
    factors = draw(st.lists(st.integers(2, 4), max_size=3))
    widths = tuple(width * int(np.prod(factors[:i], dtype=int)) for i in range(len(factors) + 1))
    return Case(Intervals(widths=widths, start=draw(st.sampled_from([0, 3, -0.5]))), values)


@st.composite
def masking(draw: st.DrawFn) -> Case:
    side: Literal["left", "right"] = draw(st.sampled_from(("left", "right")))
    steps = draw(st.one_of(st.none(), st.integers(1, 5)))
    return Case(Masking(side=side, levels=steps, character=draw(st.sampled_from("*a"))), draw(ANY_TEXTS))


@st.composite
def dates(draw: st.DrawFn) -> Case:
    steps: list[Step] = draw(st.lists(st.sampled_from(get_args(Step))))
    return Case(Dates(steps=tuple(steps)), draw(st.lists(st.one_of(DAYS, TIMES), max_size=12, unique=True)))


@st.composite
def taxonomies(draw: st.DrawFn) -> Case:
    values = draw(TEXTS.filter(bool))
    forest: list[object] = list(values)
    for number in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(forest) - 1))
        stop = draw(st.integers(start + 1, len(forest)))
        forest[start:stop] = [{f"node {number}": forest[start:stop]}]
    tree = {"root": forest}
    if draw(st.booleans()):
        return Case(Taxonomy(tree=tree), values)
    return Case(Taxonomy(path="t.json"), values, {"t.json": json.dumps(tree)})


@st.composite
def collections(draw: st.DrawFn) -> Case:
    values = draw(TEXTS.filter(bool))
    cuts = sorted(draw(st.sets(st.integers(1, len(values)), max_size=3)) | {len(values)})
    parts = [values[start:stop] for start, stop in zip([0, *cuts], cuts, strict=False)]
    subsets = [*parts, values[: cuts[draw(st.integers(0, len(cuts) - 1))]]]
    return Case(Collection(subsets=tuple(tuple(part) for part in subsets)), values)


@st.composite
def orders(draw: st.DrawFn) -> Case:
    values = draw(ANY_TEXTS)
    given_order = draw(st.one_of(st.none(), st.permutations(values).map(tuple)))
    return Case(Order(fanout=draw(st.integers(2, 4)), order=given_order), values)


@st.composite
def ranges(draw: st.DrawFn) -> Case:
    values = draw(st.one_of(ANY_TEXTS, *(st.lists(one, max_size=12, unique=True) for one in (DECIMALS, DAYS, TIMES))))
    given_order = draw(st.one_of(st.none(), st.permutations(values).map(tuple)))
    return Case(Ranges(order=given_order), values)


CASES: dict[str, st.SearchStrategy[Case]] = {
    "levels": levels(),
    "intervals": intervals(),
    "masking": masking(),
    "dates": dates(),
    "taxonomy": taxonomies(),
    "collection": collections(),
    "order": orders(),
    "ranges": ranges(),
    "sets": ANY_TEXTS.map(lambda values: Case(Sets(), values)),
    "suppression": ANY_TEXTS.map(lambda values: Case(Suppression(), values)),
}

every_member = pytest.mark.parametrize("name", CASES)


def built(data: st.DataObject, name: str) -> Hierarchy:
    """Draw a hierarchy of a type, with or without the missing value."""
    hierarchy = data.draw(CASES[name]).build()
    return hierarchy.with_missing() if data.draw(st.booleans()) else hierarchy


def test_every_member_is_here() -> None:
    assert list(CASES) == HIERARCHIES.names


@every_member
@settings(deadline=None)
@given(data=st.data())
def test_level_0_keeps_the_values_and_the_top_has_one_node(name: str, data: st.DataObject) -> None:
    hierarchy = built(data, name)
    assert hierarchy.labels[0] == hierarchy.values
    assert hierarchy.codes[0].tolist() == list(range(hierarchy.n_leaves))
    assert hierarchy.height >= 1
    assert hierarchy.size(hierarchy.height) == 1
    assert hierarchy.labels[-1][0] is not None
    assert hierarchy.codes.dtype == np.int32


@every_member
@settings(deadline=None)
@given(data=st.data())
def test_each_level_is_a_partition_that_refines_the_next(name: str, data: st.DataObject) -> None:
    hierarchy = built(data, name)
    for level in range(hierarchy.height + 1):
        assert len(set(hierarchy.labels[level])) == hierarchy.size(level)
        assert "" not in hierarchy.labels[level]
        if hierarchy.n_leaves:
            assert sorted(set(hierarchy.codes[level].tolist())) == list(range(hierarchy.size(level)))
            assert hierarchy.leaves(level).sum() == hierarchy.n_leaves
    for below, above in zip(hierarchy.codes, hierarchy.codes[1:], strict=False):
        assert len(set(zip(below.tolist(), above.tolist(), strict=True))) == len(set(below.tolist()))


@every_member
@settings(deadline=None)
@given(data=st.data())
def test_lifting_composes(name: str, data: st.DataObject) -> None:
    hierarchy = built(data, name)
    for low in range(hierarchy.height + 1):
        for high in range(low, hierarchy.height + 1):
            assert np.array_equal(hierarchy.lift(low, high)[hierarchy.codes[low]], hierarchy.codes[high])
            middle = (low + high) // 2
            assert np.array_equal(hierarchy.lift(middle, high)[hierarchy.lift(low, middle)], hierarchy.lift(low, high))


@every_member
@settings(deadline=None)
@given(data=st.data())
def test_values_are_found_again(name: str, data: st.DataObject) -> None:
    case = data.draw(CASES[name])
    hierarchy = case.build()
    codes = hierarchy.encode(case.values, "column")
    assert [hierarchy.values[code] for code in codes] == case.values
    assert set(hierarchy.values) >= set(case.values)
    assert np.array_equal(hierarchy.with_missing().encode([*case.values, None], "column")[:-1], codes)


@every_member
@settings(deadline=None)
@given(data=st.data())
def test_the_tree_tells_the_same(name: str, data: st.DataObject) -> None:
    hierarchy = built(data, name)
    tree = hierarchy.tree()
    for level in range(hierarchy.height + 1):
        assert np.array_equal(tree.leaves[tree.node_at[level]], hierarchy.leaves(level))
    inner = np.arange(hierarchy.n_leaves, len(tree.parent))
    for node in inner[: len(inner) if hierarchy.n_leaves else 0]:
        children = [child for child in range(node) if tree.parent[child] == node]
        assert len(children) > 1
        assert tree.leaves[node] == tree.leaves[children].sum()
    leaf = np.arange(hierarchy.n_leaves, dtype=np.int32)
    first, second = (side.ravel() for side in np.meshgrid(leaf, leaf))
    meeting = hierarchy.meeting_level(first, second)
    expected = [tree.node_at[level][hierarchy.codes[level][at]] for level, at in zip(meeting, first, strict=True)]
    assert tree.lowest_common_ancestor(first, second).tolist() == expected


@every_member
@settings(deadline=None)
@given(data=st.data())
def test_spans_never_shrink(name: str, data: st.DataObject) -> None:
    hierarchy = built(data, name)
    if hierarchy.spans is None:
        return
    assert [len(span) for span in hierarchy.spans] == [hierarchy.size(level) for level in range(hierarchy.height + 1)]
    assert not hierarchy.spans[0].any()
    for level in range(hierarchy.height):
        assert (hierarchy.spans[level] >= 0).all()
        above = hierarchy.spans[level + 1][hierarchy.lift(level, level + 1)]
        assert (hierarchy.spans[level] <= above).all()


@every_member
@settings(deadline=None)
@given(data=st.data())
def test_positions_rise_with_the_leaves_of_ranges(name: str, data: st.DataObject) -> None:
    hierarchy = built(data, name)
    assert hierarchy.form == {"ranges": "ranges", "sets": "sets"}.get(name, "tree")
    if hierarchy.positions is not None:
        assert hierarchy.form == "ranges"
        assert hierarchy.positions.shape == (hierarchy.n_leaves,)
        assert (np.diff(hierarchy.positions) >= 0).all()
        assert not hierarchy.positions[:1].any()


@settings(deadline=None)
@given(ranges())
def test_the_nodes_of_ranges_are_neighbours(case: Case) -> None:
    """So that two leaves and all between them lie below the node in which the two meet."""
    for codes in case.build().codes:
        seen = [code for code, before in zip(codes.tolist(), [-1, *codes.tolist()], strict=False) if code != before]
        assert len(seen) == len(set(seen))


@every_member
@settings(deadline=None)
@given(data=st.data())
def test_the_order_of_the_values_does_not_matter(name: str, data: st.DataObject) -> None:
    case = data.draw(CASES[name])
    one, other = case.build(), case.build(data.draw(st.permutations(case.values)))
    assert one.labels == other.labels
    assert np.array_equal(one.codes, other.codes)
    assert (one.spans is None) == (other.spans is None)
    for span, same in zip(one.spans or (), other.spans or (), strict=True):
        assert np.array_equal(span, same)
    assert (one.positions is None) == (other.positions is None)
    if one.positions is not None and other.positions is not None:
        assert np.array_equal(one.positions, other.positions)


@every_member
@settings(deadline=None)
@given(data=st.data())
def test_the_missing_value_lies_alone_below_the_top(name: str, data: st.DataObject) -> None:
    hierarchy = data.draw(CASES[name]).build().with_missing()
    assert hierarchy.values[hierarchy.missing_leaf] is None
    for level in range(hierarchy.height):
        code = hierarchy.codes[level][hierarchy.missing_leaf]
        assert hierarchy.labels[level][code] is None
        assert hierarchy.leaves(level)[code] == 1
    assert None not in hierarchy.labels[hierarchy.height]


@pytest.mark.parametrize("name", [name for name in CASES if name not in ("levels", "taxonomy", "collection")])
@settings(deadline=None)
@given(data=st.data())
def test_a_column_that_is_all_missing_has_the_star_alone(name: str, data: st.DataObject) -> None:
    case = data.draw(CASES[name].filter(lambda case: getattr(case.spec, "order", None) is None))
    hierarchy = case.build([])
    assert hierarchy.codes.shape == (2, 0)
    assert hierarchy.labels == ((), ("*",))
    assert hierarchy.with_missing().labels == ((None,), ("*",))


def test_days_are_days() -> None:
    """A year of days: the calendar's own lengths, seen from the hierarchy."""
    days = [(date(2023, 1, 1) + timedelta(days=i)).isoformat() for i in range(365)]
    hierarchy = Dates().build(days, "column", Path())
    assert hierarchy.leaves(1).tolist() == [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    assert hierarchy.leaves(2).tolist() == [90, 91, 92, 92]
