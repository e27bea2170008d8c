"""A table is cut into boxes that hold every row once, are small, even, and keep every promise as one class."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from shoal.classes.tally import QuasiColumn, SensitiveColumn, Tally
from shoal.foundation.errors import InfeasibleError
from shoal.measures import Lm
from shoal.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, PrivacyModel, TCloseness
from shoal.search.problem import Problem
from shoal.search.regions.box import box_numbers
from shoal.search.regions.coarse import CoarseTally
from shoal.search.regions.cutting import TableRegion
from shoal.search.removal import removal_of
from shoal.tables.hierarchies import Ranges, Sets
from shoal.tables.hierarchies.hierarchy import Hierarchy
from tests.search.regions.in_memory import block_of, part, regions
from tests.search.tallies import random_tally


def tree(n_leaves: int, widths: tuple[int, ...] = (3, 12)) -> Hierarchy:
    rows = [(f"{leaf:03}", *(f"{w}-{leaf // w}" for w in widths), "*") for leaf in range(n_leaves)]
    return Hierarchy.of_rows(rows, "tree")


def table(n: int, hierarchies: list[Hierarchy], shares: tuple[float, ...] = (0.5, 0.3, 0.2), seed: int = 1) -> Tally:
    """Return records with one sensitive column, whose values lean on the first quasi column."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, h.n_leaves, n).astype(np.int32) for h in hierarchies]
    ill = np.minimum(
        rng.choice(len(shares), n, p=shares) + (codes[0] > 3 * hierarchies[0].n_leaves // 4), len(shares) - 1
    )
    points, counts = np.unique(np.column_stack([*codes, ill]), axis=0, return_counts=True)
    quasi = tuple(
        QuasiColumn(f"q{j}", h, np.bincount(codes[j], minlength=h.n_leaves)) for j, h in enumerate(hierarchies)
    )
    return Tally(
        quasi,
        (SensitiveColumn("ill", tuple("abc"[: len(shares)])),),
        np.ascontiguousarray(points[:, :-1]).astype(np.int32),
        points[:, -1].astype(np.int32),
        np.arange(len(shares), dtype=np.int32)[:, None],
        counts.astype(np.int64),
    )


def check(problem: Problem, found: list[TableRegion], most: int) -> None:
    """Check that the boxes hold every point once, with the numbers that are told, and keep the promises."""
    block = block_of(problem)
    inside = np.array([region.box.holds(block.positions) for region in found])
    assert (inside.sum(axis=0) == 1).all()
    numbers = box_numbers([region.box for region in found], block.positions)
    assert inside[numbers, np.arange(len(numbers))].all()
    for region, own in zip(found, inside, strict=True):
        assert (region.rows, region.records) == (own.sum(), problem.tally.counts[own].sum())
        removal = removal_of(part(problem, region.box))
        assert removal is not None
        assert removal.n_records <= int(problem.max_suppressed * region.records)
    if len(problem.models) == 1:
        assert all(region.rows <= most for region in found)


@pytest.mark.parametrize("most", [10, 60, 400])
def test_boxes_are_small_and_even(most: int) -> None:
    numbers = Ranges().build([str(value) for value in range(50)], "numbers")
    names = Sets().build([f"v{value}" for value in range(6)], "names")
    problem = Problem(table(3_000, [tree(36), tree(24), numbers, names]), (KAnonymity(k=3),), Lm())
    found = regions(problem, most)
    check(problem, found, most)
    assert len(found) <= 4 * problem.tally.n_points / most
    assert found == regions(problem, most)


def test_any_table_is_cut(seeds: Callable[[int], range]) -> None:
    for seed in seeds(60):
        rng = Random(seed)  # noqa: S311
        problem = Problem(random_tally(rng, rng.randint(2, 80), 4, 9), (KAnonymity(k=2),), Lm())
        if problem.tally.n_records < 2:
            continue
        check(problem, regions(problem, 10**9), 10**9)
        assert len(regions(problem, 10**9)) == 1
        check(replace(problem, models=(KAnonymity(k=2), KAnonymity(k=1))), regions(problem, 1), 1)


@pytest.mark.parametrize(
    ("model", "limit"),
    [
        (DistinctLDiversity(l=3, column="ill"), Fraction(0)),
        (TCloseness(t=Fraction(1, 8), column="ill"), Fraction(0)),
        (FrequencyLDiversity(l=2, column="ill"), Fraction(1, 10)),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_each_side_of_a_cut_keeps_the_promises(model: PrivacyModel, limit: Fraction) -> None:
    whole = table(2_000, [tree(36), tree(12)])
    problem = Problem(whole, (KAnonymity(k=5), model), Lm(), limit)
    found = regions(problem, 40)
    check(problem, found, 40)
    assert len(found) > 4
    plain = regions(Problem(whole, (KAnonymity(k=5),), Lm()), 40)
    if isinstance(model, TCloseness):
        assert [region.box for region in plain] != [region.box for region in found]


def test_what_the_whole_table_does_not_keep_is_told() -> None:
    whole = table(200, [tree(12)], (0.9, 0.1))
    problem = Problem(whole, (KAnonymity(k=2), FrequencyLDiversity(l=2, column="ill")), Lm(), Fraction(1, 100))
    with pytest.raises(InfeasibleError, match="frequency-l-diversity"):
        regions(problem, 20)


def test_bins_are_few_and_follow_the_tree() -> None:
    whole = table(500, [tree(36)] * 3)
    box = regions(Problem(whole, (KAnonymity(k=2),), Lm()), 10**6)[0].box
    coarse = CoarseTally.of(box, whole.quasi, 3, most=300)
    sizes = [len(starts) for starts in coarse.starts]
    assert np.prod(sizes) <= 300
    assert min(sizes) > 2
    assert all({0, 12, 24} <= set(starts.tolist()) for starts in coarse.starts)
