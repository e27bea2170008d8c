"""How all tests run: a few examples of everything by default, many more with `--hypothesis-profile=deep`.

Changes of what is trusted are tried with `--hypothesis-profile=mutants`, which lies between the two.

A kernel may have to be compiled, so no example has a deadline. The quick run draws the same examples every time: a
failure is then due to a change. The deep run draws new ones, unless the variable CI is set. A test that asks for a
number of examples gets that share of it which the profile says.
"""

import gc
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import settings

from tests.covering import quick_cases
from tests.kernels import calls

_SHARES = {"quick": 0.08, "mutants": 0.15, "deep": 4.0}
_DEFAULTS = {"quick": 7, "mutants": 9, "deep": 250}  # numbers that no test asks for itself
_FEWEST = 4
_PARTS = {"quick": 6, "mutants": 3, "deep": 1}  # of the seeds of a loop, the first of so many parts
_SETTINGS = "_hypothesis_internal_use_settings"  # there is no other way to them once a test is written

for _name, _number in _DEFAULTS.items():
    _same = _name == "quick" or "CI" in os.environ
    settings.register_profile(_name, deadline=None, max_examples=_number, derandomize=_same)
settings.load_profile("quick")
calls.watch()

gc.disable()  # until all tests are known: each process makes a million objects by then, and they all stay

_shared: set[Callable[..., Any]] = set()


@pytest.fixture(autouse=True)
def kernels_are_called_as_listed() -> Iterator[None]:
    """Let a test fail that makes shoal call a kernel with types that `signatures.toml` does not list."""
    yield
    unlisted = [*dict.fromkeys(calls.UNLISTED)]
    calls.UNLISTED.clear()
    assert not unlisted, "List these calls in src/shoal/kernels/signatures.toml:\n" + "\n".join(unlisted)


@pytest.fixture(scope="session")
def seeds(request: pytest.FixtureRequest) -> Callable[[int], range]:
    """Return the seeds of so many rounds: all of them in the deep run, the first sixth in the quick one."""
    parts = _PARTS[request.config.getoption("--hypothesis-profile") or "quick"]
    return lambda number: range(-(-number // parts))


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Return a Spark session on loopback, started once for all tests of a process, and only if one asks for it."""
    from tests.search.engines.spark.server import running

    with running() as session:
        yield session


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave combinations of parameters to the deep run: the quick one has every value of each."""
    if (config.getoption("--hypothesis-profile") or "quick") == "quick":
        items[:], left = quick_cases(items)
        config.hook.pytest_deselected(items=left)


def pytest_collection_finish() -> None:
    """Look for cycles again, but never among the tests themselves."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(10_000, 20, 50)


def pytest_unconfigure() -> None:
    """Let all be taken away at the end: else DuckDB tells of what is left."""
    gc.unfreeze()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Give a test with examples its share of them, once, whatever number of parameters it runs with."""
    test: Any = getattr(item, "obj", None)
    if getattr(test, "is_hypothesis_test", False) and test not in _shared:
        _shared.add(test)
        asked: settings = getattr(test, _SETTINGS)
        default = settings.get_profile(profile := item.config.getoption("--hypothesis-profile") or "quick")
        if asked.max_examples != default.max_examples:  # else it asked for nothing
            few = max(min(asked.max_examples, _FEWEST), int(asked.max_examples * _SHARES[profile]))
            setattr(test, _SETTINGS, settings(asked, max_examples=few))
