"""A large table part by part."""

from random import Random

import numpy as np
import pytest

from shoal.algorithms import tightest
from shoal.algorithms.tightest import Tightest
from shoal.grouping import Parts
from shoal.models import DistinctLDiversity, PrivacyModel, TCloseness
from shoal.spaces.fragments import fragments, together
from shoal.spaces.partition import solution_of
from tests.spaces.searches import Search, random_tally


@pytest.mark.parametrize("seed", range(20))
def test_fragments_are_all_of_the_table(seed: int) -> None:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    tally = random_tally(rng, rng.randint(2, 300))
    problem = Search.of(tally, "ncp", 2, DistinctLDiversity(l=1, column="illness")).problem
    most = rng.choice([10, 50, 1000])
    found = list(fragments(problem, most))
    for fragment in found:
        own = fragment.problem.tally
        assert own.n_records >= min(most // 2, tally.n_records)
        assert np.array_equal(own.codes, tally.codes[fragment.points])
        assert np.array_equal(own.profiles, tally.profiles[fragment.points])
        assert np.array_equal(own.counts, tally.counts[fragment.points])
        assert fragment.problem.k == problem.k
    points = np.concatenate([fragment.points for fragment in found])
    assert sorted(points.tolist()) == list(range(tally.n_points))
    assert len(found) == 1 or tally.n_records > most


def test_the_classes_of_all_fragments_stand_side_by_side() -> None:
    tally = random_tally(Random(2), 200, n_columns=4, wide=True)  # noqa: S311
    problem = Search.of(tally, "ncp", 2).problem
    found = []
    for fragment in fragments(problem, 50):
        classes = np.arange(fragment.problem.tally.n_points, dtype=np.int32) // 2
        classes[-1] = -1  # suppressed
        found.append((fragment, Parts.whole(fragment.problem.tally, classes)))
    parts = together(found)
    assert len(found) > 2
    assert parts.n_classes == sum(own.n_classes for _, own in found)
    assert (parts.classes < 0).sum() == len(found)
    assert np.array_equal(np.sort(parts.points), np.arange(tally.n_points))
    assert np.array_equal(parts.counts, tally.counts[parts.points])


@pytest.mark.parametrize("limit", [0, 10])
@pytest.mark.parametrize(
    "promise", [DistinctLDiversity(l=2, column="illness"), TCloseness(t=0.4, column="illness")], ids=["l", "t"]
)
def test_a_search_of_fragments_is_better_than_its_start_and_keeps_the_promises(
    limit: int, promise: PrivacyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally = random_tally(Random(5), 400, n_columns=4, wide=True)  # noqa: S311
    search = Search.of(tally, "ncp", 3, promise, limit=limit)
    monkeypatch.setattr(tightest, "_FRAGMENT", 90)
    assert len(list(fragments(search.problem, 90))) > 2
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
