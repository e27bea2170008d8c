"""The claims of a release from the steward's files: the job and the certificate."""

from pathlib import Path

from shoal.certificate import CERTIFICATE
from shoal.foundation.errors import CertificateError, SpecError
from shoal.foundation.members import named_files
from shoal.jobs.delivery import Delivery
from shoal.jobs.disclosure import PUBLIC
from shoal.jobs.job import JOB_FILE, Job
from shoal.jobs.people.entities import as_claimed
from shoal.jobs.release_folder import ReleaseFolder
from shoal.models.model import PrivacyModel
from shoal.releases.claims.release_claims import Promised, ReleaseClaims
from shoal.releases.claims.stated import check_url, name_of, whole
from shoal.releases.grids import with_earlier_grids
from shoal.tables.databases import database_of
from shoal.tables.databases.address import Address


def check_release(folder: Path) -> None:
    """Raise a SpecError if a folder is not the release of a steward."""
    if not any((folder / name).is_file() for name in (CERTIFICATE, JOB_FILE)):
        raise SpecError(f"'{folder}' is not a release: it has neither {CERTIFICATE} nor {PUBLIC}.")
    for name in (CERTIFICATE, JOB_FILE):
        if not (folder / name).is_file():
            raise SpecError(f"'{folder}' is not a release: it has no {name}.")


def steward_claims(where: ReleaseFolder, url: str | None) -> ReleaseClaims:
    """Read the claims from the job and the certificate, which must agree."""
    certificate = whole(where.private / CERTIFICATE, where.public)
    try:
        job = Job.read(where.private / JOB_FILE)
    except SpecError as error:
        raise CertificateError(f"The job of the release is not as it was written. {error}") from None
    job = with_earlier_grids(job, certificate)
    if job.release.shape != certificate.get("clusters", {}).get("shape"):
        raise CertificateError("The certificate and the job beside it differ in what is released of clusters.")
    if job.input.missing != certificate["missing"]["reading"]:
        raise CertificateError("The certificate and the job beside it differ in how missing values are read.")
    if bool(job.release.escape_formulas) != certificate.get("escape_formulas", False):
        raise CertificateError("The certificate and the job beside it differ in whether formulas are quoted.")
    check_url(where.root, url, in_database=job.target is not None)
    delivery = Delivery(job, where.public, None if url is None else database_of(Address.of(url)))
    claims = [*certificate["claims"], *[None] * len(job.require)]
    found = ReleaseClaims(
        certificate=certificate,
        columns=job.columns,
        promised=tuple(
            Promised(claim, promise, name_of(promise.name, *promise.sensitive_columns), _absent(job, promise))
            for promise, claim in zip(map(as_claimed, job.require, claims), claims, strict=False)
        ),
        locations={part: delivery.location(part) for part in delivery.parts},
        release=job.release,
        wildcard=job.input.missing == "wildcard",
        folder=job.folder,
        where=where,
        job=job,
    )
    found.check("The certificate and the job beside it")
    return found


def _absent(job: Job, promise: PrivacyModel) -> str | None:
    """Return which file of a promise does not exist; None if all do."""
    paths = [Path(path) for path in named_files(promise).values()]
    recipes = [column.hierarchy for column in job.columns.values()]
    if promise.population_file is None:
        recipes = [job.columns[name].hierarchy for name in promise.sensitive_columns if promise.along_hierarchy]
    else:
        paths += job.input_files
    paths += [job.folder / path for one in recipes if one is not None for path in named_files(one).values()]
    return next((f"needs '{path}'" for path in paths if not path.is_file()), None)
