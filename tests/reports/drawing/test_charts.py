"""Charts: what they contain, at the right length, in well-formed SVG."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.reports.drawing.charts import WIDTH, against, bars, curve, percent
from shoal.reports.levels import lattice

SVG = "{http://www.w3.org/2000/svg}"


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314


def widths(picture: ET.Element) -> list[float]:
    return [float(one.attrib["width"]) for one in picture.iter(f"{SVG}rect")]


def words(picture: ET.Element) -> list[str]:
    return [one.text or "" for one in picture.iter(f"{SVG}text")]


def test_a_bar_is_as_long_as_its_share() -> None:
    picture = parsed(bars("Sizes", ["5 to 9", "10 to 19"], [0.25, 0.5]))
    short, long = widths(picture)
    assert long == pytest.approx(2 * short, abs=0.1)
    assert words(picture) == ["5 to 9", "25%", "10 to 19", "50%"]


def test_what_was_before_is_hollow_and_above_what_is_after() -> None:
    picture = parsed(bars("Ages", ["young"], [0.2], [0.4]))
    before, after = list(picture.iter(f"{SVG}rect"))[:2]
    assert before.attrib["fill"] == "#ffffff"
    assert float(before.attrib["width"]) == pytest.approx(2 * float(after.attrib["width"]), abs=0.1)
    assert float(before.attrib["y"]) < float(after.attrib["y"])
    assert words(picture) == ["young", "40%", "20%", "before", "after"]


@given(
    labels=st.lists(st.text(max_size=40), min_size=1, max_size=5),
    share=st.floats(0, 1),
)
def test_any_label_can_be_drawn(labels: list[str], share: float) -> None:
    picture = parsed(bars("<&>", labels, [share] * len(labels), [1 - share] * len(labels)))
    assert all(width <= WIDTH for width in widths(picture))


def test_a_long_label_is_cut_and_whole_in_its_title() -> None:
    name = "a very long name of a value that fits nowhere"
    picture = parsed(bars("Names", [name], [1.0]))
    assert name in [one.text for one in picture.iter(f"{SVG}title")]
    assert words(picture)[0].endswith("…")


def test_a_curve_steps_up_where_classes_begin() -> None:
    """All records are in classes of 3: none below 3, all below 4."""
    shares = {x: float(x > 3) for x in range(1, 21)}
    path = next(one for one in parsed(curve("Risk", 3, shares)).iter(f"{SVG}path") if one.attrib.get("stroke-width"))
    heights = [float(y) for y in re.findall(r"[MV](?:[\d.]+ )?([\d.]+)", path.attrib["d"])]
    assert len(heights) == 2
    assert heights[0] > heights[1]


def test_the_bound_is_marked_where_it_is() -> None:
    picture = parsed(against("Loss", 0.5, 0.25))
    whole, lost = widths(picture)
    mark = next(one for one in picture.iter(f"{SVG}path"))
    x = float(re.findall(r"M([\d.]+)", mark.attrib["d"])[0])
    assert lost == pytest.approx(whole / 2, abs=0.1)
    assert x == pytest.approx(8 + whole / 4, abs=0.1)
    assert not list(parsed(against("Loss", 0.5, None)).iter(f"{SVG}path"))


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0%"), (1e-6, "< 0.1%"), (0.123, "12.3%"), (0.5, "50%"), (0.99999, "> 99.9%"), (1.0, "100%")],
)
def test_shares_in_words(share: float, text: str) -> None:
    assert percent(share) == text


def test_a_small_lattice_is_drawn_node_by_node() -> None:
    picture = parsed(lattice({"age": 2, "zip": 1}, {"age": 1, "zip": 0}, [{"age": 0, "zip": 1}]))
    assert sorted(words(picture)) == sorted(["0, 0", "0, 1", "1, 0", "1, 1", "2, 0", "2, 1"])
    assert len(list(picture.iter(f"{SVG}path"))) == 7
    filled = [one for one in picture.iter(f"{SVG}rect") if one.attrib["fill"] == "#0b6e99"]
    framed = [one for one in picture.iter(f"{SVG}rect") if one.attrib.get("stroke")]
    assert (len(filled), len(framed)) == (1, 1)


def test_a_large_lattice_is_drawn_column_by_column() -> None:
    heights = {f"column {j}": j + 2 for j in range(5)}
    chosen = {name: height - 1 for name, height in heights.items()}
    picture = parsed(lattice(heights, chosen, [dict.fromkeys(heights, 0)]))
    dots = list(picture.iter(f"{SVG}circle"))
    assert len(dots) == sum(height + 1 for height in heights.values())
    assert sum(one.attrib["fill"] == "#0b6e99" for one in dots) == 5
    assert len(list(picture.iter(f"{SVG}path"))) == 2
