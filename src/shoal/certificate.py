"""The certificate: what holds for a released file, derived again from the file alone.

Nothing here knows how a release was made: the file is read back, records with identical published quasi values
are counted as classes, and every promise is put to those classes.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shoal.databases.database import Session
from shoal.databases.database import digest_of as digest_of_records
from shoal.errors import CertificateError
from shoal.formats import format_of
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.models.model import Measured, PrivacyModel, claim_of
from shoal.observed import Observed
from shoal.place import FilePlace, Place, TablePlace


@dataclass(frozen=True, slots=True)
class Claim:
    """A promise, what was asked, what the file reaches, and whether that is enough."""

    model: PrivacyModel
    achieved: Measured
    holds: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the claim as it stands in the certificate; one threshold stands as a number."""
        return claim_of(self.model, self.achieved, holds=self.holds)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What a certificate needs to know beside the file: the roles, and what the promises refer to.

    Args:
        quasi: The quasi columns.
        sensitive: The sensitive columns that the promises speak of.
        wildcard: Whether a missing value counts as matching every value.
        hierarchies: Hierarchies of sensitive columns, for distances along them.
        populations: For each outside table, its cells in the words of the release, with a column of counts.
    """

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    wildcard: bool = False
    hierarchies: Mapping[str, Hierarchy] | None = None
    populations: Mapping[str, pl.DataFrame] | None = None


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found in a file: its claims, its classes and its digest."""

    claims: tuple[Claim, ...]
    classes: dict[str, Any]
    n_records: int
    file: dict[str, Any]

    def demand(self) -> None:
        """Raise a CertificateError that names every claim which does not hold."""
        failed = [claim for claim in self.claims if not claim.holds]
        if failed:
            words = "; ".join(
                f"{claim['model']}: asked {claim['asked']}, found {claim['achieved']}"
                for claim in (one.as_dict() for one in failed)
            )
            raise CertificateError(f"Refused: the written file does not keep what was promised ({words}).")


def examine_frame(frame: pl.DataFrame, models: Sequence[PrivacyModel], evidence: Evidence) -> Findings:
    """Put every promise to the classes of a published table."""
    observed = Observed.of(frame, evidence.quasi, evidence.sensitive, evidence.hierarchies)
    if evidence.populations:
        observed = observed.with_populations(evidence.populations, evidence.quasi)
    groups = observed.wildcard(stars=False) if evidence.wildcard else observed.groups
    claims = tuple(Claim(model, model.achieved(groups), bool(model.holds(groups).all())) for model in models)
    return Findings(claims, observed.groups.describe(), frame.height, {})


def examine_file(
    path: Path, models: Sequence[PrivacyModel], evidence: Evidence, delimiter: str | None = None
) -> Findings:
    """Read a released file back from disk and put every promise to it."""
    reader = format_of(path)
    columns = reader.columns(path, delimiter)
    wanted = [name for name in columns if name in (*evidence.quasi, *evidence.sensitive)]
    with ThreadPoolExecutor(max_workers=1) as other:
        digest = other.submit(digest_of, path)
        found = examine_frame(reader.read(path, keep=wanted, delimiter=delimiter), models, evidence)
    file = {"name": path.name, "sha256": digest.result(), "columns": columns, "records": found.n_records}
    return Findings(found.claims, found.classes, found.n_records, file)


def examine_table(
    session: Session, table: str, database: str, models: Sequence[PrivacyModel], evidence: Evidence
) -> Findings:
    """Read a released table back from its database and put every promise to it.

    The digest is that of the records in sorted order, since a table has none of its own.
    """
    frame = session.read(table)
    found = examine_frame(frame, models, evidence)
    file = {
        "name": table,
        "database": database,
        "sha256": digest_of_records(frame),
        "columns": frame.columns,
        "records": found.n_records,
    }
    return Findings(found.claims, found.classes, found.n_records, file)


def examine_place(place: Place, models: Sequence[PrivacyModel], evidence: Evidence) -> Findings:
    """Put every promise to a released file or table."""
    if isinstance(place, TablePlace):
        with place.database.session() as session:
            return examine_table(session, place.table, place.database.name, models, evidence)
    if isinstance(place, FilePlace):
        return examine_file(place.path, models, evidence, place.given)
    raise TypeError(f"no such place: {type(place).__name__}")


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a certificate with the digest of all that it says, so that a change of any of it shows."""
    return {**content, "seal": hashlib.sha256(text_of(content)).hexdigest()}


def text_of(certificate: Mapping[str, Any]) -> bytes:
    """Return a certificate as it is written."""
    return (json.dumps(certificate, indent=2, ensure_ascii=False) + "\n").encode()


def unsealed(text: bytes) -> dict[str, Any]:
    """Read a certificate; a CertificateError tells that it is not as it was written."""
    try:
        certificate = json.loads(text.decode())
        content = {key: value for key, value in certificate.items() if key != "seal"}
    except (ValueError, AttributeError, RecursionError):
        raise CertificateError("The certificate cannot be read.") from None
    if text_of(sealed(content)) != text:
        raise CertificateError("The certificate was changed after it was written: its seal is broken.")
    return content
