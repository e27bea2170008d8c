"""What is made for several tests, such as a release: once without a change, for all changes that have no part in it."""

import base64
import inspect
import pickle
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

_FREE = {"request", "tmp_path_factory"}  # what a fixture may need and is not measured


class Made:
    """One thing that several tests are given.

    Args:
        definition: The fixture of pytest.
        seconds: How long it took, without what it needs.
        reached: The statements that it came by.
    """

    def __init__(self, definition: Any, seconds: float, reached: set[str]) -> None:
        self.seconds, self.reached = seconds, reached
        self.name, self.needs = definition.argname, [*set(definition.argnames) - _FREE]
        self._value = definition.cached_result[0] if _keeps(definition) else None
        self._stamp = stamp(self._value)

    def told(self) -> dict[str, Any]:
        """Return it as JSON; without its value if that is more than paths and texts, or was written to meanwhile."""
        kept = self._value is not None and stamp(self._value) == self._stamp
        value = base64.b64encode(pickle.dumps(self._value)).decode() if kept else ""
        return {**vars(self), "reached": sorted(self.reached), "_value": value, "_stamp": self._stamp}


def name_of(definition: Any) -> str:
    """Return what names a fixture."""
    return f"{definition.baseid}::{definition.argname}"


def lasting(made: Mapping[str, dict[str, Any]], place: str) -> set[str]:
    """Return what is the same after a change of a statement: it did not come by it, nor did what it needs."""
    found = {key for key, one in made.items() if one["_value"] and place not in one["reached"]}
    while True:
        names = {made[key]["name"] for key in found} - {made[key]["name"] for key in set(made) - found}
        left = {key for key in found if names.issuperset(made[key]["needs"])}
        if left == found:
            return found
        found = left


def given_to(test: Any) -> list[Any]:
    """Return the fixtures of a test."""
    named = test._fixtureinfo.name2fixturedefs  # noqa: SLF001  (pytest has no public name for it)
    return [one for some in named.values() for one in some]


def lay(tests: Iterable[Any], made: Mapping[str, dict[str, Any]], keys: set[str]) -> None:
    """Let tests be given what was made, in a fork; what a trial before wrote to is made again."""
    for definition in {one: None for test in tests for one in given_to(test)}:
        if (key := name_of(definition)) in keys:
            value = pickle.loads(base64.b64decode(made[key]["_value"]))  # noqa: S301  (paths and texts)
            if stamp(value) == made[key]["_stamp"]:
                definition.cached_result = (value, None, None)
                definition.finish = _nothing


def stamp(value: Any) -> list[list[Any]]:
    """Return the sizes and times of all files of a value's paths."""
    files = [file for path in _paths(value) for file in [path, *sorted(path.rglob("*"))] if file.is_file()]
    return [[str(file), file.stat().st_size, file.stat().st_mtime_ns] for file in files]


def _nothing(request: Any) -> None:
    pass


def _keeps(definition: Any) -> bool:
    """Tell whether the value of a fixture can be kept: it is plain, and nothing is to be done with it at the end."""
    plain = definition.params is None and not inspect.isgeneratorfunction(definition.func)
    return plain and definition.cached_result is not None and _plain(definition.cached_result[0])


def _plain(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return all(map(_plain, value))
    if isinstance(value, dict):
        return all(map(_plain, [*value, *value.values()]))
    return type(value) in (str, int, float, bool) or isinstance(value, Path)


def _paths(value: Any) -> Iterator[Path]:
    if isinstance(value, Path):
        yield value
    elif isinstance(value, tuple | list | dict):
        for part in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from _paths(part)
