"""What is published for a place, and that it is the place that is measured."""

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.clusters.distances import DistanceSpec, Equal, Number, Place
from shoal.clusters.distances.combination import combined
from shoal.clusters.metric import Metric
from shoal.kernels.clusters.metrics import EARTH
from shoal.tables.hierarchies.hierarchy import Label
from tests.clusters.distances.columns import codes_of, column


def published(metric: Metric, positions: list[list[float]]) -> dict[str, list[Label]]:
    return metric.texts(metric.rounded(np.array(positions, dtype=np.float64)))


def line(records: list[Label], recipe: DistanceSpec | None = None) -> Metric:
    return combined([column(records)], {"q": recipe or Number()})


@pytest.mark.parametrize(
    ("records", "number", "text"),
    [
        (["20", "30"], 25.123456, "25.12"),
        (["20", "30"], 30, "30"),
        (["20", "30"], 24.999999, "25"),
        (["20", "30"], -0.001, "0"),
        (["-100", "100"], 10, "10"),
        (["5.0", "5.00", "7"], 5, "5.0"),
        (["1.25", "2"], 1.33333, "1.3333"),
        (["0.123456789012", "1"], 1 / 3, "0.333333333333"),
        (["0.123456789", "1"], 1 / 3, "0.3333333333"),
        (["1e-20", "3e-20"], 1.6e-20, "0.00000000000000000002"),
        (["1e15", "3e15"], 2e15, "2000000000000000"),
    ],
)
def test_a_number_has_two_decimals_more_than_the_values(records: list[Label], number: float, text: str) -> None:
    metric = line(records)
    rounded = metric.rounded(np.array([[number]]))
    assert metric.texts(rounded) == {"q": [text]}
    assert rounded[0, 0] == float(text)


def test_a_missing_number_is_published_as_missing() -> None:
    assert published(line(["1", "2", None]), [[np.nan, 1.5, 2]]) == {"q": [None, "1.5", "2"]}


def test_a_day_is_published_as_a_day() -> None:
    metric = line(["2024-01-01", "2024-01-04 12:30:00", None])
    first = metric.axes[0].leaves[0][0]
    assert published(metric, [[first, first + 1.4, first + 3, np.nan]]) == {
        "q": ["2024-01-01", "2024-01-02", "2024-01-04", None]
    }
    metric = line(["01.02.2024", "11.02.2024"], Number(format="%d.%m.%Y"))
    assert published(metric, [[metric.axes[0].leaves[0].mean()]]) == {"q": ["06.02.2024"]}


def test_columns_keep_their_order() -> None:
    columns = [
        column(["2.5", "3"], name="east"),
        column(["f", "m"], name="sex"),
        column(["48", "49"], name="north"),
    ]
    metric = combined(columns, {"sex": Equal(), "north": Place(longitude="east")})
    assert [axis.columns for axis in metric.axes] == [(1,), (2, 0)]
    codes = codes_of(columns, [("2.5", "m", "49"), ("3", "f", "48")])
    texts = metric.texts(metric.rounded(metric.positions(codes)))
    assert texts == {"east": ["2.5", "3"], "sex": ["m", "f"], "north": ["49", "48"]}
    assert list(texts) == ["east", "sex", "north"]


def _earth(north: list[Label], east: list[Label]) -> tuple[Metric, NDArray[np.float64]]:
    columns = [column(north, name="north"), column(east, name="east")]
    metric = combined(columns, {"north": Place(longitude="east")})
    return metric, metric.positions(codes_of(columns, list(zip(north, east, strict=True))))


def test_a_place_that_is_a_record_is_told_as_it_was_written() -> None:
    north: list[Label] = ["48.137154000000004", "-33.86", "90", "0.00000000001", "0"]
    east: list[Label] = ["11.576124", "151.2099000", "180", "-180", "0.0"]
    metric, positions = _earth(north, east)
    assert metric.axes[0].kind == EARTH
    assert metric.axes[0].decimals == 10
    rounded = metric.rounded(positions)
    assert metric.texts(rounded)["north"][:3] == north[:3]
    assert metric.texts(rounded)["east"] == east
    np.testing.assert_allclose(rounded[:, :3], positions[:, :3], rtol=0, atol=1e-15)


def test_a_place_between_records_is_rounded() -> None:
    metric, positions = _earth(["10", "20"], ["30", "30"])
    middle = positions.mean(axis=1, keepdims=True)
    rounded = metric.rounded(middle / np.sqrt((middle**2).sum()))
    assert metric.texts(rounded) == {"north": ["15"], "east": ["30"]}
    assert metric.texts(metric.rounded(rounded)) == metric.texts(rounded)
    assert (rounded**2).sum() == pytest.approx(1)
