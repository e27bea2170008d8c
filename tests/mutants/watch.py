"""A plug-in of pytest that watches a trial: which test runs, for how long, and which statements it comes by."""

import json
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.mutants.made import Made, given_to, name_of
from tests.mutants.order import PROCESSES, Order

_SECONDS = 3.0  # of CPU that each test may take, and ten times what it takes without a change


class Watch:
    """Writes down which test runs, and ends the process in a test that takes much more CPU than without a change.

    Args:
        running: Where the name of the test is written that runs.
        seconds: How long each test takes without a change; none where that is measured.
    """

    def __init__(self, running: Path, seconds: Mapping[str, float]) -> None:
        self._running, self._seconds = running, seconds

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Begin a test."""
        self._running.write_text(item.nodeid, encoding="utf-8")
        if self._seconds:
            signal.setitimer(signal.ITIMER_PROF, _SECONDS + 10 * self._seconds.get(item.nodeid, 0))

    def pytest_sessionfinish(self) -> None:
        """Let what comes after the tests take its time."""
        signal.setitimer(signal.ITIMER_PROF, 0)


class Sorted:
    """Puts the tests that are collected into an order.

    Args:
        order: What is known of them.
        nearest: The file whose tests come first.
        place: The statement that is changed, if it is one of a function: only tests that can notice that are kept.
    """

    def __init__(self, order: Order, nearest: str, place: str) -> None:
        self._order, self._nearest, self._place = order, nearest, place

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Sort them."""
        found = {item.nodeid: item for item in items}
        able = self._order.coming_by(found, {self._place, PROCESSES}) if self._place else list(found)
        items[:] = [found[name] for name in self._order.sorted(able, "", self._nearest)]


class Measure:
    """Measures the tests without a change: seconds of CPU, and the statements that they come by.

    What tests are given together counts for each of them, whichever of them it was made for.
    """

    def __init__(self) -> None:
        self.told: set[str] = set()
        self._given: dict[Any, Made] = {}
        self._made = 0.0  # seconds for what others are given as well
        self._seconds: dict[str, float] = {}
        self._reached: dict[str, list[str]] = {}
        self._uses: dict[str, list[str]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """Measure what is made for several tests; what it needs itself is measured for itself."""
        before, outside, made = _used(), set(self.told), self._made
        self.told.clear()
        with self._processes_told():
            yield
        if fixturedef.scope != "function":
            self._given[fixturedef] = Made(fixturedef, _used() - before - (self._made - made), set(self.told))
            self._made = made + _used() - before
        self.told |= outside

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        """Measure a test."""
        self.told.clear()
        before, self._made = _used(), 0.0
        with self._processes_told():
            result = yield
        own = _used() - before - self._made
        given = [one for one in given_to(item) if one in self._given]
        self._seconds[item.nodeid] = own + sum(self._given[one].seconds for one in given)
        self._reached[item.nodeid] = sorted(self.told.union(*(self._given[one].reached for one in given)))
        self._uses[item.nodeid] = [name_of(one) for one in given]
        return result

    @contextmanager
    def _processes_told(self) -> Iterator[None]:
        """Tell whether other processes ran: nobody sees which statements they come by."""
        before = _used_by_others()
        yield
        if _used_by_others() > before:
            self.told.add(PROCESSES)

    def write(self, path: Path) -> None:
        """Keep what was seen."""
        made = {name_of(one): found.told() for one, found in self._given.items()}
        seen = {"seconds": self._seconds, "reached": self._reached, "uses": self._uses, "made": made}
        path.write_text(json.dumps(seen), encoding="utf-8")


def _used() -> float:
    """Return the seconds of CPU of this process and of those that it has seen end."""
    return sum(os.times()[:2]) + _used_by_others()


def _used_by_others() -> float:
    return sum(os.times()[2:4])
