"""Try changes of functions in a process that has imported everything: a line of JSON in, a line of JSON out.

The tests are collected once. Each trial is a fork that gives one function its changed code, in place, so that all who
hold the function run it, and then runs the tests. Nothing is written, and nothing is imported again.
"""

import json
import os
import sys
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tests.mutants.forks import QUIETLY, imported_once, tried


def main(file: str, log: str, tests: list[str]) -> None:
    """Answer every line of the input."""
    imported_once()
    answers = os.fdopen(os.dup(1), "w")
    _collect(tests, log)
    module = import_module(file.removeprefix("src/").removesuffix(".py").replace("/", "."))
    for line in sys.stdin:
        asked = json.loads(line)
        changed = _changed(module, asked["function"], asked["text"])
        asked_of = tests[: asked["first"]] if asked["first"] else tests
        answer = {"code": None} if changed is False else tried(asked_of, asked["seconds"], log, changed or None)
        print(json.dumps(answer), file=answers, flush=True)


def _collect(tests: list[str], log: str) -> None:
    """Import all tests as pytest does."""
    import pytest

    with Path(log).open("w", encoding="utf-8") as output:
        for stream in (1, 2):
            os.dup2(output.fileno(), stream)
    if pytest.main(["--collect-only", *QUIETLY, *tests]) != 0:
        raise RuntimeError("The tests cannot be collected.")


def _changed(module: ModuleType, name: str, text: str | None) -> Any:
    """Return what puts a change in place; None if there is none, and False if it is not in the code of a function."""
    if text is None:
        return None
    function = _function(module, name)
    code = next((one for one in _codes(compile(text, str(module.__file__), "exec")) if one.co_qualname == name), None)
    if function is None or code is None or code == function.__code__:
        return False

    def put() -> None:
        function.__code__ = code

    return put


def _function(module: ModuleType, name: str) -> FunctionType | None:
    """Return the function of a qualified name, without what decorates it."""
    found: Any = module
    for part in name.split("."):
        found = vars(found).get(part) if hasattr(found, "__dict__") else None
    if isinstance(found, property):
        found = found.fget
    elif isinstance(found, classmethod | staticmethod):
        found = found.__func__
    elif isinstance(found, cached_property):
        found = found.func
    while hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    return found if isinstance(found, FunctionType) else None


def _codes(code: CodeType) -> Iterator[CodeType]:
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield part
            yield from _codes(part)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
