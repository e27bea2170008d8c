"""Kernels of a changed source, as the plain Python that they are: nothing is compiled for a change."""

import ast
import sys
from collections.abc import Callable, Mapping
from functools import partial
from types import FunctionType, ModuleType
from typing import Any

_KERNELS = "shoal.kernels."
_COMPILING = {"kernel", "inner_kernel"}
_HOLDING = ("shoal", "tests")


def has_kernels(module: ModuleType) -> bool:
    """Tell whether the functions of a module are compiled."""
    return module.__name__.startswith(_KERNELS)


def uncompiled(module: ModuleType, tree: ast.Module, more: Mapping[str, Any]) -> Callable[[], None] | None:
    """Return what puts the functions of a source in the place of a module's kernels, wherever these are held.

    Args:
        module: The module of the kernels.
        tree: Its source, which may be changed.
        more: Names that the source needs besides its own.

    Returns:
        What puts them in place; None if the source cannot be run.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = [one for one in node.decorator_list if ast.unparse(one) not in _COMPILING]
    names = {"__name__": module.__name__, **more}
    try:
        exec(compile(tree, str(module.__file__), "exec"), names)  # noqa: S102  (a source of shoal)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return None
    own = {name: one for name, one in names.items() if isinstance(one, FunctionType)}
    return partial(_put, module, {name: one for name, one in own.items() if one.__module__ == module.__name__})


def _put(module: ModuleType, functions: Mapping[str, FunctionType]) -> None:
    holders = [one for name, one in sys.modules.items() if name.partition(".")[0] in _HOLDING]
    for name, function in functions.items():
        old = vars(module)[name]
        for holder in holders:
            if vars(holder).get(name) is old:
                setattr(holder, name, function)
