"""The bounds of a box hold for every node in it, and prices are losses."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations_with_replacement, product
from random import Random

import numpy as np
import pytest

from shoal.classes.grouping import Grouping
from shoal.classes.recoding import Recoding
from shoal.foundation.errors import SpecError
from shoal.measures import MEASURES, ClassMeasure
from shoal.measures.measure import Loss, Measure
from shoal.search.lattice.lattice import Lattice
from shoal.search.lattice.pricing import pricing_of
from tests.oracles.losses import CELLS, CLASSES, loss
from tests.oracles.plain import Node, PlainTable, Rules, Value
from tests.oracles.problems import problem_of
from tests.oracles.random_tables import LIMITS, random_case, random_table


def boxes(lattice: Lattice, rng: Random, number: int) -> Iterator[tuple[Node, Node]]:
    """Draw the lower and upper ends of some boxes."""
    nodes = lattice.all_nodes()
    for _ in range(number):
        high = rng.choice(nodes)
        yield tuple(rng.randint(0, level) for level in high), high


def inside(low: Node, high: Node) -> list[Node]:
    return list(product(*(range(a, b + 1) for a, b in zip(low, high, strict=True))))


@pytest.mark.parametrize("measure", MEASURES.names)
def test_the_bounds_of_a_box_hold_for_all_its_nodes(measure: str) -> None:
    for seed in range(10):
        table, rules = random_case(900 + seed)
        lattice = Lattice(problem_of(table, rules, measure, LIMITS[seed % 4]))
        losses = {node: lattice.evaluate(node).loss for node in lattice.all_nodes()}
        for low, high in boxes(lattice, Random(seed), 12):  # noqa: S311
            pricing, outcome = lattice.pricing, lattice.evaluate(high)
            least = min(losses[node] for node in inside(low, high))
            assert pricing.base(low, high) <= least + 1e-9
            assert pricing.bound(low, high, outcome.excess) <= least + 1e-9
            assert pricing.bound(low, high, outcome.excess) >= pricing.base(low, high) - 1e-9


@pytest.mark.parametrize("measure", MEASURES.names)
def test_the_price_of_a_node_is_its_loss(measure: str) -> None:
    for seed in range(6):
        table, rules = random_case(1_300 + seed)
        lattice = Lattice(problem_of(table, rules, measure))
        for node in lattice.all_nodes():
            cells = lattice.cells(node)
            groups = lattice.packing.grouping(cells)
            recoding = lattice.packing.recoding(cells)
            labels = zip(*(_texts(recoding.published(j)) for j in range(len(node))), strict=True)
            keys = list(labels)
            choices = [[(number + turn) % 3 > 0 for number in range(len(keys))] for turn in range(3)]
            totals = lattice.pricing.totals(cells, groups, _bools(choices))
            for choice, total in zip(choices, totals, strict=True):
                kept = frozenset(key for key, shown in zip(keys, choice, strict=True) if shown)
                assert total == pytest.approx(loss(measure, table, node, kept), abs=1e-9)
                assert lattice.pricing.total(cells, groups, _bools(choice)) == pytest.approx(total, abs=1e-9)


def alone(table: PlainTable, column: str) -> PlainTable:
    """Return a table with one of its quasi columns only."""
    return replace(table, hierarchies={column: table.hierarchies[column]})


def gaps(measure: str, table: PlainTable, level: int) -> dict[Value, float]:
    """Return what suppressing a record adds to the loss of a table with one column, by the label of its class."""
    labels = Counter(table.key(record, (level,)) for record in table.records)
    whole = loss(measure, table, (level,), frozenset(labels))
    return {
        label[0]: (loss(measure, table, (level,), frozenset(labels) - {label}) - whole) / size
        for label, size in labels.items()
    }


def complete_table(seed: int) -> PlainTable:
    """Return a random table with a record, and some more, for each value of a hierarchy."""
    table = random_table(Random(seed), missing=seed % 3 == 0, n_records=4)  # noqa: S311
    needed = max(len(rows) for rows in table.hierarchies.values())
    values = {column: list(rows) for column, rows in table.hierarchies.items()}
    more = [
        {**table.records[0], **{column: own[i % len(own)] for column, own in values.items()}} for i in range(needed)
    ]
    return replace(table, records=[*table.records, *more])


def skewed() -> PlainTable:
    """Return a table in which `ab` has more entropy than `abc`, and so costs more, but less than the top."""
    rows = {"a": ("a", "ab", "abc", "*"), "b": ("b", "ab", "abc", "*"), "c": ("c", "c", "abc", "*")}
    records = [{"q": value} for value in "ab" + 20 * "cd"]
    return PlainTable(records, {"q": {**rows, "d": ("d", "d", "d", "*")}})


@pytest.mark.parametrize("measure", CELLS)
def test_the_base_of_a_box_is_what_its_cheapest_levels_cost(measure: str) -> None:
    """Column by column, where each class is suppressed if that is cheaper."""
    for seed in range(8):
        table = complete_table(seed)
        lattice = Lattice(problem_of(table, Rules(()), measure))
        for low, high in boxes(lattice, Random(seed), 8):  # noqa: S311
            expected = 0.0
            for column, a, b in zip(table.quasi, low, high, strict=True):
                own = alone(table, column)
                expected += min(_capped(measure, own, level) for level in range(a, b + 1))
            assert lattice.pricing.base(low, high) == pytest.approx(expected, abs=1e-9)


def _capped(measure: str, table: PlainTable, level: int) -> float:
    sizes = Counter(table.key(record, (level,)) for record in table.records)
    saved = sum(min(gap, 0.0) * sizes[label,] for label, gap in gaps(measure, table, level).items())
    return loss(measure, table, (level,), frozenset(sizes)) + saved


@pytest.mark.parametrize("measure", CELLS)
def test_the_excess_of_a_lost_record_is_the_least_that_it_adds_at_or_below_its_class(measure: str) -> None:
    for seed, table in enumerate([skewed(), *map(complete_table, range(6))]):
        rng = Random(seed)  # noqa: S311
        lattice = Lattice(problem_of(table, Rules(()), measure))
        nodes = lattice.all_nodes()
        for node in rng.sample(nodes, min(len(nodes), 4)):
            cells = lattice.cells(node)
            groups = lattice.packing.grouping(cells)
            lost = np.array([rng.randint(0, size) for size in groups.sizes.tolist()])
            expected = 0.0
            for j, column in enumerate(table.quasi):
                labels = _texts(lattice.packing.recoding(cells).published(j))
                expected += _excess(measure, alone(table, column), labels, node[j], lost.tolist())
            assert lattice.pricing.excess(cells, groups, lost) == pytest.approx(expected, abs=1e-9)


def _excess(measure: str, table: PlainTable, labels: list[Value], level: int, lost: list[int]) -> float:
    """Return what lost records of the classes with these labels add at least in a table with one column."""
    column, levels = table.quasi[0], range(level + 1)
    added = [gaps(measure, table, at) for at in levels]
    total = 0.0
    for label, number in zip(labels, lost, strict=True):
        below = [(at, table.label(column, value, at)) for value in table.below(column, label, level) for at in levels]
        total += number * max(min(added[at][name] for at, name in below), 0.0)
    return total


@pytest.mark.parametrize("measure", CELLS)
def test_the_spread_of_two_levels_is_the_difference_of_their_losses(measure: str) -> None:
    table = complete_table(1)
    pricing = Lattice(problem_of(table, Rules(()), measure)).pricing
    for j, column in enumerate(table.quasi):
        own = alone(table, column)
        losses = [_released(measure, own, level) for level in range(own.height(column) + 1)]
        for low, high in combinations_with_replacement(range(len(losses)), 2):
            assert pricing.spread(j, low, high) == pytest.approx(losses[high] - losses[low], abs=1e-9)


def _released(measure: str, table: PlainTable, level: int) -> float:
    return loss(measure, table, (level,), frozenset(table.key(record, (level,)) for record in table.records))


@pytest.mark.parametrize("measure", CLASSES)
def test_a_box_of_classes_is_bounded_by_the_floor_of_its_lower_end_and_by_what_is_lost(measure: str) -> None:
    for seed in range(6):
        table, rules = random_case(1_700 + seed)
        problem = problem_of(table, rules, measure)
        assert isinstance(problem.measure, ClassMeasure)
        lattice = Lattice(problem)
        for low, high in boxes(lattice, Random(seed), 6):  # noqa: S311
            cells = lattice.cells(low)
            groups, recoding = lattice.packing.grouping(cells), lattice.packing.recoding(cells)
            pricing = pricing_of(problem.measure, lattice.packing)
            assert pricing.base(low, high) == 0.0  # nothing is known of a node that was not evaluated
            pricing.total(cells, groups, problem.released(groups, recoding))
            floor = problem.measure.floor(groups, recoding)
            assert pricing.base(low, high) == floor
            suppressed = _bools([False] * groups.n_classes)
            excess = pricing.excess(cells, groups, groups.sizes)
            assert excess == pytest.approx(problem.measure.total(groups, recoding, suppressed))
            assert pricing.bound(low, high, excess) == max(floor, excess)
            assert pricing.spread(0, low[0], high[0]) == high[0] - low[0]


def test_a_measure_without_prices_is_refused() -> None:
    class Other(Measure):
        name = "other"

        def loss(self, groups: Grouping, recoding: Recoding, released: "np.typing.NDArray[np.bool_]") -> Loss:
            return Loss(self.name, 0.0, 0.0, {})

    problem = problem_of(*random_case(1))
    with pytest.raises(SpecError, match="'other' cannot be minimized over a lattice"):
        pricing_of(Other(), Lattice(problem).packing)


def _texts(published: tuple[list[str | None], object]) -> list[str | None]:
    labels, shown = published
    return [labels[code] for code in shown]  # type: ignore[attr-defined]


def _bools(choices: object) -> "np.typing.NDArray[np.bool_]":
    return np.array(choices, dtype=np.bool_)


@pytest.mark.parametrize("measure", MEASURES.names)
def test_what_a_choice_of_classes_loses_and_what_suppressing_a_class_adds(measure: str) -> None:
    """Exactly, where the measure is a sum over cells or classes; at least nothing for the average size of classes."""
    n_classes = 0
    for seed in range(6):
        table, rules = random_case(1_700 + seed)
        lattice = Lattice(problem_of(table, rules, measure))
        cells = lattice.cells(lattice.bottom)
        groups = lattice.packing.grouping(cells)
        prices, everything = lattice.pricing.selection(cells, groups), np.ones(groups.n_classes, dtype=np.bool_)
        whole = lattice.pricing.total(cells, groups, everything)
        assert prices.loss(everything) == pytest.approx(whole)
        for one in range(groups.n_classes):
            without = everything.copy()
            without[one] = False
            if not without.any():
                continue
            n_classes += 1
            assert prices.loss(without) == pytest.approx(lattice.pricing.total(cells, groups, without))
            added = prices.loss(without) - whole
            exact = MEASURES[measure].name not in ("class-size", "geometric-mean")
            assert prices.gaps[one] == (pytest.approx(added) if exact else 0)
            assert added >= prices.gaps[one] - 1e-9
    assert n_classes > 10
