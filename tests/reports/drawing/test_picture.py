from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import Release, SpecError
from shoal.reports.drawing.picture import picture
from tests.releases.test_cluster_release import figure_1

NAME = 'a<b>&"c"'
SVG = "{http://www.w3.org/2000/svg}"


def parsed(text: str) -> Any:
    return ET.fromstring(text)  # noqa: S314  (our own text)


def of_class(root: Any, kind: str) -> list[Any]:
    return [element for element in root.iter() if element.get("class") == kind]


def texts(root: Any, kind: str) -> list[str]:
    return [element.text for element in of_class(root, kind)]


@pytest.fixture(scope="module")
def made() -> Release:
    draw = Random(2)  # noqa: S311
    data = pl.DataFrame(
        {
            "age": [draw.randint(20, 70) for _ in range(60)],
            NAME: [draw.randint(0, 9) for _ in range(60)],
            "land": [draw.choice(["<i>", "b&b", "\x01odd"]) for _ in range(60)],
            "ill": ["x"] * 60,
        }
    )
    return shoal.anonymize(data, quasi=["age", NAME, "land"], sensitive=["ill"], k=5, algorithm="mdav")


def test_two_columns_are_shown_with_discs_to_scale() -> None:
    release = figure_1()
    root = parsed(release.plot())
    assert (root.get("width"), root.get("height")) == ("640", "480")
    balls = of_class(root, "ball")
    assert [ball.tag for ball in balls] == [f"{SVG}circle"] * 2
    wide = sorted(float(ball.get("r")) for ball in balls)
    assert wide[1] == pytest.approx(3 * wide[0], abs=0.3)
    assert len(of_class(root, "record")) == 5
    assert len(of_class(root, "centre")) == 2
    assert texts(root, "title") == ["age", "place"]
    assert texts(root, "caption") == ["balls: the radius of each cluster, to scale"]
    for dot in of_class(root, "record"):
        at = np.array([float(dot.get("cx")), float(dot.get("cy"))])
        apart = [np.hypot(*(at - [float(d.get("cx")), float(d.get("cy"))])) - float(d.get("r")) for d in balls]
        assert min(apart) < 0.2
    swapped = parsed(release.plot("place", "age"))
    assert texts(swapped, "title") == ["place", "age"]


def test_more_columns_are_shown_along_their_principal_directions(made: Release) -> None:
    root = parsed(made.plot())
    assert texts(root, "title")[0].startswith("first principal direction (")
    assert "how far the records of a cluster are from its centre in this picture" in texts(root, "caption")[0]
    assert made.run.gathered is not None
    assert len(of_class(root, "ball")) == made.clusters.height
    assert len(of_class(root, "record")) == len(made.run.gathered.distances.clusters)
    assert any(element.text == f"60 records in {made.clusters.height} clusters" for element in root.iter())


def test_text_is_escaped_and_nothing_comes_from_elsewhere(made: Release) -> None:
    drawn = made.plot(NAME, "land")
    root = parsed(drawn)
    assert texts(root, "title") == [NAME, "land"]
    assert {"<i>", "b&b", "odd"} <= set(texts(root, "tick"))
    assert {ball.tag for ball in of_class(root, "ball")} <= {f"{SVG}ellipse", f"{SVG}circle"}
    for word in ("script", "href", "<image", "@import", "http://"):
        assert drawn.count(word) == (1 if word == "http://" else 0)  # the name of SVG itself
    assert [element.tag for element in of_class(root, "legend")] == [f"{SVG}g"] * 4


def test_suppressed_records_and_missing_numbers_have_their_marks() -> None:
    gathered = figure_1().run.gathered
    assert gathered is not None
    distances = gathered.distances
    lonely = replace(distances, clusters=np.where(np.arange(len(distances.clusters)) == 0, -1, distances.clusters))
    root = parsed(picture(lonely, gathered.frame))
    assert len(of_class(root, "suppressed")) == 1
    assert len(of_class(root, "legend")) == 5


def test_many_records_and_clusters_are_thinned_and_that_is_said(monkeypatch: pytest.MonkeyPatch, made: Release) -> None:
    monkeypatch.setattr("shoal.reports.drawing.picture._POINTS", 20)
    monkeypatch.setattr("shoal.reports.drawing.picture._BALLS", 3)
    drawn = made.plot()
    root = parsed(drawn)
    assert len(of_class(root, "record")) == 20
    assert len(of_class(root, "ball")) == 3
    caption = texts(root, "caption")[0]
    assert "20 of " in caption
    assert f"3 of {made.clusters.height} clusters are drawn" in caption
    assert made.plot() == drawn


@pytest.mark.parametrize("values", [[5] * 6, [1, 1, 1, 5, 5, 5]])
def test_one_column_and_one_place_can_be_shown(values: list[int]) -> None:
    data = pl.DataFrame({"a": values, "s": ["x"] * 6})
    root = parsed(shoal.anonymize(data, quasi=["a"], sensitive=["s"], k=3, algorithm="mdav").plot())
    assert len(of_class(root, "ball")) == 2


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (("age", None), "Name two different quasi columns"),
        (("age", "age"), "Name two different quasi columns"),
        (("age", "ill"), "There is no quasi column 'ill'"),
        (("years", "age"), "There is no quasi column 'years'"),
    ],
)
def test_columns_that_cannot_be_shown_are_refused(
    made: Release, columns: tuple[str | None, str | None], words: str
) -> None:
    with pytest.raises(SpecError, match=words):
        made.plot(*columns)


def test_a_picture_is_written_where_asked_but_never_into_a_release(made: Release, tmp_path: Path) -> None:
    made.write(tmp_path / "out")
    assert not list((tmp_path / "out").glob("*.svg"))
    drawn = made.plot(path=tmp_path / "clusters.svg")
    assert (tmp_path / "clusters.svg").read_text(encoding="utf-8") == drawn
    with pytest.raises(SpecError, match="is in the folder of a release"):
        made.plot(path=tmp_path / "out" / "public/clusters.svg")
    with pytest.raises(SpecError, match="Cannot write"):
        made.plot(path=tmp_path / "no" / "clusters.svg")


def test_records_of_a_category_are_spread_and_clusters_tell_their_size() -> None:
    people = pl.DataFrame({"town": ["a", "b", "c"] * 8, "job": ["x", "y"] * 12})
    release = shoal.anonymize(people, quasi=["town", "job"], k=3, algorithm="mdav")
    root = parsed(release.plot("town", "job"))
    places = {(dot.get("cx"), dot.get("cy")) for dot in of_class(root, "record")}
    assert len(places) == len(of_class(root, "record")) > 6  # none hides another; there are six different records
    assert sorted(texts(root, "size")) == sorted(str(size) for size in release.clusters["records"].cast(int))
    assert "spread around" in texts(root, "caption")[0]


def test_many_clusters_have_no_labels() -> None:
    numbers = pl.DataFrame({"x": range(200), "y": range(200)})
    root = parsed(shoal.anonymize(numbers, quasi=["x", "y"], k=2, algorithm="mdav").plot())
    assert of_class(root, "size") == []
    assert len(of_class(root, "legend")) == 3
    assert "spread" not in texts(root, "caption")[0]
