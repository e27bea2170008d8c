"""The claims of a release from its public files: the data and the public certificate."""

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from shoal.clusters.cluster_table import Radius, Shape, ValuesOption
from shoal.foundation.errors import CertificateError, SpecError
from shoal.jobs.delivery import Part, parts_of_shape
from shoal.jobs.disclosure import PUBLIC
from shoal.jobs.release_folder import ReleaseFolder
from shoal.jobs.sections import ColumnRequest, Promises, ReleaseRequest
from shoal.models import MODELS
from shoal.models.model import PrivacyModel
from shoal.releases.claims.release_claims import Promised, ReleaseClaims
from shoal.releases.claims.stated import check_url, incomplete, name_of, whole
from shoal.tables.databases import database_of
from shoal.tables.databases.address import Address
from shoal.tables.folder import FolderLocation
from shoal.tables.location import FileLocation, Location, TableLocation
from shoal.tables.table import Role


class _Claim(BaseModel):
    model: str
    parameters: dict[str, Any]


class _Missing(BaseModel):
    reading: Literal["category", "wildcard", "drop"]


class _Clusters(BaseModel):
    shape: Shape
    radii: Radius | None = None
    values: ValuesOption | None = None


class _Public(BaseModel):
    """The parts of a public certificate that are read."""

    columns: dict[str, ColumnRequest]
    claims: Annotated[list[_Claim], Field(min_length=1)]
    missing: _Missing
    clusters: _Clusters | None = None
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] = ","
    escape_formulas: bool = False


def public_claims(where: ReleaseFolder, url: str | None) -> ReleaseClaims:
    """Read the claims from the public certificate."""
    folder = where.public
    certificate = whole(folder / PUBLIC, folder)
    try:
        told = _Public.model_validate(certificate)
        promised = tuple(
            _promised(claim, stated, told.columns)
            for claim, stated in zip(told.claims, certificate["claims"], strict=True)
        )
    except ValidationError:
        raise incomplete(folder, PUBLIC) from None
    if certificate["records"]["suppressed"] != 0:
        promised = tuple(_with_input(one) for one in promised)
    clusters = told.clusters
    shape = None if clusters is None else clusters.shape
    check_url(folder, url, in_database="database" in certificate["file"])
    locations: dict[Part, Location] = {}
    for number, part in enumerate(parts_of_shape(shape)):
        stated = certificate["file"] if number == 0 else certificate["clusters"]["file"]
        locations[part] = _location(folder, stated, told, url)
    found = ReleaseClaims(
        certificate=certificate,
        columns=told.columns,
        promised=promised,
        locations=locations,
        release=ReleaseRequest(shape=shape, radius=clusters and clusters.radii, values=clusters and clusters.values),
        wildcard=told.missing.reading == "wildcard",
        folder=folder,
        where=where,
    )
    found.check("The roles and the file that the certificate tells of")
    return found


def _promised(claim: _Claim, stated: Any, columns: Mapping[str, ColumnRequest]) -> Promised:
    """Read a promise from its claim; a withheld parameter is null."""
    known = {name: value for name, value in claim.parameters.items() if value is not None}
    withheld = [name for name in claim.parameters if name not in known]
    name = name_of(claim.model, *(str(known[key]) for key in ("column", "entity") if key in known))
    if withheld:
        kind = MODELS.find(claim.model)
        possible = () if kind is None else {field.name for field in fields(kind)} - {*kind.thresholds, *kind.plain}
        if kind is None or not set(withheld).issubset(possible):
            raise CertificateError(f"The claim {name} does not say what it promises.")
        needed = {**kind.files, **dict.fromkeys(kind.told_values, "the value that it speaks of")}
        words = ", ".join(needed.get(one, f"its '{one}'") for one in withheld)
        return Promised(stated, None, name, f"needs {words}, which the public certificate does not tell")
    model = TypeAdapter(Promises).validate_python([{"model": claim.model, **known}])[0]
    if not known.keys().isdisjoint(model.files):
        raise CertificateError(
            f"The claim {name} names a file, which is not opened: it may be any file on this machine."
        )
    return Promised(stated, model, name, _untold(model, columns))


def _with_input(promised: Promised) -> Promised:
    """Say of a promise that compares classes with the input that it cannot be derived without it."""
    if promised.model is None or not promised.model.of_input:
        return promised
    lacking = "needs the values of the suppressed records, which the public certificate does not tell"
    return replace(promised, lacking=promised.lacking or lacking)


def _untold(promise: PrivacyModel, columns: Mapping[str, ColumnRequest]) -> str | None:
    """Return which hierarchy a promise needs but the certificate withholds; its columns must be sensitive."""
    for name in promise.sensitive_columns:
        role = Role.ENTITY if name == promise.entity_column else Role.SENSITIVE
        column = columns.get(name)
        if column is None or column.role is not role:
            raise CertificateError(
                f"The claim {promise.name} refers to column '{name}', which does not have the role '{role}'."
            )
        if promise.along_hierarchy and column.hierarchy is None and "hierarchy" in column.model_fields_set:
            return f"needs the hierarchy of column '{name}', which the public certificate does not tell"
        recipe = column.hierarchy
        if promise.needs_hierarchy if recipe is None else not recipe.public:
            raise CertificateError(f"The hierarchy of column '{name}' cannot be described without a file.")
    return None


def _location(folder: Path, stated: Mapping[str, Any], told: _Public, url: str | None) -> Location:
    if "database" not in stated and not Path(stated["name"]).suffix:
        return FolderLocation(folder / stated["name"], told.delimiter, quoted=told.escape_formulas)
    if "database" not in stated:
        return FileLocation(folder / stated["name"], told.delimiter, quoted=told.escape_formulas)
    if url is None:
        raise SpecError(
            f"The release in '{folder}' is the table {stated['name']} of a database, and the public "
            "certificate does not say which: give its URL (--output)."
        )
    return TableLocation(database_of(Address.of(url)), stated["name"])
