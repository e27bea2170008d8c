"""Parts of classes that cost more there than if they are suppressed."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.local.classes import GROUP
from shoal.kernels.local.trims import drop_parts, find_leavers
from shoal.search.local.layout import laid_out
from tests.search.searches import MEASURE_NAMES, Search, random_tally


@settings(max_examples=80)
@given(seed=st.integers(0, 10**6), measure=st.sampled_from(MEASURE_NAMES))
def test_the_part_that_saves_most(seed: int, measure: str) -> None:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    search = Search.of(random_tally(rng, rng.randint(4, 40)), measure)
    annealer, full, least = search.annealer, search.forms.full * rng.random(), rng.randint(1, 4)
    n = len(annealer.records.codes)
    counts = np.array([rng.randint(1, 3) for _ in range(n)])
    groups = np.zeros(rng.randint(1, n), dtype=GROUP)
    label = np.array([rng.randrange(len(groups)) for _ in range(n)])
    groups["capacity"], groups["least"] = np.bincount(label, minlength=len(groups)), 1
    zeros = np.zeros(n, dtype=np.int32)
    weights = counts * np.array([rng.randint(1, 3) for _ in range(n)]) if rng.random() < 0.5 else counts
    classes = laid_out(annealer.columns, annealer.states, np.arange(n), zeros, label, groups, weights)
    open_classes = np.array([rng.random() < 0.8 for _ in groups])
    best, savings = np.zeros(len(groups), dtype=np.int64), np.zeros(len(groups))
    find_leavers(annealer.columns, classes, counts, open_classes, least, full, best, savings)

    def paid(parts: list[int]) -> float:
        return int(weights[parts].sum()) * search.prices([parts])[0]

    for c in range(len(groups)):
        mine = np.flatnonzero(label == c).tolist()
        saved = {}
        for part in mine if open_classes[c] else ():
            rest = [other for other in mine if other != part]
            if rest and counts[rest].sum() >= least:
                saved[part] = (paid(mine) - paid(rest) - weights[part] * full) / counts[part]
        most = max(saved.values(), default=0.0)
        assert savings[c] == pytest.approx(max(most, 0.0), abs=1e-9)
        assert savings[c] <= 1e-9 or saved[int(best[c])] == pytest.approx(most)
    chosen = best[savings > 1e-9]
    drop_parts(classes, chosen)
    after = classes.records["label"]
    assert np.flatnonzero(after < 0).tolist() == sorted(chosen.tolist())
    for c in np.flatnonzero(groups["size"]).tolist():
        assert groups["price"][c] == pytest.approx(search.prices([np.flatnonzero(after == c).tolist()])[0])
