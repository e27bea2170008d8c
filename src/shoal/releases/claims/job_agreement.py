"""Agreement of a steward's certificate with the job and the rules beside it, in how the release was made."""

from collections.abc import Iterator

from shoal.foundation.errors import CertificateError, SpecError
from shoal.jobs.job import Job
from shoal.releases.claims.release_claims import ReleaseClaims
from shoal.releases.grids import steps_agree
from shoal.releases.rules.rules import NAME, Rules
from shoal.reports.release_facts import APPLIED

_SIMPLER = (("full-domain", "single-dimensional"), ("cell-suppression", "local"))  # what a release and its rules are


def check_job(claims: ReleaseClaims) -> None:
    """Raise a CertificateError that names all in which the certificate differs from the job or the rules beside it."""
    if claims.job is None or "schema" not in claims.certificate:
        return
    different = [*_made_by(claims, claims.job), *_recoded(claims)]
    if different:
        raise CertificateError(f"The certificate and the job or the rules beside it differ in {', '.join(different)}.")


def told_by_job(claims: ReleaseClaims) -> tuple[str, ...]:
    """Return the places of a certificate that the job tells as well."""
    if claims.job is None or "schema" not in claims.certificate:
        return ()
    named = claims.job.search.algorithm is not None or "rules" in claims.certificate
    return ("loss.measure", "loss.weighted", *(("algorithm.name",) if named else ()))


def _made_by(claims: ReleaseClaims, job: Job) -> Iterator[str]:
    """Compare what was asked for with what is said to have been done."""
    certificate, algorithm = claims.certificate, job.search.algorithm
    if certificate["loss"]["measure"] != (job.objective or job.search.measure.name):
        yield "the measure"
    if certificate["loss"].get("weighted", False) != (job.search.sampling_weights is not None):
        yield "whether the loss is weighted"
    asked = APPLIED if "rules" in certificate else None if algorithm is None else algorithm.name
    if asked is not None and certificate["algorithm"]["name"] != asked:
        yield "the algorithm"
    if not steps_agree(job, certificate):
        yield "the grids"
    if "left_out" in certificate and job.engine.regions is None:
        yield "what is left out"
    if "clusters" in certificate:
        places = "anywhere" if algorithm is None else algorithm.centre_places
        if certificate["clusters"]["metric"]["centres"] != places:
            yield "where centres may be"


def _recoded(claims: ReleaseClaims) -> Iterator[str]:
    """Compare the recoding with the rules; without them, in regions, each class is recoded for itself."""
    if NAME in claims.certificate.get("left_out", ()):
        return iter(["the recoding"] if claims.certificate["algorithm"]["recoding"] != "local" else [])
    try:
        rules = Rules.read(claims.folder)
    except SpecError as error:
        raise CertificateError(f"The rules of the release are not as they were written. {error}") from None
    return _recoded_by(claims, rules)


def _recoded_by(claims: ReleaseClaims, rules: Rules) -> Iterator[str]:
    """Compare the kind of recoding and its columns with the rules; their levels may be those of a simpler recipe.

    The rules of one level for each column are single-dimensional where groups of values have no other name, and those
    of one level with stars are rules of classes.
    """
    stated = claims.certificate["algorithm"]
    kinds = (stated["recoding"], rules.recoding)
    if kinds[0] != kinds[1] and kinds not in _SIMPLER:
        yield "the recoding"
    if stated["levels"] and stated["levels"].keys() != rules.columns.keys():
        yield "the columns that have levels"
