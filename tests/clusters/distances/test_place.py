from math import pi

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn
from shoal.clusters.distances import Place
from shoal.foundation.errors import SpecError
from shoal.kernels.clusters.metrics import EARTH_RADIUS
from shoal.tables.hierarchies.hierarchy import Label
from tests.clusters.distances.columns import check_metric, codes_of, column, distances

PLACES: list[tuple[Label, Label]] = [("0", "0"), ("90", "0"), ("0", "180"), ("0", "-180"), ("-90", "17"), ("0", "90")]


def columns(places: list[tuple[Label, Label]], weight: float = 1.0) -> list[QuasiColumn]:
    return [
        column([longitude for _, longitude in places], name="east"),
        column([latitude for latitude, _ in places], weight=weight, name="north"),
    ]


def kilometres(places: list[tuple[Label, Label]], recipe: Place, weight: float = 1.0) -> NDArray[np.float64]:
    found = columns(places, weight)
    rows = codes_of(found, [(longitude, latitude) for latitude, longitude in places])
    return distances(recipe.axis(found, 1), found, rows)


def test_ways_are_arcs_of_great_circles() -> None:
    apart = kilometres(PLACES, Place(longitude="east"))
    assert apart[0] / (EARTH_RADIUS * pi) == pytest.approx([0, 1 / 2, 1, 1, 1 / 2, 1 / 2], abs=1e-12)
    assert apart[2, 3] == pytest.approx(0, abs=1e-9)
    assert apart[1, 4] == pytest.approx(EARTH_RADIUS * pi)
    check_metric(apart)


def test_a_way_that_is_known() -> None:
    """Paris to New York, of which other sources say 5837 km."""
    places: list[tuple[Label, Label]] = [("48.8566", "2.3522"), ("40.7128", "-74.0060")]
    assert kilometres(places, Place(longitude="east"))[0, 1] == pytest.approx(5837.4, abs=0.5)
    assert kilometres(places, Place(longitude="east", unit=100), weight=3)[0, 1] == pytest.approx(175.12, abs=0.02)


def test_near_places_are_not_rounded_away() -> None:
    apart = kilometres([("48", "2"), ("48.0000001", "2")], Place(longitude="east"))[0, 1]
    assert apart == pytest.approx(1e-7 * pi / 180 * EARTH_RADIUS, rel=1e-6)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ((None, "2"), "Column 'north' has missing values"),
        (("1", None), "Column 'east' has missing values"),
        (("90.5", "2"), "Column 'north' needs degrees from -90 to 90, as decimal numbers: 1 of its 2 "),
        (("1", "-181"), "Column 'east' needs degrees from -180 to 180, as decimal numbers: 1 of its 2 "),
        (("5 N", "2"), "Column 'north' needs degrees from -90 to 90, as decimal numbers: 1 of its 2 "),
    ],
)
def test_what_is_no_place_is_refused(place: tuple[Label, Label], words: str) -> None:
    with pytest.raises(SpecError, match=words) as caught:
        kilometres([("3", "4"), place], Place(longitude="east"))
    assert "5 N" not in str(caught.value)


def test_the_column_of_longitudes_is_another_one() -> None:
    for name in ("north", "west"):
        with pytest.raises(SpecError, match=f"another quasi column of longitudes: '{name}' is none"):
            kilometres(PLACES, Place(longitude=name))
