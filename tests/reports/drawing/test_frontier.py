from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from shoal.reports.drawing.frontier import Point, frontier_picture
from shoal.reports.drawing.label_placement import LabelBox, label_boxes

LIMIT = Fraction("0.09")


def drawn(points: list[Point], **more: Any) -> Any:
    return ET.fromstring(frontier_picture(points, "lm", LIMIT, **more))  # noqa: S314  (our own text)


def of_class(root: Any, kind: str) -> list[Any]:
    return [part for part in root.iter() if part.get("class") == kind]


def texts(root: Any, kind: str) -> list[str]:
    return [part.text for part in of_class(root, kind)]


def box(part: Any) -> LabelBox:
    """Return where a text is, by the width of wide letters."""
    size = float(part.get("font-size"))
    wide, x, y = 0.6 * size * len(part.text), float(part.get("x")), float(part.get("y"))
    left = {"start": x, "middle": x - wide / 2, "end": x - wide}[part.get("text-anchor")]
    return LabelBox(left, y - 0.8 * size, left + wide, y + 0.2 * size)


def some(n: int, seed: int = 1) -> list[Point]:
    draw = Random(seed)  # noqa: S311
    algorithms = ["optimal", "mondrian", "tightest", "mdav"]
    return [
        Point(draw.choice(algorithms), f"k {i}, up to 5%", draw.randrange(1, 90), draw.random(), draw.random() < 0.3)
        for i in range(n)
    ]


def test_points_stand_by_risk_and_loss_and_the_undominated_are_joined() -> None:
    points = [
        Point("optimal", "k 2", 2, 0.2, True),
        Point("optimal", "k 10", 10, 0.4, True),
        Point("mondrian", "k 10", 10, 0.8, False),
        Point("mondrian", "k 50", 50, 0.5, True),
    ]
    root = drawn(points, failed=2)
    frontier = of_class(root, "joined")
    assert len(frontier) == 1
    places = [tuple(map(float, pair.split())) for pair in frontier[0].get("d")[1:].split("L")]
    assert [x for x, _ in places] == sorted(x for x, _ in places)  # from low to high risk
    assert [y for _, y in places] == sorted(y for _, y in places)  # and from high to low loss
    assert len(of_class(root, "undominated")) == 3 + 3  # with the legend
    assert len(of_class(root, "dominated")) == 1 + 1
    assert texts(root, "label") == ["k 2", "k 10", "k 50", "k 10"]
    assert texts(root, "legend") == [
        "optimal",
        "mondrian",
        "filled: no other beats it",
        "open: another beats it",
        "the frontier",
        "risk 0.09",
    ]
    assert texts(root, "caption") == ["2 settings have no release"]
    assert {"0.5", "1 in 2", "0.1", "1 in 10", "0.02", "1 in 50"} <= set(texts(root, "tick"))
    assert "loss by lm" in texts(root, "title")


def test_settings_that_keep_different_promises_are_joined_apart() -> None:
    points = [
        Point("optimal", "", size, loss, True, kept)
        for size, loss, kept in [(2, 0.1, 0), (9, 0.3, 0), (2, 0.4, 1), (9, 0.6, 1)]
    ]
    assert len(of_class(drawn(points), "joined")) == 2


@pytest.mark.parametrize("n", [1, 12, 40, 150])
def test_no_text_lies_over_another(n: int) -> None:
    root = drawn(some(n), failed=1)
    parts = [part for part in root.iter() if part.get("class") in ("label", "tick", "caption") and part.text]
    upright = [part for part in of_class(root, "title") if part.text.startswith("highest")]
    for one, other in combinations([*parts, *upright], 2):
        assert not box(one).overlaps(box(other)), (one.text, other.text)
    assert len(of_class(root, "label")) <= n
    if n <= 12:
        assert "left out" not in texts(root, "caption")[0]
        assert len(of_class(root, "label")) == n
    if n == 150:
        assert "labels left out for want of room" in texts(root, "caption")[0]


def test_points_at_one_place_stand_side_by_side_with_one_label() -> None:
    points = [Point(f"algorithm {i}", label, 5, 0.5, True) for i, label in enumerate(["k 5", "k 5", "k 4", "k 3"])]
    root = drawn(points)
    assert texts(root, "label") == ["k 5; k 4; 1 more"]
    assert texts(root, "caption") == ["marks side by side stand for one place"]
    assert len({mark.get("transform") for mark in of_class(root, "undominated")[:4]}) == 4


def test_marks_differ_in_shape_and_colour() -> None:
    root = drawn([Point(f"algorithm {i}", "", 5, i / 60, False) for i in range(56)])
    shapes = {(mark.get("d"), mark.get("stroke")) for mark in of_class(root, "dominated")}
    assert len(shapes) == 56


@pytest.mark.parametrize(
    "points", [[], [Point("optimal", "k 1", 1, 0.0, True)], [Point("a<b>&\x01", "k\x00 <1>", 10**6, 1.0, True)] * 3]
)
def test_corners(points: list[Point]) -> None:
    assert drawn(points).get("width") == "900"


def test_a_label_takes_the_nearest_place_that_is_free() -> None:
    page = LabelBox(0, 0, 100, 40)
    first, second = label_boxes([(20, 20), (20, 20)], ["abc", "abc"], page, [], 10)
    assert first is not None
    assert second is not None
    assert first.left > 20
    assert not first.overlaps(second)
    assert label_boxes([(20, 20)], ["a" * 40], page, [], 10) == [None]
