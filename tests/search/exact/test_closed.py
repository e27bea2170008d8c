"""Closed patterns with their kinds: every class lies in one that costs what the class does."""

from random import Random

import numpy as np
import pytest

from shoal.foundation.errors import SpecError
from shoal.search.exact import closed
from shoal.search.exact.closed import Closed
from shoal.search.exact.kinds import Kinds
from tests.search.searches import Search, random_tally


@pytest.mark.parametrize("forms", [("tree",), ("tree", "ranges", "numbers", "sets")], ids=["trees", "all"])
@pytest.mark.parametrize("seed", range(15))
def test_every_class_has_its_pattern(seed: int, forms: tuple[str, ...]) -> None:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    k = rng.randint(1, 3)
    tally = random_tally(rng, rng.randint(4, 12), forms=forms, n_columns=3, size=5)  # type: ignore[arg-type]
    search = Search.of(tally, rng.choice(["ncp", "nonuniform-entropy", "tree"]), k)
    kinds = Kinds.of(search.problem)
    found = Closed.of(search.problem, search.forms, kinds, k, "exact")
    assert found is not None
    codes = search.annealer.records.codes
    place_of = {tuple(row): place for place, row in enumerate(codes.tolist())}
    places = [place_of[tuple(row)] for row in kinds.codes.tolist()]
    inside = [set(found.members[a:b].tolist()) for a, b in zip(found.begins, found.begins[1:], strict=False)]
    assert len({frozenset(own) for own in inside}) == len(inside)
    prices = search.prices([sorted({places[kind] for kind in own}) for own in inside])
    assert found.prices.tolist() == pytest.approx(prices)
    assert all(kinds.counts[list(own)].sum() >= k for own in inside)
    for _ in range(20):
        own = set(rng.sample(range(len(kinds)), rng.randint(1, len(kinds))))
        if kinds.counts[list(own)].sum() >= k:
            price = search.prices([sorted({places[kind] for kind in own})])[0]
            assert min(found.prices[p] for p in range(len(found)) if own <= inside[p]) == pytest.approx(price)


def test_too_many_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOST_MEMBERS", "MOST_CLOSURES"):
        monkeypatch.setattr(closed, name, 3)
    for forms in (("tree",), ("ranges",)):
        tally = random_tally(Random(3), 12, forms=forms, n_columns=3, size=5, wide=True)  # noqa: S311
        search = Search.of(tally, "ncp", 2)
        with pytest.raises(SpecError, match=r"too many closed patterns for the algorithm 'exact'.*Use fewer"):
            Closed.of(search.problem, search.forms, Kinds.of(search.problem), 2, "exact")
        assert Closed.of(search.problem, search.forms, Kinds.of(search.problem), 2, "exact", deadline=0.0) is None


def test_members_may_be_left_out() -> None:
    listed = Closed(np.array([1.0, 2.0, 3.0]), np.array([0, 2, 3, 5]), np.array([0, 1, 1, 0, 2]))
    assert listed.owners.tolist() == [0, 0, 1, 2, 2]
    some = listed.only(np.array([False, True, False, True, True]))
    assert some.prices.tolist() == [1.0, 3.0]
    assert some.begins.tolist() == [0, 1, 3]
    assert some.members.tolist() == [1, 0, 2]
