"""ReleaseClaims: what a release claims, in one form for both kinds of certificate, to be verified in one way."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal.certificate import Claim, Evidence
from shoal.classes.withheld import of_section
from shoal.foundation.errors import CertificateError, MissingExtraError, SpecError
from shoal.jobs.delivery import Part, columns_of_part
from shoal.jobs.job import Job
from shoal.jobs.release_folder import ReleaseFolder
from shoal.jobs.sections import ColumnRequest, ReleaseRequest
from shoal.models.model import PrivacyModel
from shoal.releases.claims.manifest import Manifest
from shoal.tables.folder import FolderLocation
from shoal.tables.location import FileLocation, Location, TableLocation
from shoal.tables.rows import Rows
from shoal.tables.table import Role


@dataclass(frozen=True, slots=True)
class Promised:
    """A promise, and the claim of the certificate on it.

    Args:
        claim: The stated claim; None if there is none.
        model: The promise; None if it is not fully disclosed.
        name: Its name.
        lacking: What is needed to derive it but not available; None if nothing.
    """

    claim: Any
    model: PrivacyModel | None
    name: str
    lacking: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ReleaseClaims:
    """What a release claims.

    Args:
        certificate: The certificate.
        columns: The columns, with their roles and the hierarchies that promises measure along.
        promised: The promises.
        locations: The location of each part of the release.
        release: How clusters are released.
        wildcard: Whether a missing value matches every value.
        folder: The folder of the hierarchies' files.
        where: The folders of the release.
        job: The request, if it is available.
        manifest: The digests of all files of the release; None if they are not listed.
        others: What else is in the folder of the release.
    """

    certificate: dict[str, Any]
    columns: Mapping[str, ColumnRequest]
    promised: tuple[Promised, ...]
    locations: Mapping[Part, Location]
    release: ReleaseRequest
    wildcard: bool
    folder: Path
    where: ReleaseFolder
    job: Job | None = None
    manifest: Manifest | None = None
    others: tuple[str, ...] = ()

    def names(self, role: Role) -> tuple[str, ...]:
        """Return the columns of one role."""
        return tuple(name for name, column in self.columns.items() if column.role is role)

    @property
    def models(self) -> list[PrivacyModel]:
        """The promises that can be derived."""
        return [one.model for one in self.promised if one.model is not None and one.lacking is None]

    @property
    def lacking(self) -> dict[str, str]:
        """For each promise that cannot be derived, what it lacks."""
        return {one.name: one.lacking for one in self.promised if one.lacking is not None}

    @property
    def earlier(self) -> bool:
        """Whether the certificate is of a version that told neither strict counting nor whether a release is blind."""
        return not {"blind", "schema"} & self.certificate.keys()

    def stated(self, claim: Claim) -> dict[str, Any]:
        """Return a derived claim as a certificate of this version states it."""
        return replace(claim, strict=None).as_dict() if self.earlier else claim.as_dict()

    @property
    def centres(self) -> bool:
        """Whether classes are published as the centres of clusters."""
        return self.release.shape is not None

    def evidence(self, populations: Mapping[str, pl.DataFrame]) -> Evidence:
        """Return what is needed besides the file; hierarchies are added later, since they are built over its values."""
        sensitive, quasi = self.names(Role.SENSITIVE), self.names(Role.QUASI)
        known = sensitive if any(model.others_known for model in self.models) else ()
        named = {*known, *(name for model in self.models for name in model.sensitive_columns)}
        return Evidence(
            quasi=tuple(name for name in self.certificate["file"]["columns"] if name in quasi),
            sensitive=tuple(name for name in (*sensitive, *self.names(Role.ENTITY)) if name in named),
            wildcard=self.wildcard,
            populations=populations,
            held=sensitive if self.centres else (),
            values=self.release.values or "multiset",
            pseudonyms=tuple(name for name, column in self.columns.items() if column.pseudonym is not None),
            withheld=self._withheld(),
        )

    def _withheld(self) -> Rows | None:
        """Return the values of suppressed records that the steward's certificate tells.

        Raises:
            CertificateError: Classes are compared with the input, and the certificate does not tell all of it.
        """
        told = self.certificate.get("withheld") if self.job is not None else None
        if told is not None:
            return of_section(told)
        if self.release.suppressed == "star" or not any(model.of_input for model in self.models):
            return None
        records, missing = self.certificate["records"], self.certificate["missing"]
        if (records["suppressed"] or 0) > missing.get("dropped", 0):
            raise CertificateError(
                "A promise compares classes with the input, but the certificate does not contain the values of "
                "the suppressed records."
            )
        return None

    def check(self, sides: str) -> None:
        """Raise a CertificateError if the certificate names other parts or columns than the release has.

        Args:
            sides: The two sides that differ, for the message.
        """
        for number, (part, location) in enumerate(self.locations.items()):
            stated = self.certificate["file"] if number == 0 else self.certificate["clusters"]["file"]
            if location.name != stated["name"] or ("database" in stated) != isinstance(location, TableLocation):
                raise CertificateError(f"{sides} differ in the name of a file or table.")
            if set(columns_of_part(part, self.columns)) != set(stated["columns"]) or not self.names(Role.QUASI):
                raise CertificateError(f"{sides} differ in the columns.")
            if isinstance(location, FileLocation | FolderLocation):
                _check_header(location, stated["columns"])


def _check_header(location: FileLocation | FolderLocation, columns: list[str]) -> None:
    """Raise a CertificateError if a file with the right digest does not have the columns of the certificate."""
    try:
        found = location.columns()
    except MissingExtraError:
        raise
    except SpecError as error:
        raise CertificateError(f"The file {location} cannot be read as the certificate says. {error}") from None
    if found != columns:
        raise CertificateError(f"The file {location} and its certificate differ in the columns.")
