"""The order of the tests of a trial, and their time: what noticed a change lately comes first, then what is quick."""

import json
import math
import signal
from pathlib import Path

import pytest

_SECONDS = 5.0  # of CPU that each test may take, and ten times what it takes without a change


class Order:
    """A plug-in of pytest that remembers, from trial to trial, how long each test took and which noticed a change.

    A test that takes much more CPU than without a change is ended, and with it the trial.

    Args:
        path: Where that is kept between the trials of one file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"seconds": {}, "noticed": []}
        self._seconds: dict[str, float] = kept["seconds"]
        self._noticed: list[str] = kept["noticed"]
        self._known = bool(self._seconds)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Put the tests in their order."""
        latest = {name: place for place, name in enumerate(reversed(self._noticed))}
        items.sort(key=lambda item: (latest.get(item.nodeid, math.inf), self._scale(item.nodeid)))

    def _scale(self, name: str) -> int:
        """Return how many digits the milliseconds of a test have."""
        return len(str(round(1000 * self._seconds.get(name, 0))))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Let a test that runs for too long end the process."""
        if self._known:
            signal.setitimer(signal.ITIMER_PROF, _SECONDS + 10 * self._seconds.get(item.nodeid, 0))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember a test that failed."""
        if not self._known:
            self._seconds[report.nodeid] = self._seconds.get(report.nodeid, 0) + report.duration
        if report.failed:
            self._noticed = [*(name for name in self._noticed if name != report.nodeid), report.nodeid]

    def pytest_sessionfinish(self) -> None:
        """Keep what the next trial needs."""
        signal.setitimer(signal.ITIMER_PROF, 0)
        kept = {"seconds": self._seconds, "noticed": self._noticed}
        self._path.write_text(json.dumps(kept), encoding="utf-8")
