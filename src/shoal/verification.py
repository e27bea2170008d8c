"""Verification: a release folder is put to its certificate again, anywhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shoal.certificate import Evidence, Findings, digest_of, examine_place, unsealed
from shoal.databases import database_of
from shoal.databases.address import Address
from shoal.errors import CertificateError, SpecError
from shoal.hierarchies import Hierarchy
from shoal.job import Job
from shoal.models.model import PrivacyModel
from shoal.place import FilePlace, Place, TablePlace
from shoal.source import population_evidence
from shoal.table import Role


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found: the claims derived again, and those that need files which are not at hand."""

    findings: Findings
    not_derived: dict[str, str]

    @property
    def verdict(self) -> str:
        """What holds, in a few words."""
        if not self.not_derived:
            return "all claims hold"
        return f"{len(self.findings.claims)} claims hold, {len(self.not_derived)} could not be derived here"

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "verdict": self.verdict,
            "claims": [claim.as_dict() for claim in self.findings.claims],
            "classes": self.findings.classes,
            "file": self.findings.file,
            "not_derived": self.not_derived,
        }


def verify(folder: str | Path, *, url: str | None = None) -> Verified:
    """Derive every claim of a release folder again from its file or table, and compare all with the certificate.

    A claim that refers to another file (a population, a matrix of distances, a hierarchy to measure along) is
    derived if that file is where the job says; else it is named among those not derived, with the reason.

    Args:
        folder: The folder.
        url: The database that the released table is in now, if it was moved since.

    Raises:
        SpecError: The folder is not a release.
        CertificateError: The file is not the one that was certified, or does not keep what was promised.
    """
    folder = Path(folder)
    certificate = _certificate(folder)
    job = _job(folder, certificate)
    place = _place(folder, certificate, job, url)
    reasons = {promise: _lacking(job, promise) for promise in job.require}
    populations: Mapping[str, pl.DataFrame] = {}
    quasi = tuple(name for name in certificate["file"]["columns"] if job.columns[name].role is Role.QUASI)
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
        hierarchies=_hierarchies(job, promises, place),
        populations=populations,
    )
    findings = examine_place(place, promises, evidence)
    if findings.file["sha256"] != certificate["file"]["sha256"]:
        raise CertificateError("The table is not the one that was certified: the digest of its records differs.")
    findings.demand()
    _compare(findings, certificate, promises, job)
    return Verified(findings, {_name(promise): reason for promise, reason in reasons.items() if reason is not None})


def _certificate(folder: Path) -> dict[str, Any]:
    """Read the certificate and make sure that it is whole, and that the file beside it is the one it speaks of."""
    for name in ("certificate.json", "job.toml"):
        if not (folder / name).is_file():
            raise SpecError(f"'{folder}' is not a release: it has no {name}.")
    certificate = unsealed((folder / "certificate.json").read_bytes())
    try:
        name, digest = str(certificate["file"]["name"]), certificate["file"]["sha256"]
        complete = all(key in certificate for key in ("claims", "classes", "records", "algorithm"))
    except (KeyError, TypeError):
        name, digest, complete = "", "", False
    if not complete or ("database" not in certificate["file"] and name != Path(name).name):
        raise CertificateError(f"The certificate in '{folder}' lacks what a certificate states.")
    if "database" in certificate["file"]:
        return certificate
    if not (folder / name).is_file():
        raise CertificateError(f"The file '{name}' that the certificate speaks of is not in '{folder}'.")
    if digest_of(folder / name) != digest:
        raise CertificateError(f"The file '{name}' is not the one that was certified: its digest differs.")
    return certificate


def _place(folder: Path, certificate: dict[str, Any], job: Job, url: str | None) -> Place:
    """Return where the released data is."""
    if "database" not in certificate["file"]:
        if url is not None:
            raise SpecError(f"The release in '{folder}' is a file, and not in a database.")
        return FilePlace(folder / certificate["file"]["name"], _delimiter(job))
    table = certificate["file"]["name"]
    if url is not None:
        return TablePlace(database_of(Address.of(url)), table)
    if job.target is None or job.target.table != table:
        raise CertificateError("The certificate and the job beside it differ in the table.")
    return job.target


def _job(folder: Path, certificate: dict[str, Any]) -> Job:
    """Read the job beside the certificate; it must speak of the same columns."""
    try:
        job = Job.read(folder / "job.toml")
    except SpecError as error:
        raise CertificateError(f"The job of the release is not as it was written. {error}") from None
    published = {name for name, column in job.columns.items() if column.role is not Role.IDENTIFIER}
    if published != set(certificate["file"]["columns"]):
        raise CertificateError("The certificate and the job beside it differ in the columns.")
    return job


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


def _delimiter(job: Job) -> str:
    return job.input.delimiter or ","


def _hierarchies(job: Job, promises: list[PrivacyModel], place: Place) -> dict[str, Hierarchy]:
    """Build the hierarchies that promises measure along, over the values of the release."""
    found = {}
    for name in {promise.sensitive_columns[0] for promise in promises if _along(promise)}:
        values = place.read(keep=[name])[name]
        hierarchy = job.hierarchy_over(values, name)
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
