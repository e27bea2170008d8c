"""A large table part by part."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from shoal.classes.grouping import Parts
from shoal.models import DistinctLDiversity, PrivacyModel, TCloseness
from shoal.search.algorithms.tightest import Tightest
from shoal.search.local import tight
from shoal.search.local.fragments import fragments, together
from shoal.search.local.partition import solution_of
from tests.search.searches import Search, random_tally

DIVERSE, CLOSE = DistinctLDiversity(l=2, column="illness"), TCloseness(t=0.4, column="illness")


def contents(parts: Parts) -> list[list[int]]:
    """Return the points of the records of each class."""
    found: list[list[int]] = [[] for _ in range(parts.n_classes)]
    for point, own, count in zip(parts.points.tolist(), parts.classes.tolist(), parts.counts.tolist(), strict=True):
        found[own] += [point] * count
    return [sorted(points) for points in found]


@pytest.mark.parametrize("seed", range(20))
def test_fragments_are_all_of_the_table(seed: int) -> None:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    search = Search.of(random_tally(rng, rng.randint(2, 60)), "ncp", 2)
    tally = search.tally
    whole = search.annealer.records.parts(search.random_label(rng, 2)).filled()
    most = rng.choice([1, 10, 30, 1000])
    found = list(fragments(search.problem, whole, most))
    largest = max(np.bincount(whole.classes, weights=whole.counts))
    for fragment in found:
        own = fragment.problem.tally
        assert own.n_records < most + largest
        assert np.array_equal(own.codes, tally.codes[fragment.points])
        assert np.array_equal(own.profiles, tally.profiles[fragment.points])
        assert np.array_equal(np.bincount(fragment.parts.points, weights=fragment.parts.counts), own.counts)
        assert np.unique(fragment.parts.classes).tolist() == list(range(fragment.parts.n_classes))
    assert sum(fragment.problem.tally.n_records for fragment in found) == tally.n_records
    assert contents(together([(fragment, fragment.parts) for fragment in found])) == contents(whole)
    assert len(found) == 1 or most < 1000


def test_suppressed_records_stay_so() -> None:
    search = Search.of(random_tally(Random(2), 200), "ncp", 2)  # noqa: S311
    whole = search.annealer.records.parts(np.arange(200) // 4)
    found = [
        (fragment, replace(fragment.parts, classes=fragment.parts.classes - 1))
        for fragment in fragments(search.problem, whole, 50)
    ]
    parts = together(found)
    assert len(found) > 2
    assert int(parts.counts[parts.classes < 0].sum()) == 4 * len(found)
    assert parts.n_classes == 50 - len(found)


@pytest.mark.parametrize(
    ("limit", "promise"),
    [
        pytest.param(0, DIVERSE, id="l-0"),
        pytest.param(10, CLOSE, id="t-10"),
        pytest.param(10, DIVERSE, id="l-10", marks=pytest.mark.deep),
        pytest.param(0, CLOSE, id="t-0", marks=pytest.mark.deep),
    ],
)
def test_a_search_of_fragments_is_better_than_its_start_and_keeps_the_promises(
    limit: int, promise: PrivacyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally = random_tally(Random(5), 400, n_columns=4, wide=True)  # noqa: S311
    search = Search.of(tally, "ncp", 3, promise, limit=limit)
    monkeypatch.setattr(tight, "_FRAGMENT", 90)
    start = Tightest(effort=0).solve(search.problem)
    shares: list[float] = []

    def tell(step: str, share: float | None = None) -> None:
        if step.startswith("improving"):
            shares.append(share or 0.0)

    found = Tightest(effort=20).solve(search.problem, tell)
    assert found.loss.total < start.loss.total
    assert found.suppressed <= limit
    assert promise.holds(found.groups).all()
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)
    assert solution_of(search.problem, found.parts).loss.total == pytest.approx(found.loss.total)
