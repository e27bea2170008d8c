"""Try changes of functions in a process that has imported everything: a line of JSON in, a line of JSON out.

The tests are collected once. Each trial is a fork that gives one function its changed code, in place, so that all who
hold the function run it, and then runs the tests. Nothing is written, nothing is imported or collected again.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, TextIO

import pytest

from tests.mutants.forks import QUIETLY, imported_once, kept_order, tried
from tests.mutants.order import Order


def main(file: str, log: str, tests: list[str]) -> None:
    """Let pytest collect the tests, and answer every line of the input in the place of running them."""
    imported_once()
    asked, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    with Path(log).open("w", encoding="utf-8") as output:
        for stream in (1, 2):
            os.dup2(output.fileno(), stream)
    pytest.main([*QUIETLY, *tests], plugins=[_Trials(file, log, tests, asked, answers)])


class _Trials:
    """A plug-in of pytest that makes trials with the tests that were collected.

    Args:
        file: The source that is changed.
        log: Where the output of a trial goes.
        tests: The tests; a trial with the first ones takes so many of these.
        asked: The lines of the input.
        answers: Where the answers go.
    """

    def __init__(self, file: str, log: str, tests: list[str], asked: TextIO, answers: TextIO) -> None:
        self._file, self._log, self._tests = file, log, tests
        self._asked, self._answers = asked, answers

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Answer every line; nothing is run in this process."""
        module = import_module(self._file.removeprefix("src/").removesuffix(".py").replace("/", "."))
        for line in self._asked:
            asked = json.loads(line)
            changed = _changed(module, asked["function"], asked["text"])
            trial = partial(self._trial, session, asked["first"], changed or None)
            answer = {"code": None} if changed is False else tried(trial, asked["seconds"], self._log)
            print(json.dumps(answer), file=self._answers, flush=True)
        return True

    def _trial(self, session: pytest.Session, first: int, changed: Callable[[], None] | None) -> int:
        """Run tests until one fails; return 1 if one does, 0 if none does, and 5 if there are none."""
        if changed is not None:
            changed()
        places = self._tests[:first] if first else self._tests
        items = [item for item in session.items if any(_is_in(item.nodeid, place) for place in places)]
        order = Order(kept_order(self._log))
        session.config.pluginmanager.register(order)
        order.pytest_collection_modifyitems(items)
        for item, following in zip(items, [*items[1:], None], strict=True):
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                break
        order.pytest_sessionfinish()
        return int(session.testsfailed > 0) if items else 5


def _is_in(test: str, place: str) -> bool:
    return test.startswith((f"{place}::", f"{place}/"))


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
