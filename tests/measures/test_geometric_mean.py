import pytest

from shoal.measures import GeometricMean
from tests.measures.build import build
from tests.measures.oracle import lm, per_cell
from tests.measures.papers import figure_5


def test_it_is_the_mean_of_the_factors_of_the_columns() -> None:
    release = figure_5(1, 1, 0)
    shares = [per_cell(lm)(release.only(number)) / 10 for number in range(3)]
    loss = build(release).loss(GeometricMean())
    assert loss.total == pytest.approx(((1 + shares[0]) * (1 + shares[1]) * (1 + shares[2])) ** (1 / 3) - 1)
    assert list(loss.columns.values()) == pytest.approx(shares)
    assert loss.total <= sum(shares) / 3


def test_nothing_released_loses_all() -> None:
    loss = build(figure_5(1, 1, 1).nothing()).loss(GeometricMean())
    assert loss.total == pytest.approx(1)
    assert loss.share == pytest.approx(1)
