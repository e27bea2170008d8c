"""A shelf: members by name, imported when asked for, and plug-ins that may be broken."""

import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from shoal.foundation.errors import PluginWarning, SpecError
from shoal.foundation.shelf import Shelf, did_you_mean
from tests.foundation.installed import installed

COLOURS = """
from typing import TYPE_CHECKING

from shoal.foundation.lazy_imports import offer
from shoal.foundation.shelf import Shelf

if TYPE_CHECKING:
    from colours.colour import Colour as Colour
    from colours.shade import Shade as Shade
    from colours.red import Red as Red
    from colours.dark_green import DarkGreen as DarkGreen
else:
    __getattr__, __dir__ = offer(__name__, "COLOURS")

COLOURS: "Shelf[Colour]" = Shelf("colour", __name__, "Colour", "Shade")
"""
COLOUR = """
class Colour:
    warm: bool = True
"""
MEMBER = """
from typing import ClassVar

from colours.colour import Colour


class {0}(Colour):
    name: ClassVar[str] = "{1}"
    {2}
"""
PLUGIN = """
from colours.colour import Colour


class Blue(Colour):
    name = "blue"


class FakeRed(Colour):
    name = "red"


class SecondBlue(Colour):
    name = "blue"


class Pale(Blue):
    pass


class Stranger:
    name = "stranger"
"""


@pytest.fixture
def colours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf[object]:
    """A shelf of its own, whose folder is that of no other test."""
    room = tmp_path / "colours"
    room.mkdir()
    files = {
        "__init__": COLOURS,
        "colour": COLOUR,
        "shade": "class Shade: ...",
        "red": MEMBER.format("Red", "red", "pass"),
        "dark_green": MEMBER.format("DarkGreen", "dark-green", "warm: ClassVar[bool] = False"),
    }
    for name, text in files.items():
        (room / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.split(".")[0] in ("colours", "paints")]:
        monkeypatch.delitem(sys.modules, name)
    from shoal.foundation.lazy_imports import imports_of

    imports_of.cache_clear()
    import colours  # type: ignore[import-not-found]

    shelf: Shelf[object] = colours.COLOURS
    return shelf


def loaded() -> set[str]:
    return {name.removeprefix("colours.") for name in sys.modules if name.startswith("colours.")}


def test_members_are_found_by_name_and_in_order(colours: Shelf[object]) -> None:
    assert colours.own == colours.offered == colours.names == ["red", "dark-green"]
    assert loaded() == set()
    assert colours["dark-green"].__name__ == "DarkGreen"
    assert loaded() == {"colour", "dark_green"}
    assert [member.__name__ for member in colours] == ["Red", "DarkGreen"]
    assert colours.find("red") is colours["red"]
    assert colours.find("Red") is None
    assert colours.find(5) is None
    assert colours.find(["red"]) is None


def test_what_members_declare_is_known_without_them(colours: Shelf[object]) -> None:
    assert [colours.declared(name, "warm") for name in colours.own] == [True, False]
    with pytest.raises(AttributeError, match="Colour declares no 'bright'"):
        colours.declared("red", "bright")
    assert loaded() == set()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("dark-gren", "Unknown colour 'dark-gren'. Did you mean 'dark-green'?"),
        ("", "Unknown colour ''. Known are: red, dark-green."),
        ("ultramarine", "Unknown colour 'ultramarine'. Known are: red, dark-green."),
    ],
)
def test_an_unknown_name_is_refused_with_a_suggestion(colours: Shelf[object], name: str, words: str) -> None:
    with pytest.raises(SpecError) as caught:
        colours[name]
    assert str(caught.value) == words


def test_a_room_offers_what_it_lists(colours: Shelf[object]) -> None:
    room = sys.modules["colours"]
    assert room.__all__ == ["COLOURS", "Colour", "Shade", "Red", "DarkGreen"]
    assert dir(room) == sorted(room.__all__)
    assert room.Red is colours["red"]
    with pytest.raises(AttributeError, match="module 'colours' has no attribute 'Blue'"):
        _ = room.Blue
    names: dict[str, object] = {}
    exec("from colours import *", names)  # noqa: S102  (what a user writes)
    assert names["DarkGreen"] is colours["dark-green"]


