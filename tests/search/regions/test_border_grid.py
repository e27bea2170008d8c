"""The cells of a border grid: none across a border, none dearer than a class of its records, finer step by step."""

from collections.abc import Callable, Sequence
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn
from shoal.kernels.local.closures import RANGES, TREE, Forms
from shoal.kernels.prices import ENTROPY
from shoal.measures import MEASURES, CellMeasure, Entropy, Lm
from shoal.models import KAnonymity
from shoal.search.bounds.families import _closure_price
from shoal.search.local.cuts import leaf_order
from shoal.search.local.forms import forms_of
from shoal.search.problem import Problem
from shoal.search.regions import border_grid
from shoal.search.regions.border_grid import BorderGrid, ChargedCells
from shoal.search.regions.box import LeafBox
from shoal.tables.hierarchies import Ranges, Sets
from shoal.tables.hierarchies.hierarchy import Hierarchy
from tests.oracles.local.random_jobs import random_local
from tests.oracles.local.tables import local_problem
from tests.oracles.plain import Rules
from tests.search.regions.in_memory import block_of
from tests.search.regions.test_bounds import random_boxes

CELLS = [measure for member in MEASURES if isinstance(measure := member(), CellMeasure)]


def random_problem(seed: int) -> tuple[Problem, CellMeasure, list[LeafBox]]:
    rng, measure = Random(seed), CELLS[seed % len(CELLS)]  # noqa: S311
    table = random_local(rng, 14, missing=seed % 3 == 0)
    problem = local_problem(table, Rules((KAnonymity(k=2),)), measure.name)
    return problem, measure, random_boxes(problem, rng)


def test_bins_are_finer_step_by_step_and_none_is_on_both_sides_of_a_border(seeds: Callable[[int], range]) -> None:
    for seed in seeds(80):
        problem, measure, boxes = random_problem(seed)
        forms = forms_of(problem.tally.quasi, measure)
        grid = BorderGrid.of(problem.tally.quasi, forms, boxes)
        if grid is None:
            continue
        before: list[NDArray[np.int64]] | None = None
        for step in range(len(grid.steps)):
            starts = grid.starts(step)
            for number, (column, own) in enumerate(zip(problem.tally.quasi, starts, strict=True)):
                assert own[0] == 0
                assert (np.diff(own) > 0).all()
                assert own[-1] < column.hierarchy.n_leaves
                if column.weight > 0 and (forms.kinds[number] == TREE or forms.rules[number] != ENTROPY):
                    assert {box.low[number] for box in boxes} <= set(own.tolist())
            if before is not None:
                assert [len(own) for own in before] != [len(own) for own in starts]
                assert all(np.isin(one, own).all() for one, own in zip(before, starts, strict=True))
            before = starts
        assert before is not None
        for number, (column, own) in enumerate(zip(problem.tally.quasi, before, strict=True)):
            alone = column.weight == 0 or (forms.kinds[number] != TREE and forms.rules[number] == ENTROPY)
            assert len(own) == (1 if alone else column.hierarchy.n_leaves)


def bin_of(starts: NDArray[np.int64], column: QuasiColumn) -> NDArray[np.int64]:
    """Return the bin of each leaf."""
    found = np.empty(column.hierarchy.n_leaves, dtype=np.int64)
    found[leaf_order(column.hierarchy)] = np.searchsorted(starts, np.arange(len(found)), side="right") - 1
    return found


def test_a_class_costs_no_less_than_the_leaves_that_stand_for_its_cells(seeds: Callable[[int], range]) -> None:
    """In a tree two bins cost exactly what any of their leaves cost; in ranges and sets some of them do."""
    exact = 0
    for seed in seeds(80):
        problem, measure, boxes = random_problem(seed)
        columns, forms = problem.tally.quasi, forms_of(problem.tally.quasi, measure)
        grid = BorderGrid.of(columns, forms, boxes)
        for step in range(len(grid.steps)) if grid is not None else ():
            assert grid is not None
            coarse = grid.forms(step, columns, forms)
            for number, (column, starts) in enumerate(zip(columns, grid.starts(step), strict=True)):
                bins, stands = bin_of(starts, column), leaf_order(column.hierarchy)[starts]
                exact += _compared(forms, coarse, number, bins, stands)
    assert exact


