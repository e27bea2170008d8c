"""Verification: a release folder is put to its certificate again, anywhere."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal.certificate import (
    ClusterFindings,
    Evidence,
    Findings,
    examine_clusters,
    examine_place,
    read_clusters,
    unsealed,
)
from shoal.cluster_table import ClusterTable
from shoal.databases import database_of
from shoal.databases.address import Address
from shoal.delivery import Delivery
from shoal.errors import CertificateError, SpecError
from shoal.hierarchies import Hierarchy
from shoal.job import Job
from shoal.models.model import PrivacyModel
from shoal.place import digest_of
from shoal.progress import Progress, silent
from shoal.radius import centres_of, check_radius, compare_clusters
from shoal.source import population_evidence
from shoal.table import Role


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found: the claims derived again, and those that need files which are not at hand."""

    findings: Findings
    not_derived: dict[str, str]
    clusters: ClusterFindings | None = None

    @property
    def verdict(self) -> str:
        """What holds, in a few words."""
        if not self.not_derived:
            return "all claims hold"
        return f"{len(self.findings.claims)} claims hold, {len(self.not_derived)} could not be derived here"

    @property
    def n_files(self) -> int:
        """How many files were certified."""
        names = [self.findings.file, self.clusters.file if self.clusters is not None else {}]
        return len({file["name"] for file in names if file})

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        found = {
            "verdict": self.verdict,
            "claims": [claim.as_dict() for claim in self.findings.claims],
            "classes": self.findings.classes,
            "file": self.findings.file,
            "not_derived": self.not_derived,
        }
        if self.clusters is None:
            return found
        claims = [claim.as_dict() for claim in self.clusters.claims]
        return {**found, "clusters": {**self.clusters.sizes, "claims": claims, "file": self.clusters.file}}


def verify(folder: str | Path, *, url: str | None = None, progress: Progress = silent) -> Verified:
    """Derive every claim of a release folder again from its file or table, and compare all with the certificate.

    A claim that refers to another file (a population, a matrix of distances, a hierarchy to measure along) is
    derived if that file is where the job says; else it is named among those not derived, with the reason. So is
    the radius of clusters, which only the raw table can tell.

    Args:
        folder: The folder.
        url: The database that the released table is in now, if it was moved since.
        progress: Called with what is being done.

    Raises:
        SpecError: The folder is not a release.
        CertificateError: The file is not the one that was certified, or does not keep what was promised.
    """
    folder = Path(folder)
    progress("comparing the files with their digests")
    certificate = _certificate(folder)
    progress("deriving the claims again")
    delivery = _delivery(folder, certificate, url)
    job, place = delivery.job, delivery.place(delivery.parts[0])
    reasons = {promise: _lacking(job, promise) for promise in job.require}
    populations: Mapping[str, pl.DataFrame] = {}
    quasi = tuple(name for name in certificate["file"]["columns"] if name in job.names(Role.QUASI))
    if any(promise.population_file is not None and reason is None for promise, reason in reasons.items()):
        try:
            populations = population_evidence(job, quasi, certificate["algorithm"]["levels"])
        except SpecError as error:
            reasons |= {promise: str(error) for promise in job.require if promise.population_file is not None}
    promises = [promise for promise, reason in reasons.items() if reason is None]
    evidence = Evidence(
        quasi=quasi,
        sensitive=job.watched(),
        wildcard=job.input.missing == "wildcard",
        populations=populations,
        held=() if job.objective is None else job.names(Role.SENSITIVE),
        values=job.release.values or "multiset",
    )
    clusters, file = _clusters(delivery, certificate, evidence)
    evidence = replace(evidence, hierarchies=_hierarchies(delivery, promises, clusters))
    found = None if clusters is None else examine_clusters(clusters, promises, evidence, file)
    if found is not None:
        found.demand()
    if found is not None and "records" not in delivery.parts:
        findings = found.alone()
    else:
        findings = examine_place(place, promises, evidence, clusters)
    _check_digest(findings.file, certificate["file"])
    findings.demand()
    _compare(findings, certificate, promises, job)
    not_derived = {_name(promise): reason for promise, reason in reasons.items() if reason is not None}
    if job.objective is not None:
        compare_clusters(clusters, found, certificate, job)
        centres = clusters.centres if clusters is not None else centres_of(place, quasi)
        progress("measuring the clusters")
        reason = check_radius(job, certificate, centres, findings.n_records)
        not_derived |= {} if reason is None else {"radius": reason}
    return Verified(findings, not_derived, found)


def _clusters(
    delivery: Delivery, certificate: dict[str, Any], evidence: Evidence
) -> tuple[ClusterTable | None, dict[str, Any]]:
    """Read the table of clusters, if one is released, and say which it is."""
    if "clusters" not in delivery.parts:
        return None, {}
    clusters, file = read_clusters(delivery.place("clusters"), evidence)
    _check_digest(file, certificate["clusters"]["file"])
    return clusters, file


def _check_digest(found: dict[str, Any], stated: dict[str, Any]) -> None:
    """Raise a CertificateError if a table of a database is another; that of a file was looked at first."""
    if found["sha256"] != stated["sha256"]:
        raise CertificateError(
            f"The table {found['name']} is not the one that was certified: the digest of its records differs."
        )


