"""Ranges and sets that are no nodes, by each measure that prices cells, against the definitions."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.classes.recoding import Subsets
from shoal.classes.tally import QuasiColumn
from shoal.measures import MEASURES, CellMeasure, Entropy
from shoal.tables.hierarchies import Hierarchy, Ranges, Sets
from tests.measures.tables import patient
from tests.oracles.partitions import NASTY, NUMBERS, Leaves, covering_level, price

CELLS = [measure for member in MEASURES if isinstance(measure := member(), CellMeasure)]
each = pytest.mark.parametrize("measure", CELLS, ids=lambda measure: measure.name)


@st.composite
def quasi_columns(draw: st.DrawFn) -> QuasiColumn:
    """Draw a column of ranges or sets with the counts of its leaves, some of them 0."""
    kind = draw(st.sampled_from(["numbers", "order", "sets"]))
    values = draw(
        st.lists(st.sampled_from(NUMBERS if kind == "numbers" else NASTY), min_size=1, max_size=5, unique=True)
    )
    if kind == "sets":
        hierarchy = Sets().build(values, "column")
    else:
        hierarchy = Ranges(order=tuple(values) if kind == "order" else None).build(values, "column")
    hierarchy = hierarchy.with_missing() if draw(st.booleans()) else hierarchy
    counts = draw(st.lists(st.integers(0, 9), min_size=hierarchy.n_leaves, max_size=hierarchy.n_leaves))
    return QuasiColumn("column", hierarchy, np.array(counts, dtype=np.int64), 2.0)


def named(hierarchy: Hierarchy) -> list[Leaves]:
    """Return all ranges or sets of two or more values that may be published under their own name."""
    leaves = range(hierarchy.n_leaves - (hierarchy.missing_leaf >= 0))
    if hierarchy.form == "ranges":
        return [frozenset(range(low, high + 1)) for low, high in combinations(leaves, 2)]
    return [frozenset(some) for size in range(2, len(leaves) + 1) for some in combinations(leaves, size)]


def subsets_of(hierarchy: Hierarchy, wanted: list[Leaves]) -> Subsets:
    """Return subsets by their leaves: a single one is a node, others are named."""
    levels = [covering_level(hierarchy, leaves) for leaves in wanted]
    ends = [sorted(leaves) if len(leaves) > 1 else [] for leaves in wanted]
    if hierarchy.form == "ranges":
        ends = [[leaves[0], leaves[-1]] if leaves else [] for leaves in ends]
    return Subsets(
        labels=tuple(map(str, range(len(wanted)))),
        levels=np.array(levels, dtype=np.int32),
        codes=np.array([hierarchy.codes[level, min(some)] for level, some in zip(levels, wanted, strict=True)]),
        offsets=np.cumsum([0, *map(len, ends)]),
        members=np.array([leaf for leaves in ends for leaf in leaves], dtype=np.int32),
    )


@each
@patient
@given(column=quasi_columns(), data=st.data())
def test_a_subset_costs_what_the_definition_says(
    measure: CellMeasure, column: QuasiColumn, data: st.DataObject
) -> None:
    singles = [frozenset([leaf]) for leaf in range(column.hierarchy.n_leaves)]
    wanted = data.draw(st.permutations(singles + named(column.hierarchy)))
    costs = measure.costs(column)
    found = costs.of(column, subsets_of(column.hierarchy, wanted))
    for leaves, paid in zip(wanted, found, strict=True):
        held = [leaf for leaf in leaves if column.leaf_counts[leaf]]
        if not held:
            continue  # never published, and free to cost what it likes
        offset = 0.0
        if measure.name == "nonuniform-entropy":  # what the column adds for this value whatever is published
            offset = price(measure.name, column, held[0], frozenset(range(column.hierarchy.n_leaves)))
        assert paid + offset == pytest.approx(price(measure.name, column, held[0], leaves), abs=1e-9)


@each
@patient
@given(column=quasi_columns())
def test_a_monotone_measure_charges_no_subset_more_than_what_holds_it(
    measure: CellMeasure, column: QuasiColumn
) -> None:
    wanted = [frozenset([leaf]) for leaf in range(column.hierarchy.n_leaves)] + named(column.hierarchy)
    costs = measure.costs(column)
    found = costs.of(column, subsets_of(column.hierarchy, wanted)).tolist()
    assert all(np.isfinite(found))
    if measure.monotone:
        assert max(found) <= max(costs.full, costs.by_level[-1][0]) + 1e-12
        for (one, first), (other, second) in combinations(zip(wanted, found, strict=True), 2):
            assert not one < other or first <= second + 1e-12


@each
def test_a_column_without_named_subsets_is_priced_by_its_nodes(measure: CellMeasure) -> None:
    hierarchy = Ranges().build(["1", "9", "30"], "age").with_missing()
    column = QuasiColumn("age", hierarchy, np.array([3, 1, 2, 1]))
    costs = measure.costs(column)
    for level in range(hierarchy.height + 1):
        assert costs.of(column, Subsets.of_level(hierarchy, level)).tolist() == costs.by_level[level].tolist()


def test_the_prices_of_a_range_and_a_set_by_hand() -> None:
    """Ages 1, 9 and 30 with 3, 1 and 2 records: `1 - 9` covers 8 of 29 years, 2 of 3 values and 4 of 6 records."""
    ages = QuasiColumn("age", Ranges().build(["1", "9", "30"], "age"), np.array([3, 1, 2]))
    jobs = QuasiColumn("job", Sets().build(["cook", "nurse", "pilot"], "job"), np.array([3, 1, 2]))
    bits = (3 * np.log2(4 / 3) + np.log2(4)) / 4
    expected = {
        "lm": (8 / 29, 1 / 2),
        "ncp": (8 / 29, 2 / 3),
        "stars": (1, 1),
        "entropy": (bits, bits),
        "monotone-entropy": (bits * 4 / 6, bits * 4 / 6),
        "nonuniform-entropy": (np.log2(4 / 6), np.log2(4 / 6)),
        "tree": (2 / 4, 1),
        "absolute-distance": (2, 1),
    }
    assert ages.hierarchy.labels[2] == ("0-9", "30-39")
    for measure in CELLS:
        if measure.name in expected:
            for column, wanted in zip((ages, jobs), expected[measure.name], strict=True):
                found = measure.costs(column).of(column, subsets_of(column.hierarchy, [frozenset([0, 1])]))
                assert found == pytest.approx(wanted), (measure.name, column.name)


def test_many_large_sets_are_priced_without_a_rounding_error() -> None:
    """Sums over all sets before would grow until small prices are lost in them."""
    n = 40_000
    jobs = QuasiColumn("job", Sets().build(["a", "b", "c", "d"], "job"), np.array([10**9, 10**9, 1, 1]))
    wanted = [frozenset([0, 1])] * n + [frozenset([2, 3])]
    found = Entropy().costs(jobs).of(jobs, subsets_of(jobs.hierarchy, wanted))
    assert found[-1] == 1.0
