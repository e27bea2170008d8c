"""Pictures of the pages: each is what its function draws, says what it shows, and needs nothing else."""

import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from docs.site.contents import DOCS
from docs.site.pictures.chart import ChartAxis, Curve, chart
from docs.site.pictures.draw import MEASURED, PICTURES

LONG = {"loss-against-k"}  # some settings of a search that takes seconds
FILES = sorted((DOCS / "pictures").glob("*.svg"))


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.deep] if name in LONG else []) for name in PICTURES if name not in MEASURED],
)
def test_a_picture_is_what_its_function_draws(name: str) -> None:
    assert (DOCS / "pictures" / f"{name}.svg").read_text(encoding="utf-8") == PICTURES[name]()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_picture_says_what_it_shows_and_fetches_nothing(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    root = ET.fromstring(text)  # noqa: S314  (our own)
    assert [one.tag.rpartition("}")[2] for one in root][:2] == ["title", "desc"]
    assert not re.search(r"href|<image|<script|url\((?!#)", text)


def test_a_chart_places_points_on_logarithmic_axes() -> None:
    drawn = chart(
        "T", "w", ChartAxis("n", log=True), ChartAxis("s", log=True), [Curve("a", ((1, 1), (10, 10), (100, 100)))]
    )
    places = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', drawn)
    assert places == [("60.0", "250.0"), ("235.0", "145.0"), ("410.0", "40.0")]


def test_labels_of_curves_do_not_touch() -> None:
    curves = [Curve(name, ((1, 1), (2, 5 + shift))) for name, shift in (("a", 0.0), ("b", 0.01), ("c", 0.02))]
    drawn = chart("T", "w", ChartAxis("n"), ChartAxis("s"), curves)
    heights = sorted(
        float(found)
        for found in re.findall(r'x="418.0" y="([\d.]+)"', drawn)
        or re.findall(r'<text fill="#\w+" x="[\d.]+" y="([\d.]+)"', drawn)
    )
    assert len(heights) == 3
    assert all(other - one >= 13 for one, other in pairwise(heights))
