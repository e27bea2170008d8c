"""Try changes in a process that has imported everything: a line of JSON in, a line of JSON out.

The tests are collected once. Each trial is a fork that gives one function its changed code, in place, so that all who
hold the function run it, or changes a constant, and then runs the tests. Nothing is written, nothing is imported or
collected again.
"""

import ast
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

from shoal.kernels import KERNELS
from shoal.kernels.cache import kept
from shoal.kernels.signatures import listed, read
from tests.mutants.constants import changed_constants
from tests.mutants.forks import QUIETLY, Kept, imported_once, tried
from tests.mutants.made import lasting, lay
from tests.mutants.order import Order
from tests.mutants.statements import TOLD, telling
from tests.mutants.uncompiled import has_kernels, uncompiled
from tests.mutants.watch import Measure, Watch


def main(log: str, profile: str, tests: list[str]) -> None:
    """Let pytest collect the tests, and answer every line of the input in the place of running them."""
    imported_once()
    asked, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    with Path(log).open("w", encoding="utf-8") as output:
        for stream in (1, 2):
            os.dup2(output.fileno(), stream)
    pytest.main([*QUIETLY, f"--hypothesis-profile={profile}", *tests], plugins=[_Trials(log, asked, answers)])


class _Trials:
    """A plug-in of pytest that makes trials with the tests that were collected.

    Args:
        log: Where the output of a trial goes; what is known of the tests lies beside it.
        asked: The lines of the input.
        answers: Where the answers go.
    """

    def __init__(self, log: str, asked: TextIO, answers: TextIO) -> None:
        self._kept, self._asked, self._answers = Kept(log), asked, answers
        self._fitting = set[tuple[str, frozenset[str]]]()  # tests that pass with what was made before

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Answer every line; nothing is run in this process."""
        order = Order(self._kept.order)
        for line in self._asked:
            asked = json.loads(line)
            if "measured" in asked:
                answer = tried(partial(self._measure, session, asked["measured"]), 1000, self._kept)
                order = Order(self._kept.order)
                _load_kernels()
            else:
                answer = self._tried(session, order, **asked)
            print(json.dumps(answer), file=self._answers, flush=True)
        return True

    def _measure(self, session: pytest.Session, files: list[str]) -> int:
        """Run all tests without a change, and keep what was seen."""
        measure = Measure()
        for file in files:
            _tell_statements(file, measure)
        session.config.pluginmanager.register(measure)
        code = _run(session, session.items, Watch(self._kept.running, {}))
        measure.write(self._kept.order)
        return code

    def _tried(
        self,
        session: pytest.Session,
        order: Order,
        *,
        file: str,
        function: str,
        place: str,
        nearest: str,
        text: str,
        seconds: int,
        first: float,
    ) -> dict[str, Any]:
        """Try a change of a function by the tests that come by it, or of a constant by all; else the code is None."""
        module = _module(file)
        if has_kernels(module):
            put = uncompiled(module, ast.parse(text), {})
        else:
            source = Path(file).read_text(encoding="utf-8")
            put = _changed(module, function, text) or changed_constants(module, source, text)
        items = {item.nodeid: item for item in session.items}
        able = order.coming_by(items, {place}) if place else list(items)
        if put is None or not able:
            return {"code": None, "seconds": 0.0, "test": None}
        while True:
            there = lasting(order.made, place) if place else set[str]()
            ordered = [
                items[name] for name in order.first(order.sorted(able, function, place or nearest, there), first)
            ]
            answer = tried(partial(self._trial, session, order, ordered, there, put), seconds, self._kept)
            if not answer["code"]:
                return answer
            if self._fits(session, order, answer["test"], there):
                order.add(function, answer["test"])
                return answer

    def _trial(
        self, session: pytest.Session, order: Order, items: list[pytest.Item], there: set[str], put: Callable[[], None]
    ) -> int:
        put()
        lay(items, order.made, there)
        return _run(session, items, Watch(self._kept.running, order.seconds))

    def _fits(self, session: pytest.Session, order: Order, test: str, there: set[str]) -> bool:
        """Tell whether a test passes with what was made before and no change; else that is made again from now on."""
        given = frozenset(there.intersection(order.uses(test)))
        if not given or (test, given) in self._fitting:
            return True
        items = [item for item in session.items if item.nodeid == test]
        unchanged = partial(self._trial, session, order, items, set(given), lambda: None)
        if tried(unchanged, 1000, self._kept)["code"] == 0:
            self._fitting.add((test, given))
            return True
        for one in given:
            order.made[one]["_value"] = ""
        return False


def _run(session: pytest.Session, items: list[pytest.Item], watch: Watch) -> int:
    """Run tests until one fails; return 1 if one does, 0 if none does, and 5 if there are none."""
    session.config.pluginmanager.register(watch)
    for item, following in zip(items, [*items[1:], None], strict=True):
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            break
    watch.pytest_sessionfinish()
    return int(session.testsfailed > 0) if items else 5


def _load_kernels() -> None:
    """Load the kernels that are compiled, once: a fork has them."""
    for name, kernel in KERNELS.items():
        for types in [types for call in listed().get(name, ()) for types in read(call)]:
            if kept(name, types, kernel.dispatcher.targetctx):
                kernel.dispatcher.compile(types)


def _module(file: str) -> ModuleType:
    return import_module(file.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", "."))


def _tell_statements(file: str, measure: Measure) -> None:
    """Let the functions of a file tell which of their statements are run."""
    module, tree = _module(file), telling(Path(file).read_text(encoding="utf-8"), file)
    if has_kernels(module):
        put = uncompiled(module, tree, {TOLD: measure.told.add})
        assert put is not None
        put()
        return
    vars(module)[TOLD] = measure.told.add
    for code in _codes(compile(tree, str(module.__file__), "exec")):
        function = _function(module, code.co_qualname)
        if function is not None and function.__code__.co_name == code.co_name:
            function.__code__ = code


def _changed(module: ModuleType, name: str, text: str) -> Callable[[], None] | None:
    """Return what puts a change in place, in the function or the one around it; None if it is not in their code."""
    codes = {code.co_qualname: code for code in _codes(compile(text, str(module.__file__), "exec"))}
    while name:
        function, code = _function(module, name), codes.get(name)
        if function is not None and code is not None and code != function.__code__:
            return partial(setattr, function, "__code__", code)
        name = name.rpartition(".")[0]
    return None


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
