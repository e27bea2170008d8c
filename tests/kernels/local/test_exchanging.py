"""Exchanges of two records, against closures and losses computed from the definition."""

from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.kernels.local.closures import Forms
from shoal.kernels.local.exchanging import close_members, exchange_alike, join_prices, own_prices
from shoal.search.local.states import encoding_of
from tests.search.tallies import forms_by, price, random_tally


def test_prices_and_exchanges(seeds: Callable[[int], range]) -> None:
    changed = 0
    for seed in seeds(60):
        rng = Random(seed)  # noqa: S311  (tables, not secrets)
        tally = random_tally(rng, 24, 3, 6)
        forms = forms_by(tally, "lm")
        encoding = encoding_of(tally.quasi, forms)
        states, n = encoding.states(tally.codes), tally.n_points
        label = np.array([rng.randrange(4) for _ in range(n)], dtype=np.int64)
        members = np.argsort(label, kind="stable")
        offsets = np.searchsorted(label[members], np.arange(5)).astype(np.int64)
        closed = close_members(encoding.columns, states, offsets, members)
        prices = own_prices(encoding.columns, closed)
        for c in np.unique(label).tolist():
            own = price(forms, tally.codes[label == c])
            assert prices[c] == pytest.approx(own)
            more = join_prices(encoding.columns, closed[[c]], states, prices[[c]])
            both = [price(forms, np.vstack([tally.codes[label == c], tally.codes[[i]]])) for i in range(n)]
            assert more[0].tolist() == pytest.approx([one - own for one in both], abs=1e-9)
        pool = np.array([rng.randrange(-1, 2) for _ in range(n)], dtype=np.int64)
        rank = np.array(rng.sample(range(n), n), dtype=np.int64)
        queue = np.array(
            sorted((i for i in range(n) if pool[i] >= 0), key=lambda i: (pool[i], rank[i])), dtype=np.int64
        )
        starts = np.searchsorted(pool[queue], np.arange(3)).astype(np.int64)
        place = np.empty(n, dtype=np.int64)
        place[members] = np.arange(n)
        before, loss = label.copy(), _loss(forms, tally.codes, label)
        arrays = label, offsets, members, prices, rank, pool, starts, queue, place
        done = exchange_alike(encoding.columns, states, *arrays, seed, 6)
        changed += done
        after = _loss(forms, tally.codes, label)
        assert after < loss if done else after == loss
        assert float(prices @ np.diff(offsets)) == pytest.approx(after)
        assert label[members].tolist() == before[np.argsort(before, kind="stable")].tolist()
        assert (label[pool < 0] == before[pool < 0]).all()
        for own in (0, 1):
            assert sorted(label[pool == own]) == sorted(before[pool == own])
    assert changed > 0


def _loss(forms: Forms, codes: NDArray[np.int32], label: NDArray[np.int64]) -> float:
    return sum(float((label == c).sum()) * price(forms, codes[label == c]) for c in np.unique(label).tolist())
