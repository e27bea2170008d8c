"""Closures of random partitions against plain Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.classes.grouping import Parts
from shoal.classes.recoding import Recoding
from shoal.classes.tally import Tally
from shoal.foundation.errors import SpecError
from shoal.measures import Discernibility, Entropy, Lm, Measure
from shoal.search.engines.local import count
from shoal.search.local import closure
from shoal.search.local.closure import recoding_of
from shoal.tables.hierarchies import Hierarchy, HierarchySpec, Ranges, Sets
from tests.oracles.partitions import NASTY, Case, Leaves, cases, covered, price, table_of
from tests.oracles.partitions import closure as plain_closure

quick = settings(deadline=None, max_examples=80)


def tally_of(hierarchy: Hierarchy, *values: str | None) -> Tally:
    table = table_of(["age"], [(value, "x") for value in values])
    return count(table, {"age": hierarchy}, {}, ("sensitive",)).tally


def recoded(hierarchy: Hierarchy, classes: list[list[str | None]], measure: Measure | None = None) -> Recoding:
    """Recode classes of one column, given by their values."""
    tally = tally_of(hierarchy, *(value for members in classes for value in members))
    codes = tally.quasi[0].hierarchy.values
    listed = [(codes.index(value), label) for label, members in enumerate(classes) for value in members]
    points = [tally.codes[:, 0].tolist().index(code) for code, _ in listed]
    parts = Parts(
        np.array(points, dtype=np.int32),
        np.array([label for _, label in listed], dtype=np.int32),
        np.ones(len(listed), dtype=np.int64),
    )
    return recoding_of(tally, parts, measure or Lm())


def texts(recoding: Recoding) -> list[str | None]:
    return [recoding.shown[0].labels[cell] for cell in recoding.cells[:, 0]]


def values_of(case: Case, label: int, number: int) -> Leaves:
    return frozenset(int(case.counted.tally.codes[point, number]) for point, _ in case.members()[label])


@quick
@given(cases(), st.sampled_from([Lm(), Discernibility()]))
def test_each_class_is_published_as_the_least_that_covers_it(case: Case, measure: Measure) -> None:
    parts = case.parts.filled()
    if parts.n_classes == 0:
        return
    recoding = recoding_of(case.counted.tally, parts, measure)
    members = Case(case.table, case.rows, case.counted, parts).members()
    assert recoding.cells.shape == (parts.n_classes, len(case.counted.tally.quasi))
    for number, column in enumerate(case.counted.tally.quasi):
        subsets = recoding.shown[number]
        assert len(set(subsets.labels)) == len(subsets.labels) == len(set(recoding.cells[:, number].tolist()))
        meant = [covered(column.hierarchy, subsets, place) for place in range(len(subsets))]
        assert len(set(meant)) == len(meant)
        for label in members:
            if label >= 0:
                leaves = values_of(Case(case.table, case.rows, case.counted, parts), label, number)
                cell = recoding.cells[label, number]
                assert meant[cell] == plain_closure(column.hierarchy, leaves)
                if len(leaves) == 1:
                    assert subsets.labels[cell] == column.hierarchy.values[min(leaves)]


@quick
@given(cases())
def test_a_node_gives_way_to_one_above_that_costs_less(case: Case) -> None:
    parts = case.parts.filled()
    if parts.n_classes == 0:
        return
    recoding = recoding_of(case.counted.tally, parts, Entropy())
    for number, column in enumerate(case.counted.tally.quasi):
        prices = Entropy().costs(column).of(column, recoding.shown[number])
        for label in range(parts.n_classes):
            leaves = values_of(Case(case.table, case.rows, case.counted, parts), label, number)
            least, cell = plain_closure(column.hierarchy, leaves), recoding.cells[label, number]
            found = covered(column.hierarchy, recoding.shown[number], cell)
            assert found >= least
            wanted = price("entropy", column, min(leaves), least)
            if column.hierarchy.form == "tree":
                above = [plain_closure(column.hierarchy, least | {leaf}) for leaf in range(column.hierarchy.n_leaves)]
                wanted = min(price("entropy", column, min(leaves), node) for node in above)
            assert prices[cell] == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("spec", [Ranges(order=tuple(NASTY)), Ranges(), Sets()], ids=["order", "texts", "sets"])
@settings(deadline=None, max_examples=100)
@given(data=st.data())
def test_no_two_subsets_read_alike_whatever_the_values_hold(spec: HierarchySpec, data: st.DataObject) -> None:
    member = st.lists(st.sampled_from(NASTY), min_size=1, max_size=4, unique=True)
    classes = data.draw(st.lists(member, min_size=1, max_size=12))
    recoding = recoded(spec.build(NASTY, "age"), [list(members) for members in classes])
    assert len(set(recoding.shown[0].labels)) == len(recoding.shown[0])


def test_the_labels_of_ranges() -> None:
    ages = Ranges().build(["-5", "-3", "0", "12"], "age")
    assert texts(recoded(ages, [["-5", "-3"], ["12"], ["-3", "12"], ["0", "-5"], ["-3", "0", "12"]])) == [
        "-5 - -3",
        "12",
        "-3 - 12",
        "-5 - 0",
        "-3 - 12",
    ]


def test_the_labels_of_sets() -> None:
    jobs = Sets().build(["b", "a", "c", "a, b"], "job")
    assert texts(recoded(jobs, [["b", "a"], ["c"], ["a", "c", "b"], ["c", "a"]])) == [
        "{a, b}",
        "c",
        "{a, b, c}",
        "{a, c}",
    ]
    assert texts(recoded(jobs, [["a", "b", "c"], ["a, b", "c"]])) == ["{a,, b,, c}", "{a, b,, c}"]


@pytest.mark.parametrize("spec", [Ranges(), Sets()], ids=["ranges", "sets"])
def test_a_class_that_misses_some_values_is_the_top_and_one_that_misses_all_is_missing(spec: HierarchySpec) -> None:
    hierarchy = spec.build(["1", "2", "3"], "age")
    found = recoded(hierarchy, [["1", None], [None, None], ["2", "3", None], ["3"]])
    assert texts(found) == ["*", None, "*", "3"]
    assert found.missing_cells().tolist() == [found.shown[0].labels.index(None)]
    assert found.star_cells().tolist() == [found.shown[0].labels.index("*")]
    assert found.shown[0].leaves(found.columns[0].hierarchy)[found.cells[:, 0]].tolist() == [4, 1, 4, 1]
    assert texts(recoded(hierarchy, [[None], [None]])) == [None, None]


@pytest.mark.parametrize("spec", [Ranges(), Sets()], ids=["ranges", "sets"])
def test_a_value_that_reads_like_the_top_is_refused_beside_it(spec: HierarchySpec) -> None:
    hierarchy = spec.build(["*", "SECRET"], "age")
    assert sorted(str(text) for text in texts(recoded(hierarchy, [["*"], ["SECRET", "SECRET"]]))) == ["*", "SECRET"]
    with pytest.raises(SpecError) as caught:
        recoded(hierarchy, [["*"], ["SECRET", None]])
    assert str(caught.value) == (
        "A value of column 'age' is written like the top of its hierarchy, so that a release could not distinguish "
        "them. Write that value differently."
    )


def test_two_nodes_of_different_levels_with_one_label_are_refused() -> None:
    """A leaf that reads like the node above it: fine in a release of one level, not side by side."""
    hierarchy = Hierarchy.of_rows([("SECRET", "SECRET", "*"), ("11", "SECRET", "*"), ("20", "2x", "*")], "tree")
    assert texts(recoded(hierarchy, [["SECRET", "11"], ["20"]])) == ["SECRET", "20"]
    assert texts(recoded(hierarchy, [["SECRET"], ["11", "20"]])) == ["SECRET", "*"]
    with pytest.raises(SpecError) as caught:
        recoded(hierarchy, [["SECRET"], ["SECRET", "11"], ["20"]])
    assert str(caught.value) == (
        "Two nodes of different levels in the hierarchy of column 'age' have the same label, so that a release with "
        "nodes of several levels could not tell them apart. Give them different labels."
    )


def test_a_node_that_stands_at_several_levels_is_one() -> None:
    hierarchy = Hierarchy.of_rows([("10", "10", "*"), ("20", "2x", "*"), ("21", "2x", "*")], "tree")
    assert texts(recoded(hierarchy, [["10"], ["20", "21"], ["21", "10"]])) == ["10", "2x", "*"]


def test_sets_of_many_values_are_found_as_sets_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    values = [f"v{number:02d}" for number in range(63)]
    classes: list[list[str | None]] = [[values[i] for i in rng.integers(0, 63, rng.integers(1, 4))] for _ in range(300)]
    classes.append([values[0], values[62]])
    few = texts(recoded(Sets().build(values, "job"), classes))
    monkeypatch.setattr(closure, "_WORD", 0)
    assert texts(recoded(Sets().build(values, "job"), classes)) == few


def test_no_class_at_all() -> None:
    for hierarchy in (Ranges().build(["1", "2"], "age"), Sets().build(["1", "2"], "age")):
        tally = tally_of(hierarchy, "1", "2")
        recoding = recoding_of(tally, Parts.whole(tally, np.array([-1, -1], dtype=np.int32)), Lm())
        assert recoding.cells.shape == (0, 1)
        assert len(recoding.shown[0]) == 0
