"""Plots of a release, a comparison and a risk: a notebook shows them, and they say what the figures say."""

import pickle
from pathlib import Path
from xml.etree import ElementTree as ET

import polars as pl
import pytest

import shoal
from shoal.foundation.errors import SpecError
from shoal.reports.drawing.drawing import Drawing, sheet

TABLE = pl.DataFrame(
    {
        "age": [str(20 + number % 6) for number in range(24)],
        "town": ["Bern", "Genf", "Basel", "Chur"] * 6,
        "illness": ["flu", "gout", "cold"] * 8,
    }
)


def release() -> shoal.Release:
    return shoal.anonymize(TABLE, quasi=["age", "town"], sensitive=["illness"], k=4, algorithm="mondrian", seed=1)


def texts(drawn: str) -> list[str]:
    """Return the lettering of a picture, which must be well-formed XML."""
    return [one.text or "" for one in ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314


def test_a_notebook_shows_a_drawing_as_svg_and_a_terminal_its_title() -> None:
    drawn = release().plot()
    assert isinstance(drawn, Drawing)
    assert drawn._repr_svg_() == str(drawn)
    assert repr(drawn).startswith("<Drawing: 24 records in ")


def test_a_release_is_shown_with_its_classes_and_its_columns_before_and_after() -> None:
    made = release()
    words = texts(made.plot())
    assert {"Records by the size of their class", "age: quasi, before and after"} <= set(words)
    assert f"24 records in {made.certificate['classes']['count']} classes" in words
    assert "k = 4" in words
    assert "before" in words


def test_a_copy_without_the_raw_table_shows_the_release_alone() -> None:
    copy = pickle.loads(pickle.dumps(release()))  # noqa: S301  (our own)
    words = texts(copy.plot())
    assert "illness: sensitive" in words
    assert "before" not in words
    assert not {value for value in TABLE["age"].unique() if value in words} - set(copy.frame["age"].cast(pl.String))


def test_persons_are_counted_where_a_person_has_several_records() -> None:
    visits = TABLE.with_columns(patient=pl.Series([f"P{number % 12}" for number in range(24)]))
    made = shoal.anonymize(
        visits, quasi=["age", "town"], sensitive=["illness"], entity="patient", k=2, algorithm="mondrian", seed=1
    )
    for one in (made, pickle.loads(pickle.dumps(made))):  # noqa: S301  (our own)
        words = texts(one.plot())
        assert "Persons by the size of their class" in words
        assert not [word for word in words if "patient" in word or word.startswith("P1")]


def test_a_release_by_rules_is_shown_too() -> None:
    first = shoal.anonymize(TABLE, quasi=["age", "town"], sensitive=["illness"], k=4, algorithm="optimal", seed=1)
    assert "age: quasi, before and after" in texts(shoal.apply(first, TABLE).plot())


def test_columns_to_show_are_for_clusters() -> None:
    with pytest.raises(SpecError, match="'x' and 'y' are for clusters"):
        release().plot("age", "town")


def test_a_plot_is_written_but_not_into_the_folder_of_a_release(tmp_path: Path) -> None:
    made = release()
    made.plot(path=tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_text(encoding="utf-8") == made.plot()
    made.write(tmp_path / "out")
    with pytest.raises(SpecError, match="is in the folder of a release"):
        made.plot(path=tmp_path / "out" / "private" / "plot.svg")


def test_a_risk_is_shown_with_the_columns_that_single_out(tmp_path: Path) -> None:
    found = shoal.risk(TABLE, quasi=["age", "town"])
    drawn = found.plot(tmp_path / "risk.svg")
    assert (tmp_path / "risk.svg").read_text(encoding="utf-8") == drawn
    words = texts(drawn)
    assert "Unique records by a column alone" in words
    assert f"24 records, largest risk {found.summary['prosecutor']['strict']['largest']:.4g}" in words


def test_the_sizes_of_a_risk_are_those_of_the_classes() -> None:
    found = shoal.risk(TABLE, quasi=["age"])
    assert sorted(found.sizes.tolist()) == sorted(TABLE.group_by("age").len()["len"].to_list())


def test_a_comparison_is_shown_as_its_frontier(tmp_path: Path) -> None:
    found = shoal.compare(TABLE, quasi=["age", "town"], sensitive=["illness"], k=[2, 4], algorithm=["mondrian"])
    drawn = found.plot(tmp_path / "frontier.svg")
    assert drawn == found.svg() == (tmp_path / "frontier.svg").read_text(encoding="utf-8")
    assert drawn._repr_svg_() == found.svg()


def test_a_sheet_places_its_pictures_side_by_side() -> None:
    one = '<svg viewBox="0 0 360 100"><text>a</text></svg>'
    drawn = sheet("Both", [("first", one), ("second", one), ("third", one)])
    inner = [part for part in ET.fromstring(drawn) if part.tag.endswith("svg")]  # noqa: S314
    assert [(part.get("x"), part.get("y")) for part in inner] == [("12", "66"), ("396", "66"), ("12", "212")]
    assert "<title>a &lt; b</title>" in sheet("a < b", [])


def test_a_picture_without_a_box_has_no_place_on_a_sheet() -> None:
    with pytest.raises(ValueError, match="no viewBox"):
        sheet("One", [("first", "<svg></svg>")])
