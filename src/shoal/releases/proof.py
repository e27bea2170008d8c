"""Proof: a release is put to every promise before anybody gets it, and again as it was written."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal.certificate import (
    ClusterFindings,
    Findings,
    examine_clusters,
    examine_rows,
    read_clusters,
)
from shoal.clusters.cluster_table import ClusterTable
from shoal.foundation.errors import CertificateError
from shoal.foundation.progress import Progress, silent
from shoal.jobs.delivery import Targets
from shoal.releases.run import Run
from shoal.tables.published import Published
from shoal.tables.rows import Rows


@dataclass(frozen=True, slots=True, eq=False)
class Proof:
    """The columns that leave, and what was found in these very columns: all that was promised.

    Args:
        records: The records; None if only clusters are released.
        clusters: The table of clusters, as text; None if it is not released.
        findings: What was found in the records, or in the clusters if they alone are released.
        found: What was found in the clusters, if there are some.

    Raises:
        CertificateError: Something was promised that they do not keep.
    """

    records: Published | None
    clusters: pl.DataFrame | None
    findings: Findings
    found: ClusterFindings | None

    def __post_init__(self) -> None:
        for one in (self.findings, self.found):
            if one is not None:
                one.demand()


def prove(run: Run, progress: Progress = silent) -> Proof:
    """Put every promise to what is about to be handed out, or raise a CertificateError."""
    progress("deriving the claims")
    clusters = None if run.gathered is None else _cluster_table(run, run.gathered.frame)
    found = None if clusters is None else _examined(run, clusters, {})
    shown = None if run.gathered is None or "clusters" not in run.parts else run.gathered.frame
    if found is not None and "records" not in run.parts:
        return Proof(None, shown, found.alone(), found)
    findings = examine_rows(run.released.rows(run.evidence.columns), run.job.require, run.evidence, clusters)
    findings.demand()
    _demand_all(run, findings.n_records)
    _demand_series(run, run.released.rows(run.evidence.columns))
    return Proof(run.released, shown, findings, found)


def prove_written(run: Run, targets: Targets, progress: Progress = silent) -> tuple[Findings, ClusterFindings | None]:
    """Write the parts of a release, read them back, and put every promise to what was written.

    Raises:
        CertificateError: Something was promised that they do not keep.
    """
    progress("writing the release")
    clusters, found = None, None
    if run.gathered is not None and "clusters" in run.parts:
        target = targets("clusters", run.codebook, {})  # a cluster lists values in one text
        target.put(iter([run.gathered.frame]))
        clusters, said = read_clusters(target.location, run.evidence)
        found = _examined(run, clusters, said)
    elif run.gathered is not None:
        clusters = _cluster_table(run, run.gathered.frame)
        found = _examined(run, clusters, {})
    if found is not None and "records" not in run.parts:
        return found.alone(), found
    location = run.engine.write(run.released, targets("records", run.codebook, run.types))
    progress("deriving the claims again")
    rows, file = run.engine.read_back(location, run.evidence.columns)
    findings = examine_rows(rows, run.job.require, run.evidence, clusters, file)
    findings.demand()
    _demand_all(run, findings.n_records)
    _demand_series(run, rows)
    return findings, found


def _demand_all(run: Run, n_records: int) -> None:
    """Raise a CertificateError unless just the records leave that the certificate counts."""
    starred = run.solution.suppressed if run.job.release.suppressed == "star" else 0
    wanted = run.solution.groups.n_records + starred
    if n_records != wanted:
        raise CertificateError(f"Refused: {n_records} records would leave, and {wanted} are to.")


def _demand_series(run: Run, rows: Rows) -> None:
    """Raise a CertificateError unless the records that leave keep what the series promises."""
    if run.series is not None:
        k = max(promise.least_size for promise in run.job.require)
        run.series.demand(rows, run.evidence.quasi, k)


def _cluster_table(run: Run, frame: pl.DataFrame) -> ClusterTable:
    """Return a table of clusters read as a reader would."""
    return ClusterTable.of(frame, run.evidence.quasi, run.evidence.held, run.evidence.values)


def _examined(run: Run, clusters: ClusterTable, file: dict[str, Any]) -> ClusterFindings:
    """Put promises and radii to a table of clusters."""
    found = examine_clusters(clusters, run.job.require, run.evidence, file)
    found.demand()
    if run.gathered is not None:
        run.gathered.demand_radii(clusters)
    return found
