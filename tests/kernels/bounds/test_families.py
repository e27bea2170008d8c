"""Families of patterns against their definition: every class lies in a listed pattern that is no dearer."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels.bounds.charges import Charges
from shoal.kernels.bounds.column_patterns import DistinctRows, least_set_price, ranked_leaves
from shoal.kernels.bounds.families import PatternList, across, highest_cap, keep_pattern, visit_patterns
from shoal.kernels.local.closures import RANGES, SETS, TREE, Forms, meet, range_price, set_price
from shoal.kernels.prices import BITS, ENTROPY, LINEAR, SHARE
from shoal.measures import MEASURES, CellMeasure
from shoal.models import KAnonymity
from shoal.search.bounds.families import Family
from shoal.search.local.forms import forms_of
from shoal.search.problem import Problem
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.partitions import Case, cases
from tests.oracles.plain import Rules

few = settings(deadline=None, max_examples=60)
CELLS = [measure for member in MEASURES if isinstance(measure := member(), CellMeasure)]
LIMIT = 10**9


def family_of(case: Case, measure: CellMeasure, k: int, pairs: int) -> Family | None:
    """Return the family of a case, or None if there is nothing to list."""
    problem = Problem(case.counted.tally, (KAnonymity(k=k),), measure)
    family = Family.of(problem, forms_of(problem.tally.quasi, measure), k)
    if not len(family.points.columns):
        return None
    return replace(family, points=family.points._replace(pairs=pairs))


def class_price(family: Family, points: list[int]) -> float:
    """Return what a class of these points costs each record, in the columns that matter."""
    total = 0.0
    for depth, column in enumerate(family.points.columns.tolist()):
        ranks = sorted({int(family.points.ranks[depth, point]) for point in points})
        total += _price(family.forms, column, [_leaf(family, column, rank) for rank in ranks])
    return total


def _leaf(family: Family, column: int, rank: int) -> int:
    return int(family.points.leaves[family.forms.nodes[column] + rank])


def _price(forms: Forms, column: int, leaves: list[int]) -> float:
    start = int(forms.nodes[column])
    if forms.kinds[column] == TREE:
        node = leaves[0]
        for leaf in leaves:
            node = meet(forms.parent, start, node, leaf)
        return float(forms.prices[start + node])
    if forms.kinds[column] == RANGES:
        return range_price(forms, column, leaves[0], leaves[-1])
    sums = forms.adds[:, [start + leaf for leaf in leaves]].sum(axis=1)
    return set_price(forms, column, len(leaves), sums[0], sums[1], leaves[-1])


def classes(family: Family) -> list[list[int]]:
    """Return all sets of points with k records, where the points are few."""
    points = range(min(len(family), 8))
    sets = [list(some) for size in range(1, len(points) + 1) for some in combinations(points, size)]
    return [some for some in sets if family.points.counts[some].sum() >= family.points.k]


def supports(patterns: PatternList) -> list[set[int]]:
    return [set(patterns.members[a:b].tolist()) for a, b in zip(patterns.begins, patterns.begins[1:], strict=False)]


@few
@given(case=cases(), measure=st.sampled_from(CELLS), k=st.integers(1, 4), pairs=st.sampled_from([0, 8]))
def test_every_class_lies_in_a_pattern_that_is_no_dearer(case: Case, measure: CellMeasure, k: int, pairs: int) -> None:
    family = family_of(case, measure, k, pairs)
    if family is None:
        return
    patterns = family.listed(np.full(len(family), np.inf), family.values)
    assert patterns is not None
    listed = list(zip(supports(patterns), patterns.prices.tolist(), strict=True))
    for points in classes(family):
        price = class_price(family, points)
        assert any(set(points) <= support and least <= price + 1e-9 for support, least in listed)
        assert (family.values[points] <= price + 1e-9).all()
    for support, _ in listed:
        assert family.points.counts[list(support)].sum() >= k
    if all(family.forms.kinds[column] == TREE for column in family.points.columns):
        for support, price in listed:  # in trees each pattern is a class
            assert class_price(family, sorted(support)) == pytest.approx(price)


@pytest.mark.parametrize("measure", CELLS, ids=lambda measure: measure.name)
def test_ranges_alike_cost_no_more_than_any_of_them(measure: CellMeasure) -> None:
    rng = np.random.default_rng(3)
    records = [{"q": str(number)} for number in range(40) for _ in range(rng.integers(1, 30))]
    rows = {str(number): (str(number), "*") for number in range(40)}
    problem = local_problem(LocalTable(records, {"q": rows}, forms={"q": "numbers"}), Rules((KAnonymity(k=2),)))
    family = Family.of(problem, forms_of(problem.tally.quasi, measure), 2)
    patterns = family.listed(np.full(len(family), np.inf), family.values)
    assert patterns is not None
    listed = list(zip(supports(patterns), patterns.prices.tolist(), strict=True))
    assert len(listed) < 40 * 41 // 2
    for ends in combinations(range(40), 2):
        price = class_price(family, list(ends))
        assert any(set(ends) <= support and least <= price + 1e-9 for support, least in listed)


@few
@given(
    st.lists(st.integers(1, 40), min_size=2, max_size=6),
    st.sampled_from([LINEAR, ENTROPY, BITS, SHARE]),
    st.sampled_from([2, 3]),
    st.booleans(),
)
def test_no_set_costs_less_than_the_least_price(counts: list[int], rule: int, wanted: int, missing: bool) -> None:
    size = len(counts)
    if size < wanted:
        return
    sums = np.array([counts, [count * np.log2(count) for count in counts]], dtype=np.float64)
    forms = Forms(
        kinds=np.array([SETS], dtype=np.int8),
        nodes=np.array([0, size + 1]),
        missing=np.array([size - 1 if missing else -1], dtype=np.int32),
        rules=np.array([rule], dtype=np.int64),
        constants=np.array([float(sum(counts))]),
        weights=np.array([2.0]),
        tops=np.array([0.1]),
        full=1.0,
        parent=np.full(size + 1, size, dtype=np.int32),
        prices=np.zeros(size + 1),
        lower=np.zeros((2, size + 1)),
        upper=np.zeros((2, size + 1)),
        adds=np.hstack([sums, np.zeros((2, 1))]),
    )
    least = least_set_price(forms, 0, np.arange(size, dtype=np.int32), wanted)
    sets = [list(some) for number in range(wanted, size + 1) for some in combinations(range(size), number)]
    prices = [_price(forms, 0, some) for some in sets]
    assert least <= min(prices) + 1e-9
    if rule != ENTROPY or wanted == 2:
        assert missing or least == pytest.approx(min(prices))


@few
@given(case=cases(), measure=st.sampled_from(CELLS), k=st.integers(1, 4), share=st.floats(0, 1))
def test_what_is_left_out_has_no_class_whose_caps_exceed_its_price(
    case: Case, measure: CellMeasure, k: int, share: float
) -> None:
    family = family_of(case, measure, k, 0)
    if family is None:
        return
    rng = np.random.default_rng(int(1e6 * share))
    caps = family.values + rng.random(len(family)) * share * (family.whole - family.values)
    patterns = family.listed(caps, family.values)
    assert patterns is not None
    listed = list(zip(supports(patterns), patterns.prices.tolist(), strict=True))
    for points in classes(family):
        price = class_price(family, points)
        if not any(set(points) <= support and least <= price + 1e-9 for support, least in listed):
            surpluses = np.repeat(caps[points] - price, family.points.counts[points])
            assert np.sort(surpluses)[::-1][:k].sum() <= 1e-9


@few
@given(case=cases(), measure=st.sampled_from(CELLS), k=st.integers(1, 4))
def test_a_floor_is_the_least_price_of_the_patterns_of_a_point(case: Case, measure: CellMeasure, k: int) -> None:
    family = family_of(case, measure, k, 0)
    if family is None or family.points.counts.sum() < k:
        return
    patterns = family.listed(np.full(len(family), np.inf), family.values)
    assert patterns is not None
    least = np.full(len(family), family.whole)
    for support, price in zip(supports(patterns), patterns.prices.tolist(), strict=True):
        least[list(support)] = np.minimum(least[list(support)], price)
    floors = family.floors(lambda: False, quick=False)
    assert floors == pytest.approx(np.maximum(least, family.values))
    assert (family.floors(lambda: False, quick=True) <= floors + 1e-9).all()
    for points in classes(family):
        assert (floors[points] <= class_price(family, points) + 1e-9).all()


@few
@given(case=cases(), room=st.integers(0, 12))
def test_a_search_without_room_or_time_says_so(case: Case, room: int) -> None:
    family = family_of(case, CELLS[0], 2, 0)
    if family is None:
        return
    caps = np.full(len(family), np.inf)
    charges = Charges(caps, family.values, family.points.counts, family.points.k)
    patterns = family.listed(caps, family.values)
    assert patterns is not None
    small = PatternList(
        np.empty(LIMIT // 10**6), np.zeros(LIMIT // 10**6 + 1, dtype=np.int64), np.empty(room, np.int32)
    )
    found = np.array([0, 0, LIMIT], dtype=np.int64)
    assert visit_patterns(family.forms, family.points, charges, small, found, True) == (room >= len(patterns.members))
    found = np.array([0, 0, 0], dtype=np.int64)
    assert not visit_patterns(family.forms, family.points, charges, small, found, True) or len(patterns.members) == 0


@few
@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.integers(0, 2**32))
def test_the_leaves_below_a_node_are_neighbours(drawn: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_leaves = len(drawn)
    inner = 1 + min(n_leaves - 1, 4)
    nodes = n_leaves + inner
    parent = np.array([*(n_leaves + step % inner for step in drawn), *range(n_leaves, nodes)], dtype=np.int32)
    for node in range(n_leaves, nodes - 1):
        parent[node] = rng.integers(node + 1, nodes)
    parent[-1] = nodes - 1
    order = ranked_leaves(parent, n_leaves).tolist()
    assert sorted(order) == list(range(n_leaves))
    for node in range(nodes):
        places = [place for place, leaf in enumerate(order) if _above(parent, leaf, node)]
        assert not places or places == list(range(places[0], places[-1] + 1))


def _above(parent: NDArray[np.int32], leaf: int, node: int) -> bool:
    while leaf != node and parent[leaf] != leaf:
        leaf = int(parent[leaf])
    return leaf == node


def test_the_highest_cap_leaves_out_what_is_paid_later() -> None:
    members = np.array([0, 2], dtype=np.int32)
    caps = np.array([3.0, 9.0, 5.0])
    rest = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 4.0]])
    empty = np.zeros((2, 0))
    points = DistinctRows(
        np.zeros((1, 3), dtype=np.int32),
        np.ones(3, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.zeros(1, dtype=np.int32),
        rest,
        2,
        0,
        np.zeros(0, dtype=np.int32),
    )
    assert highest_cap(points, caps, 0, members) == 2.0
    assert highest_cap(points._replace(rest=empty), caps, 0, members) == 5.0


@pytest.mark.parametrize(("parts", "members", "found"), [("", "012", True), ("001", "01", False), ("001", "012", True)])
def test_points_are_of_several_parts_or_there_are_none(parts: str, members: str, found: bool) -> None:
    nothing = np.zeros(0, dtype=np.int32)
    points = DistinctRows(
        np.zeros((1, 3), dtype=np.int32),
        np.ones(3, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        nothing,
        np.zeros((2, 0)),
        2,
        0,
        np.array([int(part) for part in parts], dtype=np.int32),
    )
    assert across(points, np.array([int(one) for one in members], dtype=np.int32)) == found


def test_patterns_are_appended_while_there_is_room() -> None:
    patterns = PatternList(np.empty(2), np.zeros(3, dtype=np.int64), np.empty(3, dtype=np.int32))
    found = np.zeros(3, dtype=np.int64)
    assert keep_pattern(patterns, found, np.array([4, 2], dtype=np.int32), 0.5)
    assert not keep_pattern(patterns, found, np.array([1, 3], dtype=np.int32), 0.5)
    assert keep_pattern(patterns, found, np.array([1], dtype=np.int32), 0.25)
    assert not keep_pattern(patterns, found, np.array([], dtype=np.int32), 0.5)
    assert patterns.members.tolist() == [4, 2, 1]
    assert patterns.begins.tolist() == [0, 2, 3]
    assert patterns.prices.tolist() == [0.5, 0.25]
