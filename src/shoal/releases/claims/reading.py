"""Reading the claims of a release, from the certificate that is available, after the digests of all files."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.certificate import CERTIFICATE
from shoal.foundation.atomic_write import check_here
from shoal.foundation.errors import CertificateError, SpecError
from shoal.jobs.delivery import Delivery
from shoal.jobs.disclosure import PUBLIC
from shoal.jobs.job import JOB_FILE, Job
from shoal.jobs.release_folder import ReleaseFolder, is_release_folder
from shoal.releases.charges import NAME as CHARGES
from shoal.releases.claims.manifest import MANIFEST, PUBLIC_MANIFEST, Manifest, others_in
from shoal.releases.claims.public_claims import public_claims
from shoal.releases.claims.release_claims import ReleaseClaims
from shoal.releases.claims.steward_claims import check_release, steward_claims
from shoal.releases.reporting import REPORTS
from shoal.releases.rules.rules import NAME
from shoal.releases.series.state import STATE
from shoal.tables.folder import FolderLocation
from shoal.tables.location import FileLocation, Location


def claims_in(path: Path, url: str | None = None) -> ReleaseClaims:
    """Read the claims of a release, whose files must have the digests that its manifest lists.

    Args:
        path: The folder of the release, one of its files, or the certificate to use.
        url: The database of its table, if it was moved or is not stated.
    """
    check_here(path, "verified where its bytes are read once and stay. Copy it to this machine")
    where = _asked_for(path)
    if where.whole:
        check_release(where.private)
    manifest = Manifest.read(where.private, MANIFEST if where.whole else PUBLIC_MANIFEST, where.root)
    found = steward_claims(where, url) if where.whole else public_claims(where, url)
    known = (CERTIFICATE, PUBLIC, MANIFEST, PUBLIC_MANIFEST, *(one.name for one in found.locations.values()))
    if path.is_file() and path.name not in known:
        raise SpecError(f"The certificate in '{where.root}' does not refer to '{path.name}', but to {known[-1]}.")
    found = replace(found, manifest=manifest)
    _check_listed(found)
    return replace(found, others=tuple(others_in(where, _bound(found)) if path.is_dir() else ()))


def released_records(data: Any) -> Any:
    """Return where the records of a release are, if its folder is given; anything else as it is."""
    if not isinstance(data, str | Path) or not is_release_folder(Path(data)):
        return data
    where = _asked_for(Path(data))
    if where.whole:
        return Delivery(Job.read(where.private / JOB_FILE), where.public).records()
    found = public_claims(where, None).locations
    if "records" not in found:
        raise SpecError(f"The release in '{data}' contains clusters only, and none of their records.")
    return found["records"]


def _asked_for(path: Path) -> ReleaseFolder:
    """Return where the files of a release are, without those of its steward if it is to be read as it is passed on."""
    where = ReleaseFolder.of(path)
    public = (where.public / PUBLIC).is_file()
    if not where.whole and not public:
        check_release(where.public)
    if public and path.name in (PUBLIC, PUBLIC_MANIFEST):
        return ReleaseFolder.in_one(where.public, whole=False)
    return where


def names_of(claims: ReleaseClaims) -> list[str]:
    """Return the names of the files of a release, without that of the manifest that lists them."""
    left_out, where = _of_later_schemas(claims).get("left_out", ()), claims.where
    halves = zip((where.public, where.private), _names(claims), strict=True)
    return [where.name(folder, name) for folder, names in halves for name in names if name not in left_out]


def _names(claims: ReleaseClaims) -> tuple[list[str], list[str]]:
    """Return the names of the files that are passed on, and of those that are kept."""
    data = [name for location in claims.locations.values() for name in _files(location)]
    public = [PUBLIC, *(name for name, audience in REPORTS.items() if audience == "public")]
    if claims.job is None:
        return [*data, *public], []
    told = _of_later_schemas(claims)
    charges = [CHARGES] if "witness" in told.get("loss", {}) else []
    steward = [
        CERTIFICATE,
        JOB_FILE,
        *charges,
        NAME,
        *((STATE,) if "series" in told else ()),
        *(name for name, audience in REPORTS.items() if audience == "steward"),
    ]
    return [*data, *public, PUBLIC_MANIFEST], steward


def _of_later_schemas(claims: ReleaseClaims) -> dict[str, Any]:
    """Return the certificate; nothing of one of the first schema, which has no types and speaks of no such files."""
    return claims.certificate if "schema" in claims.certificate else {}


def _files(location: Location) -> list[str]:
    """Return the names of the files of a table."""
    if isinstance(location, FolderLocation):
        return [f"{location.name}/{path.relative_to(location.path).as_posix()}" for path in location.files]
    return [location.name] if isinstance(location, FileLocation) else []


def _bound(claims: ReleaseClaims) -> list[str]:
    """Return the names of the files that the release vouches for; those of one from before manifests are known."""
    manifest = claims.manifest
    if manifest is not None:
        return [*manifest.files, claims.where.name(claims.where.private, manifest.name)]
    if claims.job is not None:
        return names_of(claims)
    return [PUBLIC, *(location.name for location in claims.locations.values())]


def _check_listed(claims: ReleaseClaims) -> None:
    """Raise a CertificateError unless just the files of the release are listed, or it is one from before manifests.

    Those who got the data may have it without a list: then the certificate binds it, and nothing else.
    """
    manifest = claims.manifest
    if manifest is None:
        if claims.job is not None and "schema" in claims.certificate:
            raise CertificateError(f"The files of the release are not bound to each other: it has no {MANIFEST}.")
        return
    if "schema" not in claims.certificate:
        raise CertificateError(f"The certificate says less than one beside {manifest.name}: it has no schema.")
    manifest.demand(names_of(claims))
