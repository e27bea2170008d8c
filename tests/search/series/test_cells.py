"""Classes of different signatures are published apart, at the least loss that is found."""

from collections.abc import Callable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.jobs.arguments import request
from shoal.jobs.posing import problem_of
from shoal.jobs.source import read
from shoal.search.local.closure import recoding_of
from shoal.search.local.partition import cell_measure
from shoal.search.problem import Problem
from shoal.search.series.cells import separate_cells


def problem(frame: pl.DataFrame) -> tuple[Problem, NDArray[np.int32]]:
    source = read(request(frame, quasi={"age": "ranges", "sex": "sets"}, k=2, seed=1), frame)
    counted = source.engine.count()
    return problem_of(source.job, counted.tally), counted.point_of


def parts_of(points: NDArray[np.int32], labels: NDArray[np.int64]) -> Parts:
    width = int(labels.max()) + 1
    keys, counts = np.unique(points.astype(np.int64) * width + labels, return_counts=True)
    return Parts((keys // width).astype(np.int32), (keys % width).astype(np.int32), counts.astype(np.int64))


def test_no_two_signatures_look_alike(seeds: Callable[[int], range]) -> None:
    parted = 0
    for seed in seeds(60):
        rng = np.random.default_rng(seed)
        frame = pl.DataFrame({"age": rng.integers(20, 30, 60).astype(str), "sex": rng.choice(["F", "M"], 60)})
        asked, points = problem(frame)
        labels, owned = np.argsort(points, kind="stable").argsort() // 3, rng.integers(0, 3, 20)
        parts = parts_of(points, labels)
        measure = cell_measure(asked, "m-invariance")
        before = recoding_of(asked.tally, parts, measure)
        found, same = separate_cells(asked.tally, parts, owned, measure, rng)
        looks: dict[tuple[str | None, ...], set[int]] = {}
        for number, cells in enumerate(found.cells[~same].tolist()):
            shown = tuple(subsets.labels[code] for subsets, code in zip(found.shown, cells, strict=True))
            looks.setdefault(shown, set()).add(int(owned[~same][number]))
        assert all(len(signatures) == 1 for signatures in looks.values())
        assert same.sum() <= 4  # so few kinds of cells that not all can be apart
        parted += len({tuple(row) for row in before.cells.tolist()}) < len({*looks})
    assert parted > 0


def test_the_cheapest_column_is_widened_and_the_largest_class_stays() -> None:
    """A sex more is the whole column, a year of age one part in fifty of it."""
    ages = [*(str(age) for age in range(20, 71)), *["40"] * 8]
    frame = pl.DataFrame({"age": ages, "sex": ["F", "M"] * 25 + ["F"] * 9})
    asked, points = problem(frame)
    labels = np.array([*([0] * 51), 1, 1, 1, 1, 1, 2, 2, 2])
    owned = np.array([0, 1, 2])
    found, same = separate_cells(
        asked.tally, parts_of(points, labels), owned, cell_measure(asked, "m-invariance"), np.random.default_rng(1)
    )
    shown = [
        [subsets.labels[code] for subsets, code in zip(found.shown, row, strict=True)] for row in found.cells.tolist()
    ]
    assert not same.any()
    assert shown[1] == ["40", "F"]
    assert shown[2][1] == "F"
    assert shown[2][0] != "40"
