"""Told: what a certificate tells that was not derived, by what was at hand."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

_FIRST = ("algorithm.nodes_checked", "algorithm.remark", "algorithm.seconds")  # where the first schema has them
MAKER = ("shoal", "told", "rules.sha256", *_FIRST)
"""What nobody can derive: the version, how long the search took and what it remarks, and where rules came from."""
SEARCH = (
    *("loss.bound", "loss.ratio", "loss.witness", "clusters.bound"),
    *("algorithm.name", "algorithm.guarantee", "algorithm.factor", "algorithm.minimal"),
)
"""What the search tells of how good a release is: the same search, run again, derives it."""
RAW = (
    *("records.input", "records.suppressed", "missing.dropped", "missing.merged", "labels"),
    *(
        "loss.total",
        "loss.share",
        "loss.columns",
        "loss.measure",
        "loss.weighted",
        "algorithm.recoding",
        "algorithm.levels",
    ),
    *("grid", "clusters.objectives", "clusters.metric", "rules.outside", "rules.failing", "rules.idle_classes"),
)
"""What the raw table derives."""


def told(certificate: Mapping[str, Any], *derived: Iterable[str]) -> dict[str, Any]:
    """Return what a certificate tells that was not derived, by its place in the certificate.

    Args:
        certificate: The certificate.
        derived: The places that were derived.
    """
    known = {path for one in derived for path in one}
    places = [path for path in (*RAW, *SEARCH, *MAKER) if path not in known]
    found = {path: _at(certificate, path.split(".")) for path in places}
    return {path: value for path, value in found.items() if value not in (None, {}, [])}


def without(certificate: Mapping[str, Any], places: Iterable[str]) -> dict[str, Any]:
    """Return a certificate without some of its places."""
    left: dict[str, Any] = deepcopy(dict(certificate))
    for place in places:
        *way, last = place.split(".")
        part = _at(left, way)
        if isinstance(part, dict):
            part.pop(last, None)
    return left


def _at(part: Any, way: list[str]) -> Any:
    for key in way:
        part = part.get(key) if isinstance(part, Mapping) else None
    return part
