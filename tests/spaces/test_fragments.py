"""A large table part by part."""

from random import Random

import numpy as np
import pytest

from shoal.algorithms import tightest
from shoal.algorithms.tightest import Tightest
from shoal.grouping import Parts
from shoal.models import DistinctLDiversity
from shoal.spaces.fragments import fragments, together
from shoal.spaces.partition import solution_of
from tests.spaces.searches import Search, random_tally


def contents(parts: Parts) -> list[list[int]]:
    """Return the points of the records of each class, whatever its number."""
    found: list[list[int]] = [[] for _ in range(parts.n_classes)]
    for point, own, count in zip(parts.points.tolist(), parts.classes.tolist(), parts.counts.tolist(), strict=True):
        found[own] += [point] * count
    return sorted(sorted(points) for points in found)


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
    assert sum(fragment.problem.tally.n_records for fragment in found) == tally.n_records
    again = together([(fragment, fragment.parts) for fragment in found])
    assert contents(again) == contents(whole)
    if most == 1000:
        assert len(found) == 1


@pytest.mark.parametrize("limit", [0, 10])
def test_a_search_of_fragments_is_no_worse_than_its_start_and_keeps_the_promises(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    promise = DistinctLDiversity(l=2, column="illness")
    tally = random_tally(Random(5), 400, n_columns=4)  # noqa: S311
    search = Search.of(tally, "ncp", 3, promise, limit=limit)
    start = Tightest(effort=0).solve(search.problem)
    monkeypatch.setattr(tightest, "_FRAGMENT", 90)
    shares: list[float] = []
    found = Tightest(effort=20).solve(
        search.problem,
        lambda step, share=None: shares.append(share or 0.0) if step.startswith("improving") else None,
    )
    assert found.loss.total < start.loss.total
    assert found.suppressed <= limit
    assert promise.holds(found.groups).all()
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)
    assert solution_of(search.problem, found.parts).loss.total == pytest.approx(found.loss.total)
