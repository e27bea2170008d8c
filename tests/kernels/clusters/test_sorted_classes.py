"""Runs of sorted numbers against their plain twin."""

import numpy as np
import pytest

from shoal.kernels.clusters.sorted_classes import fill_run_starts


@pytest.mark.parametrize("seed", range(20))
def test_as_the_plain_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 5))
    values = np.sort(rng.integers(0, 50, int(rng.integers(k, 25))).astype(np.float64))
    best = [0.0] + [np.inf] * len(values)
    for end in range(k, len(values) + 1):
        best[end] = min(best[i] + float(values[i:end].var() * (end - i)) for i in range(end - k + 1))
    starts = np.zeros(len(values) + 1, dtype=np.int64)
    assert fill_run_starts(values, k, starts) == pytest.approx(best[-1], abs=1e-9)
    end, total = len(values), 0.0
    while end > 0:
        total += float(values[starts[end] : end].var() * (end - starts[end]))
        assert end - starts[end] >= k
        end = int(starts[end])
    assert total == pytest.approx(best[-1], abs=1e-9)
