"""Changes: what flags make of a job file."""

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.foundation.errors import SpecError
from shoal.foundation.shelf import did_you_mean
from shoal.search.algorithms import ALGORITHMS

CLUSTER_KEYS = ("shape", "radius", "values")  # of a release: they are for clusters alone


def changed(
    content: dict[str, Any],
    changes: Mapping[str, Mapping[str, Any]],
    promises: Sequence[dict[str, Any]],
    omitted: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the content of a job file with flags on top; what is not of the right kind stays, to be refused.

    An algorithm that has no use for a measure takes the place of the file's measure, too; and one that publishes no
    clusters that of what the file says of their table. Another engine takes the place of all
    that the file says of its own. A column that is left out loses all that the file says of it.
    """
    algorithm = changes.get("search", {}).get("algorithm")
    section, unused = ("search", ("measure",)) if has_objective(algorithm) else ("release", CLUSTER_KEYS)
    if algorithm is not None and isinstance(content.get(section), dict):
        content[section] = {key: value for key, value in content[section].items() if key not in unused}
    if isinstance(content.get("engine"), str):
        content["engine"] = {"name": content["engine"]}
    asked, engine = changes.get("engine", {}).get("name"), content.get("engine")
    if asked is not None and isinstance(engine, dict) and engine.get("name") != asked:
        content["engine"] = {}
    for section, values in changes.items():
        if values and isinstance(content.setdefault(section, {}), dict):
            content[section] = {**content[section], **values}
    stated = content.get("require", [])
    if promises and isinstance(stated, list):
        content["require"] = _replaced(stated, promises)
    if omitted and isinstance(content.get("columns"), dict):
        content["columns"] = _without(content["columns"], omitted)
    return content


def _without(columns: dict[str, Any], omitted: Sequence[str]) -> dict[str, Any]:
    """Return the columns of a job file with some left out, or raise a SpecError if it has no such column."""
    for name in omitted:
        if name not in columns:
            raise SpecError(f"There is no column '{name}' to leave out. {did_you_mean(name, list(columns))}")
    return {name: {"role": "omitted"} if name in omitted else column for name, column in columns.items()}


def _replaced(stated: Sequence[Any], promises: Sequence[dict[str, Any]]) -> list[Any]:
    """Return promises with others in the places of those of the same model and column, and the rest at the end.

    How many records a household has is no wish: `members` stays, unless another number is given.
    """

    def about(promise: Any) -> tuple[Any, Any] | None:
        return (promise.get("model"), promise.get("column")) if isinstance(promise, dict) else None

    given: dict[Any, list[dict[str, Any]]] = {}
    for promise in promises:
        given.setdefault(about(promise), []).append(promise)
    found: list[Any] = []
    known = set(given)
    for promise in stated:
        place = about(promise)
        kept = {"members": promise["members"]} if isinstance(promise, dict) and "members" in promise else {}
        found += [promise] if place not in known else [{**kept, **one} for one in given.pop(place, [])]
    return [*found, *(promise for left in given.values() for promise in left)]


def has_objective(algorithm: Any) -> bool:
    """Tell whether a name, or a table with one, is that of an algorithm that publishes clusters."""
    name = algorithm.get("name") if isinstance(algorithm, Mapping) else algorithm
    if not isinstance(name, str) or name == "auto":
        return False
    member = ALGORITHMS.find(name)
    return member is not None and member.objective is not None
