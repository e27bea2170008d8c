"""What is changed in a source, and what is left alone; and how a change is found again in the list of equivalents."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.mutants.changes import changes
from tests.mutants.equivalents import Equivalent, listed, matched
from tests.mutants.trusted import TRUSTED, USERS, files, guards

ROOT = Path(__file__).parents[2]
SOURCE = '''
"""A docstring with 1 number."""
from dataclasses import dataclass

@dataclass(frozen=True)
class Box:
    """A box."""

    low: int = 3

    def useless(self, bound: float, best: float | None) -> bool:
        """Tell it."""
        if best is None:
            raise ValueError(f"No best: {1 + 1}")
        return bound >= best and not self.low > 0
'''


def made(source: str) -> set[str]:
    return {change.change for change in changes(source)}


def test_operators_conditions_constants_bounds_and_raises_are_changed() -> None:
    assert made(SOURCE) == {
        "3 -> 4",
        "best is None -> True",
        "best is None -> False",
        "best is None -> (best is not None)",
        "raise ValueError(f'No best: {1 + 1}') -> pass",
        "bound >= best and (not self.low > 0) -> (bound >= best or not self.low > 0)",
        "bound >= best and (not self.low > 0) -> (bound >= best)",
        "bound >= best and (not self.low > 0) -> (not self.low > 0)",
        "bound >= best -> (bound > best)",
        "bound >= best -> (bound * 1.05 >= best)",
        "not self.low > 0 -> (self.low > 0)",
        "self.low > 0 -> (self.low >= 0)",
        "0 -> 1",
    }


@pytest.mark.parametrize(
    ("source", "change"),
    [
        ("x = a + b", "a + b -> (a - b)"),
        ("x = a & ~b", "a & ~b -> (a | ~b)"),
        ("x = a & ~b", "~b -> (b)"),
        ("x = min(a, b)", "min(a, b) -> (max(a, b))"),
        ("x = a.all(axis=1)", "a.all(axis=1) -> (a.any(axis=1))"),
        ("x = [y for y in z if y]", "[y for y in z if y] -> ([y for y in z])"),
        ("f(on=a == b)", "a == b -> False"),
        ("f(x)", "f(x) -> pass"),
        ("x.y = 1", "x.y = 1 -> pass"),
        ("bound = a", "a -> (a) * 1.05"),
        ("x = a if b else c", "a if b else c -> (c)"),
        ("def f() -> bool:\n    return g()", "g() -> not (g())"),
        ("def f() -> float:\n    return a - b", "a - b -> (a - b) * 1.05"),
    ],
)
def test_each_kind_of_change(source: str, change: str) -> None:
    assert change in made(source)


@pytest.mark.parametrize(
    "source", ["import a", '"""1"""', "x = 'a' + b", "progress('a', 1 - b)", "zip(a, b, strict=True)", "x: Field(ge=1)"]
)
def test_words_and_what_has_no_other_value_are_left_alone(source: str) -> None:
    assert made(source) <= {f"{source} -> pass"}


def test_a_changed_source_differs_at_one_place_and_can_be_read() -> None:
    source = "x = 'ü' if a < 1 else b  # a comment\ny = 2\n"
    texts = {change.change: change.text for change in changes(source)}
    assert texts["a < 1 -> (a <= 1)"] == "x = 'ü' if (a <= 1) else b  # a comment\ny = 2\n"
    assert texts["2 -> 3"] == "x = 'ü' if a < 1 else b  # a comment\ny = 3\n"
    for text in texts.values():
        compile(text, "changed", "exec")


def test_what_a_line_says_twice_is_told_apart() -> None:
    twice = [change for change in changes("x = 0, 0, 1\ny = 0\n") if change.change.startswith("0")]
    assert [(change.line, change.change) for change in twice] == [
        ("x = 0, 0, 1", "0 -> 1"),
        ("x = 0, 0, 1", "0 -> 1 (2)"),
        ("y = 0", "0 -> 1"),
    ]
    assert len({change.key for change in twice}) == len({change.text for change in twice}) == 3


def test_a_listed_change_is_found_again_wherever_its_line_stands_but_not_where_it_is_another() -> None:
    first, other = changes("def look(limit):\n    return limit < 1\n")[:2]
    entry = Equivalent("a.py", *first.key, reason="it comes to the same")
    assert matched([replace(first, number=9), other], [entry]) == ({replace(first, number=9): entry}, [])
    assert matched(changes("def look(limits):\n    return limits < 1\n"), [entry]) == ({}, [entry])


def test_every_entry_has_a_reason_and_names_a_change_of_what_is_trusted() -> None:
    entries = listed(ROOT / "tests" / "mutants" / "equivalent")
    made = {file: {change.key for change in changes((ROOT / file).read_text("utf-8"))} for file in files(ROOT, [])}
    assert [entry for entry in entries if entry.key not in made.get(entry.file, set())] == []


def test_the_house_holds_what_is_trusted_and_its_tests() -> None:
    assert all((ROOT / name).exists() for name in TRUSTED)
    for file in files(ROOT, []):
        assert all((ROOT / name).exists() for name in guards(ROOT, file)), file
        assert guards(ROOT, file) or file.endswith("__init__.py"), file
    assert all((ROOT / place).exists() for place in USERS)