def _compared(forms: Forms, coarse: Forms, number: int, bins: NDArray[np.int64], stands: NDArray[np.int64]) -> int:
    """Compare all pairs and triples of leaves with those of their bins; count the pairs of different bins."""

    def price(of: Forms, leaves: Sequence[int]) -> float:
        return _closure_price(of, number, np.unique(np.array(leaves, dtype=np.int32)))

    leaves, pairs = range(len(bins)), dict[tuple[int, int], list[float]]()
    for one in leaves:
        for two in leaves:
            some = [int(stands[bins[leaf]]) for leaf in (one, two)]
            assert price(coarse, some) <= price(forms, [one, two]) + 1e-12
            pairs.setdefault((int(bins[one]), int(bins[two])), []).append(price(forms, [one, two]))
            three = [one, two, (one + two) // 2]
            assert price(coarse, [int(stands[bins[leaf]]) for leaf in three]) <= price(forms, three) + 1e-12
    for (first, second), prices in pairs.items():
        found = price(coarse, [int(stands[first]), int(stands[second])])
        if first == second:
            assert found == min(forms.prices[forms.nodes[number] + np.flatnonzero(bins == first)])
        else:
            assert found == pytest.approx(min(prices))
            assert forms.kinds[number] != TREE or found == pytest.approx(max(prices))
    return sum(first != second for first, second in pairs)


def column_of(hierarchy: Hierarchy, weight: float = 1.0) -> QuasiColumn:
    return QuasiColumn("q", hierarchy, np.ones(hierarchy.n_leaves, dtype=np.int64), weight)


def tree() -> Hierarchy:
    return Hierarchy.of_rows([(f"{n:02}", f"{n // 2}", f"{n // 4}", f"{n // 8}", "*") for n in range(16)], "tree")


def test_a_bin_is_cut_at_both_ends_of_every_node_that_a_border_runs_through() -> None:
    column = column_of(tree())
    grid = BorderGrid.of([column], forms_of([column], Lm()), LeafBox.whole([column]).cut(0, 5))
    assert grid is not None
    assert grid.starts(0)[0].tolist() == [0, 4, 5, 6, 8]
    assert [len(grid.starts(step)[0]) for step in range(len(grid.steps))] == [5, 6, 9, 16]
    plain = BorderGrid.of([column], forms_of([column], Lm()), [LeafBox.whole([column])])
    assert plain is not None
    assert [len(plain.starts(step)[0]) for step in range(len(plain.steps))] == [1, 2, 4, 8, 16]


def test_a_missing_value_is_a_bin_of_its_own_where_it_makes_a_range_or_set_the_whole() -> None:
    for hierarchy, first in (
        (Ranges().build([str(n) for n in range(8)], "numbers").with_missing(), [0, 8]),
        (Sets().build(list("abcdefgh"), "names").with_missing(), [0, 8]),
        (tree().with_missing(), [0]),
    ):
        column = column_of(hierarchy)
        grid = BorderGrid.of([column], forms_of([column], Lm()), [LeafBox.whole([column])])
        assert grid is not None
        assert grid.starts(0)[0].tolist() == first


def test_nothing_is_said_of_a_border_through_ranges_that_may_cost_less_than_a_part_of_them() -> None:
    numbers = column_of(Ranges().build([str(n) for n in range(8)], "numbers"))
    names = column_of(tree())
    columns, whole = [numbers, names], LeafBox.whole([numbers, names])
    forms = forms_of(columns, Entropy())
    assert BorderGrid.of(columns, forms, whole.cut(0, 4)) is None
    grid = BorderGrid.of(columns, forms, whole.cut(1, 8))
    assert grid is not None
    assert len(grid.starts(len(grid.steps) - 1)[0]) == 1
    priced = BorderGrid.of(columns, forms_of(columns, Lm()), whole.cut(0, 4))
    assert priced is not None
    assert len(priced.starts(len(priced.steps) - 1)[0]) == 8


def test_cells_have_numbers_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = [column_of(tree()), column_of(tree(), 0.0), column_of(tree())]
    monkeypatch.setattr(border_grid, "_LARGEST", 65)
    grid = BorderGrid.of(columns, forms_of(columns, Lm()), [LeafBox.whole(columns)])
    assert grid is not None
    assert grid.steps == ((0, 0, 0), (1, 0, 0), (1, 0, 1), (2, 0, 1), (2, 0, 2), (3, 0, 2), (3, 0, 3))
    monkeypatch.setattr(border_grid, "_LARGEST", 64)
    less = BorderGrid.of(columns, forms_of(columns, Lm()), [LeafBox.whole(columns)])
    assert less is not None
    assert less.steps == grid.steps[:-1]


def test_points_are_put_together_by_the_finest_cells_that_are_few(
    seeds: Callable[[int], range], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(border_grid, "_EVERY", 3)
    for seed in seeds(40):
        problem, measure, boxes = random_problem(seed)
        grid, rng = BorderGrid.of(problem.tally.quasi, forms_of(problem.tally.quasi, measure), boxes), Random(seed)  # noqa: S311
        if grid is None:
            continue
        positions, counts = block_of(problem).positions, problem.tally.counts
        charges = np.array([rng.choice([0.0, 0.5, 1.0, 2.0]) for _ in counts])
        ceilings, last = np.full(len(counts), 0.75), len(grid.steps)
        for most in (30, 8, 4, 1):
            found = grid.charged(positions, counts, charges, ceilings, most)
            n_cells = [len(set(grid.cells(step, positions).tolist())) for step in range(len(grid.steps))]
            assert found.step == max([step for step, n in enumerate(n_cells) if n <= most], default=0)
            assert found.step <= last
            last = found.step
            _same(found, _by_hand(grid, found.step, positions, counts, charges))
            for step in range(found.step):
                _same(grid.coarser(step, found), _by_hand(grid, step, positions, counts, charges))


def _by_hand(
    grid: BorderGrid,
    step: int,
    positions: Sequence[NDArray[np.integer]],
    counts: NDArray[np.int64],
    charges: NDArray[np.float64],
) -> dict[tuple[int, bool], tuple[int, float, float, float]]:
    """Return records, least, largest and sum of charges by cell, and by whether they are above 0.75."""
    found: dict[tuple[int, bool], tuple[int, float, float, float]] = {}
    for cell, n, charge in zip(grid.cells(step, positions).tolist(), counts.tolist(), charges.tolist(), strict=True):
        records, low, high, total = found.get((cell, charge > 0.75), (0, np.inf, -np.inf, 0.0))
        found[cell, charge > 0.75] = records + n, min(low, charge), max(high, charge), total + n * charge
    return dict(sorted(found.items()))


def _same(found: ChargedCells, wanted: dict[tuple[int, bool], tuple[int, float, float, float]]) -> None:
    assert list(zip(found.cells.tolist(), found.above.tolist(), strict=True)) == list(wanted)
    columns = (found.counts.tolist(), found.low.tolist(), found.high.tolist(), found.sums.tolist())
    assert list(zip(*columns, strict=True)) == list(wanted.values())


def test_the_leaves_of_a_cell_stand_in_its_bins(seeds: Callable[[int], range]) -> None:
    for seed in seeds(40):
        problem, measure, boxes = random_problem(seed)
        columns = problem.tally.quasi
        grid = BorderGrid.of(columns, forms_of(columns, measure), boxes)
        for step in range(len(grid.steps)) if grid is not None else ():
            assert grid is not None
            cells = grid.cells(step, block_of(problem).positions)
            leaves = grid.leaves(step, columns, cells)
            assert leaves.dtype == np.int32
            for j, (column, starts) in enumerate(zip(columns, grid.starts(step), strict=True)):
                bins = bin_of(starts, column)
                assert (bins[leaves[:, j]] == bins[problem.tally.codes[:, j]]).all()
                assert (leaves[:, j] == leaf_order(column.hierarchy)[starts][bins[leaves[:, j]]]).all()


def test_ranges_are_priced_from_the_last_leaf_of_a_bin_to_the_first_of_another() -> None:
    column = column_of(Ranges().build([str(n) for n in (0, 1, 5, 9)], "numbers"))
    forms = forms_of([column], MEASURES["ncp"]())  # type: ignore[arg-type]
    assert forms.kinds[0] == RANGES
    grid = BorderGrid.of([column], forms, LeafBox.whole([column]).cut(0, 2))
    assert grid is not None
    coarse = grid.forms(0, [column], forms)
    assert grid.starts(0)[0].tolist() == [0, 2]
    assert _closure_price(coarse, 0, np.array([0, 2], dtype=np.int32)) == pytest.approx(4 / 9)
    assert _closure_price(coarse, 0, np.array([2], dtype=np.int32)) == 0
