"""What each column may publish for a class and for how much, against the prices by the definitions of the measures."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import lcm
from random import Random

import numpy as np
import pytest

from shoal.actions.verification.choices import Priced
from shoal.actions.verification.choices import _nodes as nodes_of
from shoal.classes.tally import QuasiColumn
from shoal.kernels.verification.overcharges import ENDS, NODES, RANGES, SETS
from shoal.measures import CellMeasure, Entropy, Lm, NonuniformEntropy
from shoal.measures.measure import CellCosts
from shoal.models import KAnonymity
from shoal.tables.hierarchies import Ranges, Sets, Suppression, Taxonomy
from tests.oracles.local.losses import Pricing
from tests.oracles.local.random_jobs import Case, random_local
from tests.oracles.plain import Rules, Value

MEASURES = ["stars", "lm", "ncp", "entropy", "precision"]


def drawn(seed: int, measure: str) -> tuple[Case, Priced | None]:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    table = random_local(rng, rng.randint(3, 9), n_columns=2, missing=rng.random() < 0.4)
    case = Case(table, Rules((KAnonymity(k=1),)), measure, Fraction(0))
    assert isinstance(case.problem.measure, CellMeasure)
    return case, Priced.of(case.problem.tally.quasi, case.problem.measure)


def subsets(values: list[Value]) -> Iterator[tuple[Value, ...]]:
    for size in range(1, len(values) + 1):
        yield from combinations(values, size)


@pytest.mark.parametrize("measure", MEASURES)
def test_no_cell_costs_less_than_it_is_priced_and_most_cost_as_much(
    measure: str, seeds: Callable[[int], range]
) -> None:
    kinds = set()
    for seed in seeds(120):
        case, priced = drawn(seed, measure)
        if priced is None:
            continue
        pricing, lost = Pricing(case.table, measure), 0.0
        for column, own in zip(case.problem.tally.quasi, priced.columns, strict=True):
            kinds.add(own.kind)
            values: list[Value] = sorted({record[column.name] for record in case.table.records}, key=str)
            ranks = own.ranks[column.hierarchy.encode(values, column.name)].tolist()
            assert sorted(own.ranks.tolist()) == list(range(column.hierarchy.n_leaves))
            rank_of, width = dict(zip(values, ranks, strict=True)), len(own.ranks)
            lost += column.weight * pricing.lost(column.name, values[0])
            for some in subsets(values):
                paid = column.weight * pricing.price(column.name, some[0], pricing.cell(column.name, some))
                places = sorted(rank_of[value] for value in some)
                low, high = places[0], places[-1]
                if own.kind == NODES:
                    above = (own.nodes[:, 0] <= low) & (own.nodes[:, 1] > high)
                    found = own.prices[np.flatnonzero(above)[0]]
                elif own.kind in (RANGES, ENDS):
                    found = own.pairs[low * width + high]
                else:
                    found = own.pairs[low * width + places[min(1, len(places) - 1)]]
                assert found <= paid + 1e-9, (seed, some)
                if own.kind in (NODES, RANGES) or len(some) < 3:
                    assert found == pytest.approx(paid), (seed, some)
        assert priced.full == pytest.approx(lost), seed
        everything = [priced.full, sum(float(one.amounts.max()) for one in priced.columns)]
        assert priced.dearest == max(everything), seed
    expected = {NODES} if measure == "precision" else {NODES, RANGES, ENDS if measure == "entropy" else SETS}
    assert kinds == expected


@pytest.mark.parametrize("measure", MEASURES)
def test_choices_are_the_prices_in_whole_units_in_any_order_of_columns(
    measure: str, seeds: Callable[[int], range]
) -> None:
    for seed in seeds(60):
        _, priced = drawn(seed, measure)
        if priced is None:
            continue
        dearer = [replace(one, prices=one.prices + j, pairs=one.pairs + j) for j, one in enumerate(priced.columns)]
        priced, columns = replace(priced, columns=tuple(dearer)), list(range(len(dearer)))
        for order, unit in ((columns, 20), (columns[::-1], 3)):
            told = priced.choices(order, unit)
            least = [0]
            for place, j in enumerate(order):
                own, nodes = priced.columns[j], slice(told.begins[place], told.begins[place + 1])
                assert (told.kinds[place], told.widths[place]) == (own.kind, len(own.ranks))
                assert told.lows[nodes].tolist() == own.nodes[:, 0].tolist()
                assert told.highs[nodes].tolist() == own.nodes[:, 1].tolist()
                assert told.prices[nodes].tolist() == [int(price * 2**unit // 1) for price in own.prices]
                pairs = told.pairs[told.tables[place] :][: len(own.pairs)]
                assert pairs.tolist() == [int(price * 2**unit // 1) for price in own.pairs]
                known = {(int(low), int(high)) for low, high, _ in own.nodes}
                for node in range(*nodes.indices(len(told.lows))):
                    low, high, child = told.lows[node], told.highs[node], told.children[node]
                    assert (child < 0) == (node - told.begins[place] < len(own.ranks))
                    while child >= 0 and low < high:
                        end = told.ends[child + low]
                        assert (int(low), int(end)) in known
                        low = end
                    assert child < 0 or low == high
                least.append(min(*told.prices[nodes].tolist(), *pairs.tolist(), 2**62, 2**62))
            assert told.least.tolist() == [sum(least[place + 1 :]) for place in range(len(order) + 1)]


@pytest.mark.parametrize("measure", ["stars", "lm", "precision"])
def test_plain_fractions_have_a_common_denominator(measure: str, seeds: Callable[[int], range]) -> None:
    for seed in seeds(60):
        _, priced = drawn(seed, measure)
        if priced is not None:
            amounts = np.concatenate([[priced.full], *(column.amounts for column in priced.columns)])
            plain = [Fraction(amount).limit_denominator(1_000) for amount in amounts.tolist()]
            assert priced.common == lcm(*(one.denominator for one in plain)), seed


@pytest.mark.parametrize(
    ("prices", "common"),
    [
        ([0.0, 1 / 3, 0.25], 12),
        ([1 / 1_000, 1 / 999], 999_000),
        ([1 / 1_001], None),
        ([1 / 997, 1 / 991, 1 / 983], None),  # their common one is above ten million
        ([1.0, 1 / 3 + 2e-13], None),
        ([1_000.0, 1 / 3 + 2e-13], 3),  # that is rounding, beside a thousand
        ([1_000.0, 2e-13], None),  # but this is not nothing
        ([0.0], 1),
    ],
)
def test_a_common_denominator_is_a_small_one(prices: list[float], common: int | None) -> None:
    _, priced = drawn(0, "stars")
    assert priced is not None
    column = replace(priced.columns[0], prices=np.array(prices), pairs=np.array([0.0]))
    plain = Priced((column,), 0.0, Fraction(0))
    assert plain.common == common
    assert replace(plain, offset=Fraction(1, 2)).common is None
    assert replace(plain, full=0.5**11).common is None


def test_sets_of_no_known_price_and_columns_of_too_many_values_are_not_priced() -> None:
    few, many = [str(number) for number in range(3_000)], [str(number) for number in range(3_001)]
    for values, known in ((few, True), (many, False)):
        column = QuasiColumn("age", Ranges().build(values, "age"), np.ones(len(values), dtype=np.int64))
        assert (Priced.of([column], Lm()) is not None) == known
    for recipe, known in ((Sets(), False), (Ranges(), True)):
        hierarchy = recipe.build(["1", "2", "3"], "age").with_missing()
        column = QuasiColumn("age", hierarchy, leaf_counts=np.array([1, 2, 3, 4], dtype=np.int64))
        assert (Priced.of([column], Entropy()) is not None) == known
        assert Priced.of([column], Lm()) is not None


def column_of(recipe: Sets | Ranges, counts: list[int], *, missing: bool = False) -> QuasiColumn:
    hierarchy = recipe.build(["a", "b", "c"], "q")
    return QuasiColumn("q", hierarchy.with_missing() if missing else hierarchy, np.array(counts, dtype=np.int64))


def test_sets_are_ranked_by_how_many_records_a_value_has() -> None:
    """The two rare values are one bit apart; with the frequent one the set of all costs less than that."""
    priced = Priced.of([column_of(Sets(), [1, 100, 1])], Entropy())
    assert priced is not None
    (own,) = priced.columns
    assert own.ranks.tolist() == [0, 2, 1]
    pairs = own.pairs.reshape(3, 3)
    assert pairs[0, 1] == pytest.approx(1)
    assert pairs[0, 2] == pairs[1, 2] == pytest.approx(0.0801, abs=1e-4)
    assert (own.pairs >= 0).all()


def test_a_range_may_cost_more_than_the_top_and_a_missing_value_among_others_is_the_top() -> None:
    order = Ranges(order=("a", "b", "c"))
    priced = Priced.of([column_of(order, [1, 1, 100, 1], missing=True)], Entropy())
    assert priced is not None
    pairs = priced.columns[0].pairs.reshape(4, 4)
    assert pairs[0, 1] == pytest.approx(1)
    assert pairs[0, 3] == pairs[2, 3] == pairs[1, 0] < 0.3
    sets = Priced.of([column_of(Sets(), [1, 1, 1, 1], missing=True)], Lm())
    assert sets is not None
    pairs = sets.columns[0].pairs.reshape(4, 4)
    assert pairs[0, 1] < pairs[0, 3] == 1


def test_a_node_costs_what_the_cheapest_from_it_upwards_does() -> None:
    hierarchy = Suppression().build(["a", "b"], "q")
    column = QuasiColumn("q", hierarchy, np.array([1, 1], dtype=np.int64), weight=2.0)
    found = nodes_of(column, CellCosts((np.array([5.0, 1.0]), np.array([3.0])), full=9.0))
    assert found.prices.tolist() == [6, 2, 6]
    hierarchy = Taxonomy(tree={"*": {"y": ["a", "b"], "z": ["c"]}}).build(["a", "b", "c"], "q")
    column = QuasiColumn("q", hierarchy, np.ones(3, dtype=np.int64))
    found = nodes_of(column, CellCosts((np.array([5.0, 1.0, 5.0]), np.array([4.0, 2.0]), np.array([3.0])), full=9.0))
    assert found.prices.tolist() == [3, 1, 2, 3, 2, 3]


def test_leaves_below_a_node_are_adjacent_however_values_are_numbered() -> None:
    hierarchy = Taxonomy(tree={"*": {"z": ["a"], "y": ["b", "c"]}}).build(["a", "b", "c"], "q")
    column = QuasiColumn("q", hierarchy, np.ones(3, dtype=np.int64))
    for turned in (hierarchy.codes, np.array([[0, 1, 2], [1, 0, 0], [0, 0, 0]], dtype=hierarchy.codes.dtype)):
        one = replace(column, hierarchy=replace(hierarchy, codes=turned))
        found = nodes_of(one, CellCosts((np.zeros(3), np.ones(2), np.full(1, 2.0)), full=2.0))
        assert sorted((high - low).item() for low, high, _ in found.nodes) == [1, 1, 1, 1, 2, 3]


def test_what_a_measure_charges_in_any_case_is_added_up() -> None:
    column = QuasiColumn("q", Suppression().build(["a", "b"], "q"), np.array([1, 3], dtype=np.int64), weight=0.5)
    measure = NonuniformEntropy()
    priced = Priced.of([column, replace(column, weight=2.0)], measure)
    assert priced is not None
    assert priced.offset == Fraction(0.5 * measure.costs(column).offset) + Fraction(2 * measure.costs(column).offset)
    assert priced.offset != 0
