"""Reading the claims of a release, from the certificate that is available."""

from pathlib import Path

from shoal.certificate import CERTIFICATE
from shoal.foundation.errors import SpecError
from shoal.jobs.disclosure import PUBLIC
from shoal.jobs.job import JOB_FILE
from shoal.releases.claims.public_claims import public_claims
from shoal.releases.claims.release_claims import ReleaseClaims
from shoal.releases.claims.steward_claims import steward_claims


def claims_in(path: Path, url: str | None = None) -> ReleaseClaims:
    """Read the claims of a release.

    Args:
        path: The folder of the release, one of its files, or the certificate to use.
        url: The database of its table, if it was moved or is not stated.
    """
    folder = path.parent if path.is_file() else path
    steward = any((folder / name).exists() for name in (CERTIFICATE, JOB_FILE))
    if (folder / PUBLIC).is_file() and (path.name == PUBLIC or not steward):
        found = public_claims(folder, url)
    else:
        found = steward_claims(folder, url)
    known = (CERTIFICATE, PUBLIC, *(location.name for location in found.locations.values()))
    if path.is_file() and path.name not in known:
        raise SpecError(f"The certificate in '{folder}' does not speak of '{path.name}', but of {known[-1]}.")
    return found
