"""A certificate as stated: it is complete, and the files beside it are those that it names."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from shoal.certificate import unsealed
from shoal.foundation.budgets import read_bytes
from shoal.foundation.errors import CertificateError, SpecError
from shoal.jobs.disclosure import PUBLIC
from shoal.releases.claims.figures import check_figures
from shoal.releases.claims.schema import check_schema
from shoal.tables.folder import FolderLocation, folder_digest
from shoal.tables.location import file_digest

_Number = Annotated[int, Field(ge=0)]


class _Part(BaseModel, strict=True):
    """A part of a certificate, with the types that are written."""


class _File(_Part):
    name: str
    sha256: str
    database: str = ""
    columns: list[str]


class _Clusters(_Part):
    shape: str
    file: _File | None = None


class _Claim(_Part):
    model: str
    parameters: dict[str, Any]


class _Records(_Part):
    input: _Number | None = None
    released: _Number
    suppressed: _Number | None


class _Missing(_Part):
    reading: str
    dropped: _Number | None = None


class _Algorithm(_Part):
    levels: dict[str, int]


class _Certificate(_Part):
    verdict: str
    records: _Records
    missing: _Missing
    classes: dict[str, Any]
    claims: list[_Claim]
    clusters: _Clusters = _Clusters(shape="records")
    algorithm: _Algorithm
    file: _File

    @property
    def files(self) -> list[_File | None]:
        """The file or table of each part of the release; None if it is not told."""
        return [self.file, *([self.clusters.file] if self.clusters.shape != "records" else [])]


def whole(path: Path, data: Path) -> dict[str, Any]:
    """Return a certificate after checking that it is complete and that the files that it speaks of have its digests.

    One that says of which schema it is may say nothing but what that has, and no figure may contradict another.

    Args:
        path: The certificate.
        data: The folder of the files that it speaks of.
    """
    name = path.name
    certificate = unsealed(read_bytes(path), name)
    if "schema" in certificate:
        check_schema(certificate, name, public=name == PUBLIC)
        check_figures(certificate, name)
    try:
        stated = _Certificate.model_validate(certificate).files
    except ValidationError:
        raise incomplete(path.parent, name) from None
    for one in stated:
        if one is None or (not one.database and (one.name in ("", "..") or one.name != Path(one.name).name)):
            raise incomplete(path.parent, name)
        if not one.database:
            _check_file(data, one)
    return certificate


def levels_in(folder: Path, name: str) -> dict[str, int]:
    """Return the levels that a complete certificate states, without looking at the files beside it."""
    certificate = unsealed(read_bytes(folder / name), name)
    try:
        return _Certificate.model_validate(certificate).algorithm.levels
    except ValidationError:
        raise incomplete(folder, name) from None


def _check_file(folder: Path, stated: _File) -> None:
    path = folder / stated.name
    if path.is_dir() and not path.suffix:
        location = FolderLocation(path)
        found, noun = folder_digest(path, location.files), "folder"
    elif path.is_file():
        found, noun = file_digest(path), "file"
    else:
        raise CertificateError(f"The file '{stated.name}' to which the certificate refers is not in '{folder}'.")
    if found != stated.sha256:
        raise CertificateError(f"The {noun} '{stated.name}' is not the one that was certified: its digest differs.")


def incomplete(folder: Path, name: str) -> CertificateError:
    """Return the error for a malformed certificate."""
    return CertificateError(f"The certificate '{folder / name}' lacks what a certificate states.")


def check_url(folder: Path, url: str | None, *, in_database: bool) -> None:
    """Raise a SpecError if a database is given for a release that is not in one."""
    if url is not None and not in_database:
        raise SpecError(f"The release in '{folder}' is a file, and not in a database.")


def name_of(model: str, *columns: str) -> str:
    """Return the name of a promise."""
    return " ".join([model, *(f"({column})" for column in columns)])
