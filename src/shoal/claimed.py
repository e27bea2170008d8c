"""Claimed: what a release says of itself, to its steward by job and certificate, to others by the public certificate.

Whichever it is read from, it is the same noun, so that there is one way to verify it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

import polars as pl
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from shoal.certificate import CERTIFICATE, Evidence, unsealed
from shoal.cluster_table import Radius, Shape, Values
from shoal.databases import database_of
from shoal.databases.address import Address
from shoal.delivery import Delivery, Part, columns_of, parts_of
from shoal.disclosure import FREE, PUBLIC, along
from shoal.errors import CertificateError, MissingExtraError, SpecError
from shoal.job import Job
from shoal.models import MODELS
from shoal.models.model import PrivacyModel
from shoal.place import FilePlace, Place, TablePlace, digest_of
from shoal.sections import ColumnRequest, Promises, ReleaseRequest
from shoal.table import Role

_JOB = "job.toml"
_NEEDED = {
    "population": "the outside table",
    "distances": "the matrix of distances",
    "value": "the value that it speaks of",
}


@dataclass(frozen=True, slots=True)
class Promised:
    """A promise, and what the certificate says of it.

    Args:
        claim: The claim that is stated; None if there is none.
        model: The promise; None if not all of it is told.
        name: What it is called.
        lacking: What it takes to derive it and is not at hand.
    """

    claim: Any
    model: PrivacyModel | None
    name: str
    lacking: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Claimed:
    """What a release says of itself.

    Args:
        certificate: What is stated.
        columns: The columns, with their roles and with hierarchies to measure along.
        promised: The promises.
        places: Where each part of the release is.
        release: What is released of clusters.
        wildcard: Whether a missing value counts as matching every value.
        folder: Where the files of hierarchies are found.
        job: The request, if it is at hand.
    """

    certificate: dict[str, Any]
    columns: Mapping[str, ColumnRequest]
    promised: tuple[Promised, ...]
    places: Mapping[Part, Place]
    release: ReleaseRequest
    wildcard: bool
    folder: Path
    job: Job | None = None

    def names(self, role: Role) -> tuple[str, ...]:
        """Return the columns of one role."""
        return tuple(name for name, column in self.columns.items() if column.role is role)

    @property
    def models(self) -> list[PrivacyModel]:
        """The promises that can be derived."""
        return [one.model for one in self.promised if one.model is not None and one.lacking is None]

    @property
    def lacking(self) -> dict[str, str]:
        """What those need that cannot."""
        return {one.name: one.lacking for one in self.promised if one.lacking is not None}

    @property
    def centres(self) -> bool:
        """Whether classes are published as the centres of clusters."""
        return self.release.shape is not None

    def evidence(self, populations: Mapping[str, pl.DataFrame]) -> Evidence:
        """Return what has to be known beside the file; hierarchies come later, since they are over its values."""
        sensitive, quasi = self.names(Role.SENSITIVE), self.names(Role.QUASI)
        known = any(getattr(model, "others", None) == "known" for model in self.models)
        named = {name for model in self.models for name in model.sensitive_columns}
        return Evidence(
            quasi=tuple(name for name in self.certificate["file"]["columns"] if name in quasi),
            sensitive=tuple(name for name in sensitive if known or name in named),
            wildcard=self.wildcard,
            populations=populations,
            held=sensitive if self.centres else (),
            values=self.release.values or "multiset",
        )

    def check(self, sides: str) -> None:
        """Raise a CertificateError if the certificate speaks of other parts or columns than the release has.

        Args:
            sides: What differs then.
        """
        for number, (part, place) in enumerate(self.places.items()):
            stated = self.certificate["file"] if number == 0 else self.certificate["clusters"]["file"]
            if place.name != stated["name"] or ("database" in stated) != isinstance(place, TablePlace):
                raise CertificateError(f"{sides} differ in the name of a file or table.")
            if set(columns_of(part, self.columns)) != set(stated["columns"]) or not self.names(Role.QUASI):
                raise CertificateError(f"{sides} differ in the columns.")
            if isinstance(place, FilePlace):
                _check_header(place, stated["columns"])


def claimed_in(path: Path, url: str | None = None) -> Claimed:
    """Read what a release says of itself.

    Args:
        path: The folder of the release, one of its files, or the certificate to go by.
        url: The database that its table is in, if it was moved, or if nothing else tells.
    """
    folder = path.parent if path.is_file() else path
    steward = any((folder / name).exists() for name in (CERTIFICATE, _JOB))
    if path.name == PUBLIC or ((folder / PUBLIC).exists() and not steward):
        found = _passed_on(folder, url)
    else:
        found = _kept(folder, url)
    known = (CERTIFICATE, PUBLIC, *(place.name for place in found.places.values()))
    if path.is_file() and path.name not in known:
        raise SpecError(f"The certificate in '{folder}' does not speak of '{path.name}', but of {known[-1]}.")
    return found


def _check_header(place: FilePlace, columns: list[str]) -> None:
    """Raise a CertificateError if a file that has the right digest is not what the certificate says it is."""
    try:
        found = place.columns()
    except MissingExtraError:
        raise
    except SpecError as error:
        raise CertificateError(f"The file {place} cannot be read as the certificate says. {error}") from None
    if found != columns:
        raise CertificateError(f"The file {place} and its certificate differ in the columns.")


def _kept(folder: Path, url: str | None) -> Claimed:
    """Read what its steward keeps: the job and the certificate, which must speak of the same."""
    if not folder.is_dir() or not any((folder / name).is_file() for name in (CERTIFICATE, _JOB)):
        raise SpecError(f"'{folder}' is not a release: it has neither {CERTIFICATE} nor {PUBLIC}.")
    for name in (CERTIFICATE, _JOB):
        if not (folder / name).is_file():
            raise SpecError(f"'{folder}' is not a release: it has no {name}.")
    certificate = _whole(folder, CERTIFICATE)
    try:
        job = Job.read(folder / _JOB)
    except SpecError as error:
        raise CertificateError(f"The job of the release is not as it was written. {error}") from None
    if job.release.shape != certificate.get("clusters", {}).get("shape"):
        raise CertificateError("The certificate and the job beside it differ in what is released of clusters.")
    _check_url(folder, url, in_database=job.target is not None)
    delivery = Delivery(job, folder, None if url is None else database_of(Address.of(url)))
    claims = [*certificate["claims"], *[None] * len(job.require)]
    found = Claimed(
        certificate=certificate,
        columns=job.columns,
        promised=tuple(
            Promised(claim, promise, _name(promise.name, *promise.sensitive_columns), _absent(job, promise))
            for promise, claim in zip(job.require, claims, strict=False)
        ),
        places={part: delivery.place(part) for part in delivery.parts},
        release=job.release,
        wildcard=job.input.missing == "wildcard",
        folder=job.folder,
        job=job,
    )
    found.check("The certificate and the job beside it")
    return found


def _absent(job: Job, promise: PrivacyModel) -> str | None:
    """Say which file a promise refers to that is not there."""
    paths = [Path(path) for path in (promise.population_file, getattr(promise, "distances", None)) if path is not None]
    recipes = [column.hierarchy for column in job.columns.values() if column.role is Role.QUASI]
    if promise.population_file is None:
        recipes = [job.columns[name].hierarchy for name in promise.sensitive_columns if along(promise)]
    else:
        paths += job.input_files
    named = [getattr(recipe, "path", None) for recipe in recipes]
    paths += [job.folder / path for path in named if path is not None]
    return next((f"needs '{path}'" for path in paths if not path.is_file()), None)


class _Claim(BaseModel):
    model: str
    parameters: dict[str, Any]


class _Missing(BaseModel):
    reading: Literal["category", "wildcard", "drop"]


class _Clusters(BaseModel):
    shape: Shape
    radii: Radius | None = None
    values: Values | None = None


class _Public(BaseModel):
    """What is read of a public certificate."""

    columns: dict[str, ColumnRequest]
    claims: Annotated[list[_Claim], Field(min_length=1)]
    missing: _Missing
    clusters: _Clusters | None = None
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] = ","


def _passed_on(folder: Path, url: str | None) -> Claimed:
    """Read what was passed on: the public certificate tells all of the job that is needed."""
    certificate = _whole(folder, PUBLIC)
    try:
        told = _Public.model_validate(certificate)
        promised = tuple(
            _promised(claim, stated, told.columns)
            for claim, stated in zip(told.claims, certificate["claims"], strict=True)
        )
    except ValidationError:
        raise incomplete(folder, PUBLIC) from None
    clusters = told.clusters
    shape = None if clusters is None else clusters.shape
    _check_url(folder, url, in_database="database" in certificate["file"])
    places: dict[Part, Place] = {}
    for number, part in enumerate(parts_of(shape)):
        stated = certificate["file"] if number == 0 else certificate["clusters"]["file"]
        places[part] = _place(folder, stated, told.delimiter, url)
    found = Claimed(
        certificate=certificate,
        columns=told.columns,
        promised=promised,
        places=places,
        release=ReleaseRequest(shape=shape, radius=clusters and clusters.radii, values=clusters and clusters.values),
        wildcard=told.missing.reading == "wildcard",
        folder=folder,
    )
    found.check("The roles and the file that the certificate tells of")
    return found


def _promised(claim: _Claim, stated: Any, columns: Mapping[str, ColumnRequest]) -> Promised:
    """Read a promise from its claim; what is not told of it is null."""
    known = {name: value for name, value in claim.parameters.items() if value is not None}
    withheld = [name for name in claim.parameters if name not in known]
    name = _name(claim.model, *(str(known[key]) for key in ("column",) if key in known))
    if withheld:
        kind = next((member for member in MODELS if member.name == claim.model), None)
        possible = () if kind is None else {field.name for field in fields(kind)} - {*kind.thresholds, "column"}
        if not set(withheld).issubset(possible):
            raise CertificateError(f"The claim {name} does not tell what it promises.")
        words = ", ".join(_NEEDED.get(one, f"its '{one}'") for one in withheld)
        return Promised(stated, None, name, f"needs {words}, which the public certificate does not tell")
    model = TypeAdapter(Promises).validate_python([{"model": claim.model, **known}])[0]
    if model.population_file is not None or "distances" in known:
        raise CertificateError(f"The claim {name} names a file, which is not looked for: it may be any file here.")
    return Promised(stated, model, name, _untold(model, columns))


def _untold(promise: PrivacyModel, columns: Mapping[str, ColumnRequest]) -> str | None:
    """Say which hierarchy a promise measures along that is not told; what it speaks of must be sensitive."""
    for name in promise.sensitive_columns:
        column = columns.get(name)
        if column is None or column.role is not Role.SENSITIVE:
            raise CertificateError(f"The claim {promise.name} speaks of column '{name}', which is not sensitive.")
        if along(promise) and column.hierarchy is None and "hierarchy" in column.model_fields_set:
            return f"needs the hierarchy of column '{name}', which the public certificate does not tell"
        if column.hierarchy is not None and column.hierarchy.name not in FREE:
            raise CertificateError(f"The hierarchy of column '{name}' is not of a kind that needs no file.")
    return None


def _place(folder: Path, stated: Mapping[str, Any], delimiter: str, url: str | None) -> Place:
    if "database" not in stated:
        return FilePlace(folder / stated["name"], delimiter)
    if url is None:
        raise SpecError(
            f"The release in '{folder}' is the table {stated['name']} of a database, and the public certificate does "
            "not tell which: give its URL (--output)."
        )
    return TablePlace(database_of(Address.of(url)), stated["name"])


def _check_url(folder: Path, url: str | None, *, in_database: bool) -> None:
    if url is not None and not in_database:
        raise SpecError(f"The release in '{folder}' is a file, and not in a database.")


def _whole(folder: Path, name: str) -> dict[str, Any]:
    """Read a certificate and make sure that it is whole, and that the files beside it are those it speaks of."""
    certificate = unsealed((folder / name).read_bytes(), name)
    try:
        table = certificate.get("clusters", {"shape": "records"})
        stated = [certificate["file"], *([table["file"]] if table["shape"] != "records" else [])]
        stated = [{**one, "name": str(one["name"]), "sha256": one["sha256"]} for one in stated]
        complete = all(isinstance(one["columns"], list) for one in stated) and isinstance(certificate["claims"], list)
        complete &= all({"model", "parameters"} <= claim.keys() for claim in certificate["claims"])
        complete &= all(key in certificate for key in ("classes", "records", "algorithm"))
    except (KeyError, TypeError, AttributeError):
        stated, complete = [], False
    files = [one for one in stated if "database" not in one]
    if not complete or any(one["name"] != Path(one["name"]).name for one in files):
        raise incomplete(folder, name)
    for one in files:
        if not (folder / one["name"]).is_file():
            raise CertificateError(f"The file '{one['name']}' that the certificate speaks of is not in '{folder}'.")
        if digest_of(folder / one["name"]) != one["sha256"]:
            raise CertificateError(f"The file '{one['name']}' is not the one that was certified: its digest differs.")
    return certificate


def incomplete(folder: Path, name: str) -> CertificateError:
    """Return the words for a certificate that is not one."""
    return CertificateError(f"The certificate '{folder / name}' lacks what a certificate states.")


def _name(model: str, *columns: str) -> str:
    return " ".join([model, *(f"({column})" for column in columns)])
