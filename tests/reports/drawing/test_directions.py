import numpy as np
import pytest

from shoal.clusters.centre_distances import numbers_of
from shoal.reports.drawing.directions import principal
from tests.clusters.test_centre_distances import random_codes, random_metric


@pytest.mark.parametrize("kinds", [["number"], ["number"] * 4, ["equal", "number"], ["earth"], ["holed", "table"]])
def test_directions_are_those_of_the_most_variance(kinds: list[str]) -> None:
    metric = random_metric(kinds, 4, squares=True)
    codes = random_codes(metric, 50, 1)
    texts = {c.name: [c.hierarchy.values[code] for code in codes[:, j]] for j, c in enumerate(metric.columns)}
    numbers = numbers_of(metric, texts)
    found = principal(metric, numbers, {j: row[:3] for j, row in numbers.items()}, np.ones(50, dtype=np.int64))
    assert found.records.shape == (2, 50)
    np.testing.assert_allclose(found.centres, found.records[:, :3], atol=1e-9)
    assert 1 + 1e-9 >= found.shares[0] >= found.shares[1] >= 0
    assert found.records[0].var() >= found.records[1].var() - 1e-9
    if kinds == ["number"] * 4:
        plain = np.stack([numbers[j] * metric.axes[j].weight for j in range(4)])
        values = np.linalg.eigvalsh(np.cov(plain, bias=True))[::-1]
        assert found.records.var(axis=1).tolist() == pytest.approx(values[:2].tolist())
        assert found.shares[0] == pytest.approx(values[0] / values.sum())


def test_records_count_as_often_as_they_are_there() -> None:
    metric = random_metric(["number", "number"], 4, squares=True)
    codes = random_codes(metric, 6, 1)
    texts = {c.name: [c.hierarchy.values[code] for code in codes[:, j]] for j, c in enumerate(metric.columns)}
    numbers = numbers_of(metric, texts)
    counts = np.array([3, 1, 1, 2, 1, 1])
    often = {j: np.repeat(row, counts) for j, row in numbers.items()}
    one = principal(metric, numbers, numbers, counts)
    other = principal(metric, often, often, np.ones(counts.sum(), dtype=np.int64))
    np.testing.assert_allclose(np.repeat(one.records, counts, axis=1), other.records, atol=1e-9)
