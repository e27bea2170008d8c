"""Reading what a release says of itself, from whichever certificate is there."""

from pathlib import Path

from shoal.certificate import CERTIFICATE
from shoal.foundation.errors import SpecError
from shoal.jobs.disclosure import PUBLIC
from shoal.releases.claims.public_claims import public_claims
from shoal.releases.claims.release_claims import ReleaseClaims
from shoal.releases.claims.steward_claims import JOB, steward_claims


def claims_in(path: Path, url: str | None = None) -> ReleaseClaims:
    """Read what a release says of itself.

    Args:
        path: The folder of the release, one of its files, or the certificate to go by.
        url: The database that its table is in, if it was moved, or if nothing else tells.
    """
    folder = path.parent if path.is_file() else path
    steward = any((folder / name).exists() for name in (CERTIFICATE, JOB))
    if (folder / PUBLIC).is_file() and (path.name == PUBLIC or not steward):
        found = public_claims(folder, url)
    else:
        found = steward_claims(folder, url)
    known = (CERTIFICATE, PUBLIC, *(location.name for location in found.locations.values()))
    if path.is_file() and path.name not in known:
        raise SpecError(f"The certificate in '{folder}' does not speak of '{path.name}', but of {known[-1]}.")
    return found
