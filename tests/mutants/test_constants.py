"""Constants that are changed in a module that is loaded."""

import sys
from types import ModuleType

import pytest

from tests.mutants.constants import changed_constants

SOURCE = """
from typing import ClassVar
LIMIT = 3
FIRST, LAST = 1, LIMIT
class Kind:
    large: ClassVar[bool] = LIMIT > 5
    size: int = 4
    def grown(self, by=1, *, twice=False):
        return by + twice
def above(n):
    return n > LIMIT
"""


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return a module of that source, and let another one import its constant."""
    made, other = ModuleType("shoal.made"), ModuleType("shoal.other")
    made.__file__ = "made.py"
    exec(SOURCE, vars(made))  # noqa: S102
    vars(other)["LIMIT"] = made.LIMIT
    monkeypatch.setitem(sys.modules, "shoal.made", made)
    monkeypatch.setitem(sys.modules, "shoal.other", other)
    return made


def change(module: ModuleType, old: str, new: str) -> bool:
    put = changed_constants(module, SOURCE, SOURCE.replace(old, new))
    if put is None:
        return False
    put()
    return True


def test_a_constant_changes_for_all_who_have_it(module: ModuleType) -> None:
    assert change(module, "LIMIT = 3", "LIMIT = 4")
    assert not module.above(4)
    assert sys.modules["shoal.other"].LIMIT == 4
    assert change(module, "1, LIMIT", "2, LIMIT")
    assert (module.FIRST, module.LAST) == (2, 4)


def test_so_do_what_a_class_says_of_itself_and_the_defaults_of_functions(module: ModuleType) -> None:
    assert change(module, "LIMIT > 5", "LIMIT <= 5")
    assert module.Kind.large
    assert change(module, "by=1", "by=7")
    assert module.Kind().grown() == 7
    assert change(module, "twice=False", "twice=True")
    assert module.Kind().grown() == 2  # each change is one of the source


def test_fields_and_statements_are_no_constants(module: ModuleType) -> None:
    assert not change(module, "size: int = 4", "size: int = 5")
    assert not change(module, "n > LIMIT", "n >= LIMIT")


def test_what_cannot_be_made_is_no_constant(module: ModuleType) -> None:
    assert not change(module, "LIMIT = 3", "LIMIT = int & 3")
