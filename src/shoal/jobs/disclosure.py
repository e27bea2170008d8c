"""Disclosure: what of a certificate anybody may be told, as a certificate of its own that goes with the data.

It holds what `verify` needs of those who got the data, and nothing that helps an attacker. What is held back where
something could stand is null.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from shoal.foundation.members import fields_of
from shoal.jobs.job import Job
from shoal.models.model import PrivacyModel
from shoal.tables.formats import FORMATS
from shoal.tables.hierarchies import HierarchySpec
from shoal.tables.table import Role

PUBLIC = "certificate-public.json"
ReleasedValues = Callable[[str], Collection[str]]
"""Returns the values of a column that the release holds."""

_PUBLIC_FILES = ("report-public.html",)  # those that may be left out
_CLUSTERS = ("count", "smallest", "largest", "radii", "values", "file")


def disclosed(job: Job, certificate: Mapping[str, Any], held: ReleasedValues) -> dict[str, Any]:
    """Return what of a certificate helps no attacker, with what of the job is needed to derive the claims again.

    Left out are the figures that tell how near to each other or how far out records are (radii, other minimal
    generalizations, a loss that is a largest distance, units of distances that are taken from the raw table), the
    course of the search, all that names a file or a value that the release does not hold, and counts below k. With
    these goes the loss: what the released cells cost can be worked out, and the rest is that of the suppressed records.
    A weighted loss is left out, too, if the weights do not leave: what the cells cost tells of them.
    """
    k = max(promise.least_size for promise in job.require)
    algorithm, loss, records = certificate["algorithm"], certificate["loss"], certificate["records"]
    suppressed, dropped = records["suppressed"], certificate["missing"]["dropped"]
    few = any(0 < count < k for count in (suppressed, dropped, suppressed - dropped))
    weights = job.search.sampling_weights
    withheld = few or loss["measure"] == "radius" or not (weights is None or job.columns[weights].leaves)
    told = {
        "shoal": certificate["shoal"],
        **({"schema": certificate["schema"]} if "schema" in certificate else {}),
        "verdict": certificate["verdict"],
        **({"blind": certificate["blind"]} if "blind" in certificate else {}),
        "records": {"released": records["released"], "suppressed": None if 0 < suppressed < k else suppressed},
        "missing": {"reading": certificate["missing"]["reading"]},
        "columns": _columns(job, held),
        "classes": certificate["classes"],
        "claims": _claims(certificate["claims"], job.require, held),
        "loss": {
            "measure": loss["measure"],
            "share": None if withheld else _roughly(loss["share"]),
            **({"weighted": True} if "weighted" in loss else {}),
        },
        "algorithm": {name: algorithm[name] for name in ("name", "recoding", "levels")},
        "file": certificate["file"],
    }
    told |= {name: certificate[name] for name in ("grid", "pseudonyms") if name in certificate}
    if "series" in certificate:
        told["series"] = _series(certificate["series"], k)
    if "clusters" in certificate:
        told["clusters"] = _clusters(job, certificate["clusters"], held)
    if job.target is None and FORMATS[job.release.format].delimited:
        told["delimiter"] = job.input.delimiter or ","
    if job.release.escape_formulas:
        told["escape_formulas"] = True
    left_out = [name for name in certificate.get("left_out", ()) if name in _PUBLIC_FILES]
    if left_out:
        told["left_out"] = left_out
    return told


def _columns(job: Job, held: ReleasedValues) -> dict[str, Any]:
    """Return the role of each column that leaves, with the hierarchies that promises measure along."""
    measured = {name for promise in job.require if promise.along_hierarchy for name in promise.sensitive_columns}
    hidden = {Role.INSENSITIVE} if job.release.shape == "clusters" else set()
    told: dict[str, Any] = {}
    for name, column in job.columns.items():
        if column.leaves and column.role not in hidden:
            told[name] = {"role": str(column.role), **({} if column.pseudonym is None else {"pseudonym": True})}
        if name in measured and column.hierarchy is not None:
            told[name]["hierarchy"] = _recipe(column.hierarchy, name, held)
    return told


def _recipe(recipe: HierarchySpec, column: str, held: ReleasedValues) -> dict[str, Any] | None:
    """Return a hierarchy as in a job file, unless it is in a file, or names a value that the release does not hold."""
    if not recipe.public or not set(recipe.named_values) <= set(held(column)):
        return None
    return {"type": recipe.name, **fields_of(recipe)}


def _claims(claims: list[dict[str, Any]], promises: list[PrivacyModel], held: ReleasedValues) -> list[dict[str, Any]]:
    return [_claim(claim, promise, held) for claim, promise in zip(claims, promises, strict=True)]


def _claim(claim: dict[str, Any], promise: PrivacyModel, held: ReleasedValues) -> dict[str, Any]:
    """Return a claim without what names a file, or a value that the release does not hold."""

    def harmless(name: str, value: Any) -> bool:
        if name in (*promise.plain, *promise.thresholds) or not isinstance(value, str | list | tuple):
            return True
        return name in promise.told_values and value in held(promise.sensitive_columns[0])

    parameters = claim["parameters"].items()
    return {**claim, "parameters": {name: value if harmless(name, value) else None for name, value in parameters}}


def _clusters(job: Job, stated: Mapping[str, Any], held: ReleasedValues) -> dict[str, Any]:
    """Return what may be said of clusters: of their table what it shows itself, and how its radii are to be read."""
    told = {"shape": stated["shape"]}
    if stated["shape"] == "records":
        return told
    promises = [promise for promise in job.require if promise.told_by(stated["values"])]
    given = {name for name, column in job.columns.items() if column.distance and column.distance.unit_given}
    axes = [
        {**axis, "weight": axis["weight"] if axis["kind"] != "number" or given.issuperset(axis["columns"]) else None}
        for axis in stated["metric"]["axes"]
    ]
    return {
        **told,
        **{name: stated[name] for name in _CLUSTERS},
        "claims": _claims(stated["claims"], promises, held),
        "metric": {**stated["metric"], "axes": axes},
    }


def _series(stated: Mapping[str, Any], k: int) -> dict[str, Any]:
    """Return what may be said of a series: neither how many persons there ever were, nor a count of few of them."""
    told = {name: value for name, value in stated.items() if name not in ("waiting", "persons")}
    return {**told, "withheld": None if 0 < stated["withheld"] < k else stated["withheld"]}


def _roughly(share: float) -> float:
    """Return a share with few digits, and not as all if it is less."""
    return min(float(f"{share:.3g}"), 0.999) if share < 1 else share
