from dataclasses import replace

import pytest
from hypothesis import given

from shoal.measures import Precision, RelativeDistance
from tests.measures.build import build
from tests.measures.oracle import PlainRelease
from tests.measures.papers import figure_5
from tests.measures.tables import patient, releases


def test_the_share_is_one_minus_the_mean_over_cells() -> None:
    loss = build(figure_5(1, 1, 0)).loss(Precision())
    assert loss.share == pytest.approx(12 / 30)
    assert loss.columns == pytest.approx({"zip": 0.55, "marital status": 0.55, "sex": 0.1})
    assert loss.total == pytest.approx(1.2)


@patient
@given(release=releases())
def test_it_has_the_share_of_the_relative_distance(release: PlainRelease) -> None:
    built = build(release)
    assert built.loss(Precision()).share == pytest.approx(built.loss(RelativeDistance()).share)


def test_weights_weigh_the_columns_in_the_mean() -> None:
    release = figure_5(1, 1, 0)
    weighed = replace(release, columns=tuple(replace(column, weight=2.0) for column in release.columns))
    assert build(weighed).loss(Precision()).share == pytest.approx(12 / 30)
    heavy = replace(release, columns=(replace(release.columns[0], weight=4.0), *release.columns[1:]))
    assert build(heavy).loss(Precision()).share == pytest.approx((4 * 0.55 + 0.55 + 0.1) / 6)
