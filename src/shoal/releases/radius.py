"""Verification of clusters besides their promises: table and certificate agree, and the stated radius holds."""

from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np
import polars as pl

from shoal.certificate import ClusterFindings
from shoal.classes.tally import Tally
from shoal.clusters.centre_distances import CentreDistances, numbers_of
from shoal.clusters.cluster_table import ClusterTable
from shoal.clusters.metric import Metric
from shoal.foundation.errors import CertificateError, SpecError
from shoal.jobs.job import Job
from shoal.jobs.source import Source, metric_of, read
from shoal.releases.claims.release_claims import ReleaseClaims
from shoal.releases.gathered import describe_metric
from shoal.releases.rules.solving import on_a_line, with_centres
from shoal.tables.location import Location
from shoal.tables.table import select_columns

_PAIRS = 4_000_000_000  # most distances that are computed: some minutes
_ROUNDED = 2e-5  # relative difference of two figures that agree to six digits


def compare_clusters(table: ClusterTable | None, found: ClusterFindings | None, claims: ReleaseClaims) -> None:
    """Raise a CertificateError that lists every difference between the table of clusters and the certificate.

    The public certificate states neither the largest radius nor the cost of the clusters.
    """
    if table is None or found is None:
        return
    stated = claims.certificate["clusters"]
    own = stated.get("radii") == "own"
    pairs = [
        ("what it says of the file of clusters", found.file, stated["file"]),
        ("the clusters", found.sizes, {key: stated.get(key) for key in found.sizes}),
        ("the claims on the clusters", _as_derived(stated.get("claims"), found, claims), True),
        ("what is told of the radii", claims.release.radius, stated.get("radii")),
        ("what is told of the values", claims.release.values, stated.get("values")),
        ("the radii, which are not all the largest", own or bool((table.radii == found.radius).all()), True),
    ]
    if claims.job is not None:
        cellular, told = float(table.sizes @ table.radii), stated.get("objectives")
        objectives = told if isinstance(told, dict) else {}
        pairs += [
            ("the largest radius", [found.radius] * 2, [stated.get("radius"), objectives.get("radius")]),
            ("the cellular cost", not own or _near(cellular, objectives.get("cellular")), True),
        ]
    different = [what for what, here, said in pairs if here != said]
    if different:
        raise CertificateError(f"The table of clusters and its certificate differ in {', '.join(different)}.")


def _as_derived(stated: Any, found: ClusterFindings, claims: ReleaseClaims) -> bool:
    """Tell whether the stated claims are those that were derived, and the others are of promises that cannot be."""
    derived = [claims.stated(claim) for claim in found.claims]
    if not isinstance(stated, list) or [claim for claim in stated if claim in derived] != derived:
        return False
    lacking = [(one.claim["model"], one.claim["parameters"]) for one in claims.promised if one.lacking is not None]
    others = [claim for claim in stated if claim not in derived]
    return all(isinstance(one, dict) and (one.get("model"), one.get("parameters")) in lacking for one in others)


def _near(derived: float, stated: Any) -> bool:
    return isinstance(stated, int | float) and abs(derived - stated) <= _ROUNDED * max(derived, 1e-300)


def centres_of(location: Location, quasi: tuple[str, ...]) -> pl.DataFrame:
    """Return the centres of a release without a table of clusters: the distinct quasi values of its records."""
    return select_columns(location.read(keep=quasi), quasi).unique(maintain_order=True)


def check_radius(job: Job, certificate: dict[str, Any], centres: pl.DataFrame, n_released: int) -> str | None:
    """Check the largest radius against the raw table of the job; return why it cannot be checked, or None.

    Every record must be within the radius of some centre, except for as many records as were suppressed.

    Raises:
        CertificateError: More records than were suppressed are farther from every centre.
    """
    missing = next((path for path in job.files() if not path.is_file()), None)
    if missing is not None:
        return f"needs '{missing}'"
    try:
        source = read(job)
        tally = _tally(source, centres)
        metric = metric_of(source.job, tally)
    except SpecError as error:
        return str(error)
    if metric is None or source.n_input != certificate["records"]["input"]:
        return f"{job.location} is not the table that was released: it has another number of records"
    if not _same_metric(metric, certificate["clusters"].get("metric")):
        raise CertificateError(f"The metric that the certificate states is not that of {job.location}.")
    radius = certificate["clusters"].get("radius")
    if not isinstance(radius, int | float) or not isfinite(radius):
        raise CertificateError("The radius that the certificate states is no number.")
    distances = CentreDistances.of(metric, tally.codes, tally.counts)
    coordinates = numbers_of(metric, {name: centres[name].to_list() for name in centres.columns})
    beyond, suppressed = distances.beyond(coordinates, radius, _PAIRS), tally.n_records - n_released
    if beyond is None:
        return f"needs more than {_PAIRS:,} distances"
    if beyond > suppressed:
        raise CertificateError(
            f"By {job.location}, {beyond} records are farther from every centre than the radius that is stated, "
            f"and only {suppressed} were suppressed."
        )
    return None


def _tally(source: Source, centres: pl.DataFrame) -> Tally:
    """Count a table with the values of centres among its own, which may come from another table by rules."""
    job, hierarchies = source.job, dict(source.hierarchies)
    texts = {name: centres[name].to_list() for name in centres.columns}
    for name, found in texts.items():
        values, named = set(source.table.columns[name].values), {text for text in found if text is not None}
        recipe = job.columns[name].hierarchy
        if recipe is not None and not on_a_line(job, name) and not named <= values:
            hierarchies[name] = recipe.build(sorted(values | named), name, job.folder)
    counted = replace(source, hierarchies=hierarchies).engine.count(job.watched())
    return with_centres(counted.tally, job, texts)


def _same_metric(metric: Metric, stated: Any) -> bool:
    """Tell whether a metric is the one that a certificate describes; stated weights are rounded."""
    derived = describe_metric(metric, "")
    try:
        pairs = list(zip(derived["axes"], stated["axes"], strict=True))
        alike = all(one[key] == said[key] for one, said in pairs for key in ("columns", "kind"))
        near = np.allclose([one["weight"] for one, _ in pairs], [said["weight"] for _, said in pairs], rtol=_ROUNDED)
        return bool(alike and near and derived["norm"] == stated["norm"])
    except (KeyError, TypeError, ValueError):
        return False
