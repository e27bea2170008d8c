"""The list of what kernels are called with: it has every kernel, and its spelling tells the types."""

import ast
from collections.abc import Iterator
from importlib import import_module
from inspect import signature
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import numba
import numpy as np
import pytest

import shoal.kernels
from shoal.kernels import KERNELS, Kernel
from shoal.kernels.clusters.metrics import Space
from shoal.kernels.signatures import brief, listed, read, spelled
from tests.kernels.calls import is_listed

typeof: Any = numba.typeof
ROOM = Path(shoal.kernels.__file__).parent
for found in walk_packages([str(ROOM)], "shoal.kernels."):
    import_module(found.name)


def _imported() -> Iterator[str]:
    """Return what modules outside of the kernels import from them."""
    for path in ROOM.parent.rglob("*.py"):
        if not path.is_relative_to(ROOM):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("shoal.kernels"):
                    yield from (f"{node.module}.{name.name}".removeprefix("shoal.kernels.") for name in node.names)


def test_the_types_of_every_kernel_that_is_called_are_listed_and_of_no_other() -> None:
    called = set(_imported()) & set(KERNELS)
    assert len(called) > 50
    assert sorted(listed()) == sorted(called), "List what they are called with in src/shoal/kernels/signatures.toml."
    assert all(listed().values())


def test_every_kernel_is_one_of_them_or_called_by_one() -> None:
    seen: set[str] = set()
    left = [*listed()]
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            function = KERNELS[name].py_func
            others = (function.__globals__.get(other) for other in function.__code__.co_names)
            left += [other.name for other in others if isinstance(other, Kernel)]
    ours = {name for name, kernel in KERNELS.items() if kernel.__module__.startswith("shoal.")}
    assert sorted(ours - seen) == []


@pytest.mark.parametrize(("name", "call"), [(name, call) for name in listed() for call in listed()[name]])
def test_what_is_listed_fits_the_kernel(name: str, call: str) -> None:
    for one in read(call):
        assert brief(one) == call
        assert len(one) == len(signature(KERNELS[name].py_func).parameters)


_RECORDS = np.zeros(3, dtype=[("start", np.int64), ("taking", np.bool_)])
_READONLY = np.zeros(3)
_READONLY.flags.writeable = False
_LINES: Any = np.zeros(3, dtype=np.int64)
_POINTS = np.zeros(3)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "int64"),
        (True, "bool"),
        (0.5, "float64"),
        (np.zeros((2, 2), dtype=np.uint16), "uint16[2C]"),
        (np.zeros((2, 2), order="F"), "float64[2F]"),
        (np.zeros((4, 4))[::2, ::2], "float64[2A]"),
        (_READONLY, "float64[1C readonly]"),
        (_RECORDS, "{start int64, taking bool}[1C]"),
        ((1, np.zeros(2)), "(int64, float64[1C])"),
        (Space(True, _LINES, _LINES, _POINTS, _POINTS, _LINES, _LINES), "clusters.metrics.Space"),
    ],
)
def test_the_spelling_tells_the_types(value: object, text: str) -> None:
    known = typeof(value)
    assert brief([known]) == text
    assert read(text) == [(known,)]


def test_named_tuples_of_one_class_are_told_apart_by_their_fields() -> None:
    one, other = (
        Space(True, lines, _LINES, _POINTS, _POINTS, _LINES, _LINES) for lines in (_LINES, _LINES.astype(np.int32))
    )
    assert brief([typeof(one)]) == brief([typeof(other)])
    assert spelled([typeof(one)]) != spelled([typeof(other)])
    assert not is_listed("clusters.metrics.distances_between", (typeof(other), typeof(_POINTS), typeof(_POINTS)))
