"""Reading the claims of a release, from the certificate that is available, after the digests of all files."""

from dataclasses import replace
from pathlib import Path

from shoal.certificate import CERTIFICATE
from shoal.foundation.atomic_write import check_here
from shoal.foundation.errors import CertificateError, SpecError
from shoal.jobs.disclosure import PUBLIC
from shoal.jobs.job import JOB_FILE
from shoal.releases.claims.manifest import MANIFEST, PUBLIC_MANIFEST, Manifest, others_in
from shoal.releases.claims.public_claims import public_claims
from shoal.releases.claims.release_claims import ReleaseClaims
from shoal.releases.claims.steward_claims import check_release, steward_claims
from shoal.releases.reporting import REPORTS
from shoal.releases.rules.rules import NAME
from shoal.tables.folder import FolderLocation
from shoal.tables.location import FileLocation, Location


def claims_in(path: Path, url: str | None = None) -> ReleaseClaims:
    """Read the claims of a release, whose files must have the digests that its manifest lists.

    Args:
        path: The folder of the release, one of its files, or the certificate to use.
        url: The database of its table, if it was moved or is not stated.
    """
    check_here(path, "verified where its bytes are read once and stay. Copy it to this machine")
    folder = path.parent if path.is_file() else path
    steward = any((folder / name).exists() for name in (CERTIFICATE, JOB_FILE))
    public = (folder / PUBLIC).is_file() and (path.name in (PUBLIC, PUBLIC_MANIFEST) or not steward)
    if not public:
        check_release(folder)
    manifest = Manifest.read(folder, PUBLIC_MANIFEST if public else MANIFEST)
    found = public_claims(folder, url) if public else steward_claims(folder, url)
    known = (CERTIFICATE, PUBLIC, MANIFEST, PUBLIC_MANIFEST, *(one.name for one in found.locations.values()))
    if path.is_file() and path.name not in known:
        raise SpecError(f"The certificate in '{folder}' does not speak of '{path.name}', but of {known[-1]}.")
    _check_listed(found, manifest)
    others = others_in(folder, _bound(found, manifest)) if path.is_dir() else []
    return replace(found, manifest=manifest, others=tuple(others))


def names_of(claims: ReleaseClaims) -> list[str]:
    """Return the names of the files of a release, without those of the manifest that lists them."""
    left_out = claims.certificate.get("left_out", ())
    return [name for name in _all_names(claims) if name not in left_out]


def _all_names(claims: ReleaseClaims) -> list[str]:
    data = [name for location in claims.locations.values() for name in _files(location)]
    public = [PUBLIC, *(name for name, audience in REPORTS.items() if audience == "public")]
    if claims.job is None:
        return [*data, *public]
    steward = [CERTIFICATE, JOB_FILE, NAME, *(name for name, audience in REPORTS.items() if audience == "steward")]
    return [*data, *public, *steward, PUBLIC_MANIFEST]


def _files(location: Location) -> list[str]:
    """Return the names of the files of a table."""
    if isinstance(location, FolderLocation):
        return [f"{location.name}/{path.relative_to(location.path).as_posix()}" for path in location.files]
    return [location.name] if isinstance(location, FileLocation) else []


def _bound(claims: ReleaseClaims, manifest: Manifest | None) -> list[str]:
    """Return the names of the files that the release vouches for; those of one from before manifests are known."""
    if manifest is not None:
        return [*manifest.files, manifest.name]
    if claims.job is not None:
        return names_of(claims)
    return [PUBLIC, *(location.name for location in claims.locations.values())]


def _check_listed(claims: ReleaseClaims, manifest: Manifest | None) -> None:
    """Raise a CertificateError unless just the files of the release are listed, or it is one from before manifests.

    Those who got the data may have it without a list: then the certificate binds it, and nothing else.
    """
    if manifest is None:
        if claims.job is not None and "schema" in claims.certificate:
            raise CertificateError(f"The files of the release are not bound to each other: it has no {MANIFEST}.")
        return
    if "schema" not in claims.certificate:
        raise CertificateError(f"The certificate says less than one beside {manifest.name}: it has no schema.")
    manifest.demand(names_of(claims))
