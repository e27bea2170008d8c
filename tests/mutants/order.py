"""The order of the tests of a change: those that come by its statement, the quick ones and what notices much first."""

import json
from collections import Counter
from collections.abc import Iterable, Set
from itertools import accumulate
from pathlib import Path
from typing import Any

PROCESSES = "other processes"  # stands for the statements that these come by
_ALONE = 8  # so many tests come first, of whatever files; the others file by file, which share what they are given
_STRANGE = 50.0  # how much dearer a test counts that does not come by the statement
_LEAST = 0.01  # seconds that any test takes


class Order:
    """What is known of tests: their seconds of CPU, the statements that they come by, and what they noticed.

    Args:
        path: Where `Watch` has written what it saw without a change.
    """

    def __init__(self, path: Path) -> None:
        kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        self.seconds: dict[str, float] = kept.get("seconds", {})
        self._reached = {test: set(places) for test, places in kept.get("reached", {}).items()}
        self._uses: dict[str, list[str]] = kept.get("uses", {})
        self.made: dict[str, dict[str, Any]] = kept.get("made", {})
        self._noticed = Counter[tuple[str, str]]()

    def add(self, function: str, test: str) -> None:
        """Remember which test noticed a change of a function."""
        self._noticed[function, test] += 1

    def uses(self, test: str) -> list[str]:
        """Return what a test is given that others are given too."""
        return self._uses.get(test, [])

    def coming_by(self, tests: Iterable[str], places: set[str]) -> list[str]:
        """Return the tests that come by one of some statements: no other can notice a change of it."""
        return [test for test in tests if not places.isdisjoint(self._reached.get(test, ()))]

    def sorted(self, tests: Iterable[str], function: str, place: str, there: Set[str] = frozenset()) -> list[str]:
        """Return tests in the order in which a change is noticed soonest.

        Args:
            tests: The tests.
            function: The function that is changed.
            place: The statement that tests should come by; or, of a change outside of functions, the nearest tests.
            there: What need not be made again for them.
        """
        prices = {test: self._price(test, function, place, there) for test in tests}
        order = sorted(prices, key=lambda test: prices[test])
        first, rest = order[:_ALONE], order[_ALONE:]
        files = list(dict.fromkeys(map(file_of, rest)))
        return [*first, *sorted(rest, key=lambda test: files.index(file_of(test)))]

    def first(self, tests: list[str], seconds: float) -> list[str]:
        """Return the first tests, as many as take so many seconds together; one at least."""
        ends = accumulate(max(self.seconds.get(test, 0.0), _LEAST) for test in tests)
        return [test for test, end in zip(tests, ends, strict=True) if test is tests[0] or end <= seconds]

    def _price(self, test: str, function: str, place: str, there: Set[str]) -> float:
        spared = sum(self.made[one]["seconds"] for one in self.uses(test) if one in there)
        noticed = self._noticed[function, test]
        near = noticed or place == file_of(test) or place in self._reached.get(test, ())
        return (max(self.seconds.get(test, 0.0) - spared, 0.0) + _LEAST) * (1.0 if near else _STRANGE) / (1 + noticed)


def file_of(test: str) -> str:
    """Return the file of a test."""
    return test.partition("::")[0]
