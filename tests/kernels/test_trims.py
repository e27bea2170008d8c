"""Records that cost their class more than suppressing them, one by one."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.trims import drop, find_leavers
from shoal.models import DistinctLDiversity, PrivacyModel
from tests.spaces.searches import MEASURE_NAMES, Search, passing, random_tally

PROMISES: list[tuple[PrivacyModel, ...]] = [(), (DistinctLDiversity(l=2, column="illness"),)]


@settings(max_examples=80)
@given(seed=st.integers(0, 10**6), measure=st.sampled_from(MEASURE_NAMES), models=st.sampled_from(PROMISES))
def test_the_record_that_saves_most(seed: int, measure: str, models: tuple[PrivacyModel, ...]) -> None:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    search = Search.of(random_tally(rng, rng.randint(4, 40)), measure, 2, *models)
    annealer, full = search.annealer, search.forms.full
    label = search.random_label(rng, 2)
    classes = annealer.classes(label)
    n_groups = len(classes.groups)
    best, savings = np.zeros(n_groups, dtype=np.int64), np.zeros(n_groups)
    find_leavers(annealer.columns, classes, search.screens, 2, full, best, savings)
    loss, kept = search.loss(label), passing(search, classes)
    for c in range(n_groups):
        mine = np.flatnonzero(label == c)
        saved = []
        for i in mine if len(mine) > 2 else ():
            without = label.copy()
            without[i] = -1
            saved.append(loss - search.loss(without))
        most = max(saved, default=0.0)
        if savings[c] > 0:
            assert savings[c] == pytest.approx(most, abs=1e-9)
            assert best[c] in mine
        else:
            assert most <= 1e-9 or models
    chosen = best[savings > 0]
    drop(classes, chosen)
    after = np.array(classes.records["label"])
    assert np.flatnonzero(after < 0).tolist() == sorted(chosen.tolist())
    assert search.loss(after) == pytest.approx(loss - savings.sum(), abs=1e-9)
    assert all(passing(search, classes)) or not all(kept)
    sizes = classes.groups["size"]
    assert sizes[sizes > 0].min() >= 2