def _certificate(folder: Path) -> dict[str, Any]:
    """Read the certificate and make sure that it is whole, and that the files beside it are those it speaks of."""
    for name in ("certificate.json", "job.toml"):
        if not (folder / name).is_file():
            raise SpecError(f"'{folder}' is not a release: it has no {name}.")
    certificate = unsealed((folder / "certificate.json").read_bytes())
    try:
        table = certificate.get("clusters", {"shape": "records"})
        stated = [certificate["file"], *([table["file"]] if table["shape"] != "records" else [])]
        stated = [{**file, "name": str(file["name"]), "sha256": file["sha256"]} for file in stated]
        complete = all(key in certificate for key in ("claims", "classes", "records", "algorithm"))
    except (KeyError, TypeError, AttributeError):
        stated, complete = [], False
    files = [file for file in stated if "database" not in file]
    if not complete or any(file["name"] != Path(file["name"]).name for file in files):
        raise CertificateError(f"The certificate in '{folder}' lacks what a certificate states.")
    for file in files:
        if not (folder / file["name"]).is_file():
            raise CertificateError(f"The file '{file['name']}' that the certificate speaks of is not in '{folder}'.")
        if digest_of(folder / file["name"]) != file["sha256"]:
            raise CertificateError(f"The file '{file['name']}' is not the one that was certified: its digest differs.")
    return certificate


def _delivery(folder: Path, certificate: dict[str, Any], url: str | None) -> Delivery:
    """Return where the parts of the release are, by the job beside the certificate; it must speak of the same."""
    try:
        job = Job.read(folder / "job.toml")
    except SpecError as error:
        raise CertificateError(f"The job of the release is not as it was written. {error}") from None
    if job.release.shape != certificate.get("clusters", {}).get("shape"):
        raise CertificateError("The certificate and the job beside it differ in what is released of clusters.")
    if url is not None and job.target is None:
        raise SpecError(f"The release in '{folder}' is a file, and not in a database.")
    delivery = Delivery(job, folder, None if url is None else database_of(Address.of(url)))
    for part in delivery.parts:
        stated = certificate["file"] if part == delivery.parts[0] else certificate["clusters"]["file"]
        if delivery.place(part).name != stated["name"] or ("database" in stated) != (job.target is not None):
            raise CertificateError("The certificate and the job beside it differ in the name of a file or table.")
        if set(delivery.columns(part)) != set(stated["columns"]):
            raise CertificateError("The certificate and the job beside it differ in the columns.")
    return delivery


def _lacking(job: Job, promise: PrivacyModel) -> str | None:
    """Say which file a promise refers to that is not there."""
    paths = [Path(path) for path in (promise.population_file, getattr(promise, "distances", None)) if path is not None]
    if promise.population_file is not None:
        recipes = [column.hierarchy for column in job.columns.values() if column.role is Role.QUASI]
        paths += [*job.input_files, *(job.folder / path for path in map(_path_of, recipes) if path is not None)]
    if _along(promise):
        path = _path_of(job.columns[promise.sensitive_columns[0]].hierarchy)
        paths += [job.folder / path] if path is not None else []
    return next((f"needs '{path}'" for path in paths if not path.is_file()), None)


def _along(promise: PrivacyModel) -> bool:
    """Tell whether a promise measures along the hierarchy of its column."""
    return getattr(promise, "distance", None) in ("ordered", "hierarchical")


def _path_of(recipe: object) -> str | None:
    return getattr(recipe, "path", None)


def _name(promise: PrivacyModel) -> str:
    return " ".join([promise.name, *(f"({column})" for column in promise.sensitive_columns)])


def _hierarchies(
    delivery: Delivery, promises: list[PrivacyModel], clusters: ClusterTable | None
) -> dict[str, Hierarchy]:
    """Build the hierarchies that promises measure along, over the values of the release."""
    found = {}
    for name in {promise.sensitive_columns[0] for promise in promises if _along(promise)}:
        if clusters is not None:
            values = pl.Series(name, clusters.held[name].values, dtype=pl.String)
        else:
            values = delivery.place("records").read(keep=[name])[name]
        hierarchy = delivery.job.hierarchy_over(values, name)
        if hierarchy is not None:
            found[name] = hierarchy
    return found


def _compare(findings: Findings, certificate: dict[str, Any], promises: list[PrivacyModel], job: Job) -> None:
    """Raise a CertificateError that names all in which the certificate and the file differ."""
    derived = {claim.model: claim.as_dict() for claim in findings.claims}
    stated = dict(zip(job.require, certificate["claims"], strict=False))
    pairs = [
        ("what it says of the file", findings.file, certificate["file"]),
        ("the classes", findings.classes, certificate["classes"]),
        ("the number of claims", len(job.require), len(certificate["claims"])),
        *((f"the claim {_name(promise)}", derived[promise], stated.get(promise)) for promise in promises),
    ]
    different = [what for what, found, said in pairs if found != said]
    if different:
        raise CertificateError(f"The file and its certificate differ in {', '.join(different)}.")