def test_others_may_add_members(colours: Shelf[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, "paints", {"shoal.colours": {"blue": "paints:Blue"}}, PLUGIN)
    assert colours.offered == ["red", "dark-green", "blue"]
    assert "paints" not in sys.modules
    assert colours["red"].__name__ == "Red"
    assert "paints" not in sys.modules  # no plug-in is looked at for a name of shoal's own
    assert colours["blue"].__name__ == "Blue"
    assert colours.names == colours.offered == ["red", "dark-green", "blue"]
    assert [member.__name__ for member in colours] == ["Red", "DarkGreen", "Blue"]


def test_the_name_is_what_the_class_says(colours: Shelf[object], tmp_path: Path) -> None:
    installed(tmp_path, "paints", {"shoal.colours": {"TheirBlue": "paints:Blue"}}, PLUGIN)
    assert colours["blue"].__name__ == "Blue"
    assert colours.offered == ["red", "dark-green", "blue"]
    assert colours.find("TheirBlue") is None


BROKEN = {
    "no-file": ("nowhere:Blue", "cannot be loaded (ModuleNotFoundError: No module named 'nowhere')"),
    "no-class": ("paints:Green", "cannot be loaded (AttributeError: module 'paints' has no attribute 'Green')"),
    "red": ("paints:FakeRed", "calls itself 'red', as a colour of shoal does"),
    "pale": ("paints:Pale", "has no class attribute 'name' of its own"),
    "stranger": ("paints:Stranger", "does not derive from colours.colour.Colour"),
    "object": ("paints:__doc__", "does not derive from colours.colour.Colour"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_plugin_is_named_once_and_stops_nothing(colours: Shelf[object], tmp_path: Path, name: str) -> None:
    value, reason = BROKEN[name]
    points = {name: value, "blue": "paints:Blue"}
    installed(tmp_path, "paints", {"shoal.colours": points}, PLUGIN, package="Their-Paints")
    assert colours["red"].__name__ == "Red"
    assert colours["blue"].__name__ == "Blue"
    told = f"The plug-in '{name}' of the package 'Their-Paints' {reason}."
    with pytest.warns(PluginWarning) as caught:
        assert colours.names == ["red", "dark-green", "blue"]
    assert [str(one.message) for one in caught] == [f"{told} It is left out."]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert colours.names == ["red", "dark-green", "blue"]
        assert len(list(colours)) == 3


@pytest.mark.parametrize("name", sorted(set(BROKEN) - {"red"}))
def test_who_asks_for_a_broken_plugin_is_told(colours: Shelf[object], tmp_path: Path, name: str) -> None:
    value, reason = BROKEN[name]
    installed(tmp_path, "paints", {"shoal.colours": {name: value}}, PLUGIN, package="Their-Paints")
    for _ in range(2):
        with pytest.raises(SpecError) as caught:
            colours[name]
        assert str(caught.value) == (
            f"The colour '{name}' cannot be used. The plug-in '{name}' of the package 'Their-Paints' {reason}."
        )


def test_the_first_of_two_packages_has_the_name(colours: Shelf[object], tmp_path: Path) -> None:
    points = {"blue": "paints:Blue", "other": "paints:SecondBlue"}
    installed(tmp_path, "paints", {"shoal.colours": points}, PLUGIN)
    with pytest.warns(PluginWarning, match="'other' .* calls itself 'blue', as one of the package 'paints' does"):
        assert colours.names == ["red", "dark-green", "blue"]
    assert colours["blue"].__name__ == "Blue"


def test_the_shelves_are_light() -> None:
    rooms = ["models", "measures", "search.algorithms", "clusters.distances"]
    rooms += ["tables.formats", "tables.databases", "tables.hierarchies"]
    lines = [f"import shoal.{room}" for room in rooms]
    lines += ["import sys", "heavy = {'numpy', 'numba', 'polars', 'pydantic', 'importlib.metadata'}"]
    lines += ["from shoal.models import MODELS; MODELS.own", "print(heavy & set(sys.modules))"]
    ran = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"


def test_a_name_far_from_all_lists_them() -> None:
    assert did_you_mean("k-anonimity", ["k-anonymity", "k-map"]) == "Did you mean 'k-anonymity'?"
    assert did_you_mean("xyz", ["a", "b"]) == "Known are: a, b."
