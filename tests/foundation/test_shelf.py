from importlib.metadata import EntryPoint
from typing import ClassVar

import pytest

from shoal.foundation import shelf
from shoal.foundation.errors import SpecError
from shoal.foundation.shelf import Shelf, did_you_mean


class Thing:
    name: ClassVar[str]


class Red(Thing):
    name: ClassVar[str] = "red"


class Green(Thing):
    name: ClassVar[str] = "green"


class Pale(Red):
    """Has no name of its own."""


@pytest.fixture
def colours() -> Shelf[Thing]:
    return Shelf("colour", "colours", [Red, Green])


def test_members_are_found_by_name_and_in_order(colours: Shelf[Thing]) -> None:
    assert colours["green"] is Green
    assert colours.names == ["red", "green"]
    assert list(colours) == [Red, Green]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gren", "Unknown colour 'gren'. Did you mean 'green'?"),
        ("", "Unknown colour ''. Known are: red, green."),
        ("ultramarine", "Unknown colour 'ultramarine'. Known are: red, green."),
    ],
)
def test_an_unknown_name_is_refused_with_a_suggestion(colours: Shelf[Thing], name: str, words: str) -> None:
    with pytest.raises(SpecError) as caught:
        colours[name]
    assert str(caught.value) == words


def test_a_member_needs_a_name_of_its_own() -> None:
    with pytest.raises(KeyError):
        Shelf("colour", "colours", [Pale])


def test_others_may_add_members_but_not_replace_any(monkeypatch: pytest.MonkeyPatch) -> None:
    def entry_points(group: str) -> list[EntryPoint]:
        assert group == "shoal.colours"
        return [EntryPoint(name, f"{__name__}:{name}", group) for name in ("Blue", "FakeRed")]

    monkeypatch.setattr(shelf, "entry_points", entry_points)
    colours: Shelf[Thing] = Shelf("colour", "colours", [Red])
    assert colours["blue"] is Blue
    assert colours["red"] is Red
    assert colours.names == ["red", "blue"]


class Blue(Thing):
    name: ClassVar[str] = "blue"


class FakeRed(Thing):
    name: ClassVar[str] = "red"


def test_a_name_far_from_all_lists_them() -> None:
    assert did_you_mean("k-anonimity", ["k-anonymity", "k-map"]) == "Did you mean 'k-anonymity'?"
    assert did_you_mean("xyz", ["a", "b"]) == "Known are: a, b."
