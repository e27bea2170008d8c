"""Verification: a release is put to its certificate again, anywhere, by its steward or by those who got it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal.actions.verification.raw_table import RawTable
from shoal.actions.verification.repeated import repeat
from shoal.actions.verification.sampled import verified_sample
from shoal.actions.verification.series import verify_series
from shoal.actions.verification.told import RAW, SEARCH, told
from shoal.actions.verification.verified import Verified
from shoal.actions.verification.witness import places_of, proven_by_charges
from shoal.certificate import (
    CERTIFICATE,
    ClusterFindings,
    Evidence,
    Findings,
    examine_clusters,
    examine_location,
    read_clusters,
    unsealed,
    verdict_of,
)
from shoal.clusters.cluster_table import ClusterTable
from shoal.foundation.budgets import read_bytes
from shoal.foundation.errors import CertificateError, SpecError
from shoal.foundation.given import checked
from shoal.foundation.progress import Progress, silent
from shoal.jobs.blindness import is_blind
from shoal.jobs.disclosure import PUBLIC, disclosed
from shoal.jobs.source import population_evidence
from shoal.models.claim import claim_of
from shoal.models.model import PrivacyModel
from shoal.releases.claims.job_agreement import check_job, told_by_job
from shoal.releases.claims.reading import claims_in
from shoal.releases.claims.record_numbers import numbers_agree
from shoal.releases.claims.release_claims import Promised, ReleaseClaims
from shoal.releases.claims.stated import incomplete
from shoal.releases.proof import prove
from shoal.releases.radius import centres_of, check_radius, compare_clusters
from shoal.releases.release import Release
from shoal.releases.sampling.statement import folder_of_sample
from shoal.releases.signatures import checked_signatures
from shoal.releases.statement import certificate_of, pseudonyms_of
from shoal.tables.hierarchies import Hierarchy
from shoal.tables.rows import Rows
from shoal.tables.table import Column

ColumnReader = Callable[[str], pl.Series]
"""Returns a sensitive column as it is released."""


@checked
def verify(
    release: str | Path | Release,
    *,
    url: str | None = None,
    raw: Any = False,
    bound: bool = False,
    witness: bool = False,
    keys: Sequence[str | Path] = (),
    earlier: Sequence[str | Path] = (),
    progress: Progress = silent,
) -> Verified:
    """Derive every claim of a release again from its file or table, and compare it with the certificate.

    If the steward's certificate and job are present, they are verified, and the public certificate must agree with
    them. Recipients have only the public certificate, which is sufficient.

    A claim that refers to another file (a population, a matrix of distances, a hierarchy for distances) is derived if
    that file is where the job says; otherwise it is listed as not derived, with the reason. The same holds for the
    radius of clusters, which needs the raw table.

    Args:
        release: The folder, its data, or its certificate; or what `anonymize` or `apply` returned, whose columns are
            then checked again.
        url: The database with the released table, if it was moved, or if only the public certificate is present, which
            does not name it.
        raw: Whether to derive also what the certificate says about the raw table: its records, the loss, the distances
            of clusters. True reads it where the job says; otherwise a frame, or its location.
        bound: Whether to prove the bound by the stored charges, and to run the search again, which derives everything
            else that the search found; with `raw`.
        witness: Whether to prove the bound by the stored charges alone; with `raw`. Nothing is searched.
        keys: Files of public keys. The manifest must be signed with each of them.
        earlier: The folders of earlier releases of a series, complete or public halves. Those named in the steward's
            jobs are found without.
        progress: Called with the current step.

    Raises:
        SpecError: This is not a release.
        CertificateError: The file is not the certified one, or it breaks a promise.
    """
    if isinstance(release, Release):
        if raw is not False or keys or earlier:
            raise SpecError("A release in memory has no signatures, and knows its raw table: write it first.")
        return _in_memory(release, progress)
    path = Path(release)
    if (bound or witness) and raw is False:
        raise SpecError("A bound is derived from the raw table: give --raw as well.")
    progress("comparing the files with their digests")
    sampled = folder_of_sample(path)
    if sampled is not None:
        return verified_sample(sampled, raw=raw, keys=keys)
    claims = claims_in(path, url)
    check_job(claims)
    signatures = checked_signatures(claims.where.private, claims.manifest, keys)
    progress("deriving the claims again")
    claims, populations = _populations(claims)
    findings, found, radius = _examined(claims, populations, progress)
    lacking, derived, proven = {**claims.lacking, **radius}, told_by_job(claims), None
    table = None if raw is False else RawTable.of(claims, raw)
    series, unlinked = verify_series(claims, earlier, table)
    lacking |= unlinked
    if table is not None:
        if bound or witness:
            progress("proving the bound by the charges")
            proven = proven_by_charges(table)
        reason, more = _by_raw_table(table, bound=bound, progress=progress)
        lacking |= {} if reason is None else {"search": reason}
        derived += (*more, *places_of(table, proven))
    return Verified(
        findings=findings,
        not_derived=lacking,
        clusters=found,
        public=claims.job is None,
        others=claims.others,
        told=told(claims.certificate, derived),
        signatures=signatures,
        wildcard=claims.wildcard,
        proven=None if proven is None else float(proven),
        series=series,
    )


def _examined(
    claims: ReleaseClaims, populations: Mapping[str, pl.DataFrame], progress: Progress
) -> tuple[Findings, ClusterFindings | None, dict[str, str]]:
    """Derive all from what is released and compare it; return that, and what is lacking for the radius of clusters."""
    evidence = claims.evidence(populations)
    clusters, file = _clusters(claims, evidence)
    values = _values(claims, clusters)
    evidence = replace(evidence, hierarchies=_hierarchies(claims, values, evidence.withheld))
    found = None if clusters is None else examine_clusters(clusters, claims.models, evidence, file)
    if found is not None:
        found.demand()
    if found is not None and "records" not in claims.locations:
        findings = found.alone()
    else:
        findings = examine_location(claims.locations["records"], claims.models, evidence, clusters)
    _check_digest(findings.file, claims.certificate["file"])
    findings.demand()
    _compare(findings, claims)
    compare_clusters(clusters, found, claims)
    radius = _radius(claims, clusters, findings, progress)
    _check_public(claims, values)
    return findings, found, radius


def _by_raw_table(raw: RawTable, *, bound: bool, progress: Progress) -> tuple[str | None, tuple[str, ...]]:
    """Derive what the raw table tells; return why the search cannot be repeated, and what was derived.

    It is repeated for clusters and rules in any case, since the release does not tell which record went where.
    """
    progress("deriving the loss from the raw table")
    cells = "rules" not in raw.certificate and raw.check()
    if cells and not bound:
        return None, RAW
    progress("repeating the release")
    reason = repeat(raw, progress)
    if reason is not None:
        return reason, RAW if cells else ()
    return None, (*RAW, *SEARCH)


def _in_memory(release: Release, progress: Progress) -> Verified:
    """Put every promise to the columns that a release holds, and compare all with its certificate."""
    proof = prove(release.run, progress)
    if not release.holds(proof):
        raise CertificateError("The data or the clusters of the release are not what was certified: they were changed.")
    derived, stated = certificate_of(release.run, proof.findings, proof.found), release.certificate
    different = [key for key in derived.keys() | stated.keys() if derived.get(key) != stated.get(key)]
    if different:
        raise CertificateError(f"The release and its certificate differ in {', '.join(sorted(different))}.")
    return Verified(proof.findings, {}, proof.found, wildcard=release.run.evidence.wildcard)


def _populations(claims: ReleaseClaims) -> tuple[ReleaseClaims, Mapping[str, pl.DataFrame]]:
    """Read the outside tables that promises speak of; if they cannot be, these promises cannot be derived."""
    if claims.job is None or all(model.population_file is None for model in claims.models):
        return claims, {}
    quasi = claims.evidence({}).quasi
    try:
        return claims, population_evidence(claims.job, quasi, claims.certificate["algorithm"]["levels"])
    except (KeyError, IndexError):  # of the stated levels
        raise incomplete(claims.folder, CERTIFICATE) from None
    except SpecError as error:
        promised = tuple(
            replace(one, lacking=one.lacking or str(error))
            if one.model is not None and one.model.population_file is not None
            else one
            for one in claims.promised
        )
        return replace(claims, promised=promised), {}


def _clusters(claims: ReleaseClaims, evidence: Evidence) -> tuple[ClusterTable | None, dict[str, Any]]:
    """Read the table of clusters, if one is released, and say which it is."""
    if "clusters" not in claims.locations:
        return None, {}
    clusters, file = read_clusters(claims.locations["clusters"], evidence)
    _check_digest(file, claims.certificate["clusters"]["file"])
    return clusters, file


def _check_digest(found: dict[str, Any], stated: dict[str, Any]) -> None:
    """Raise a CertificateError if a table of a database is another; that of a file was looked at first."""
    if found["sha256"] != stated["sha256"]:
        raise CertificateError(
            f"The table {found['name']} is not the one that was certified: the digest of its records differs."
        )


def _values(claims: ReleaseClaims, clusters: ClusterTable | None) -> ColumnReader:
    def released(name: str) -> pl.Series:
        if clusters is not None:
            return pl.Series(name, clusters.sensitive[name].values, dtype=pl.String)
        return claims.locations["records"].counted([name])[0].frame.get_column(name)

    return released


def _hierarchies(claims: ReleaseClaims, values: ColumnReader, withheld: Rows | None = None) -> dict[str, Hierarchy]:
    """Build the hierarchies that promises measure along, over the values of the release and those that are withheld."""
    names = {name for model in claims.models if model.along_hierarchy for name in model.sensitive_columns}

    def known(name: str) -> pl.Series:
        if withheld is None:
            return values(name)
        return pl.concat([values(name).cast(pl.String), withheld.frame[name].cast(pl.String)])

    try:
        built = {name: _built(claims, known(name), name) for name in sorted(names)}
    except SpecError as error:
        if claims.job is not None:
            raise
        raise CertificateError(f"A hierarchy that {PUBLIC} tells does not fit the data. {error}") from None
    return {name: hierarchy for name, hierarchy in built.items() if hierarchy is not None}


def _built(claims: ReleaseClaims, values: pl.Series, name: str) -> Hierarchy | None:
    """Return the hierarchy of a column, if it has one, which must know all of its values."""
    hierarchy = claims.columns[name].hierarchy_over(values, name, claims.folder)
    if hierarchy is not None:
        hierarchy.encode(Column.of(values).values, name)
    return hierarchy


def _compare(findings: Findings, claims: ReleaseClaims) -> None:
    """Raise a CertificateError that names all in which the certificate and the file differ."""
    derived = {claim.model: claims.stated(claim) for claim in findings.claims}
    certificate = claims.certificate
    pairs = [
        ("the verdict", verdict_of(wildcard=claims.wildcard and not claims.earlier), certificate["verdict"]),
        ("whether it is blind", _blind_agrees(claims), True),
        ("the numbers of records", numbers_agree(claims, findings.n_records), True),
        ("what it says of the file", findings.file, certificate["file"]),
        ("the classes", findings.classes, certificate["classes"]),
        ("the pseudonyms", _pseudonyms(findings, claims), certificate.get("pseudonyms")),
        ("the number of claims", len(claims.promised), len(certificate["claims"])),
        *((f"the claim {one.name}", _claim(one, derived), one.claim) for one in claims.promised),
    ]
    different = [what for what, found, said in pairs if found != said]
    if different:
        raise CertificateError(f"The file and its certificate differ in {', '.join(different)}.")


def _pseudonyms(findings: Findings, claims: ReleaseClaims) -> dict[str, Any] | None:
    """Return what the certificate must say of pseudonyms; of which key they are, only the job tells."""
    stated = {one["key"] for one in claims.certificate.get("pseudonyms", {}).values()}
    if claims.job is not None:
        stated = {"release" if claims.job.key_file is None else "file"}
    return pseudonyms_of(findings.links, min(stated, default="release")).get("pseudonyms")


def _claim(one: Promised, derived: Mapping[PrivacyModel, dict[str, Any]]) -> dict[str, Any] | None:
    """Return what the certificate must say of a promise; what it reaches is taken as stated if it cannot be derived."""
    if one.claim is None or one.lacking is None:
        return None if one.model is None else derived.get(one.model)
    if one.model is None:
        return {**one.claim, "holds": True}
    taken = {name: one.claim[name] for name in ("achieved", "strict") if name in one.claim}
    return {**claim_of(one.model, {}, holds=True), "achieved": None, **taken}


def _blind_agrees(claims: ReleaseClaims) -> bool:
    """Tell whether the certificate says what the job tells of blindness; without the job, whether it says yes or no."""
    stated = claims.certificate.get("blind")
    if claims.earlier:
        return True
    if claims.job is None:
        return isinstance(stated, bool)
    return stated is is_blind(claims.job, applied="rules" in claims.certificate)


def _check_public(claims: ReleaseClaims, values: ColumnReader) -> None:
    """Raise a CertificateError if the public certificate says something that the steward's does not."""
    folder = claims.where.public
    if claims.job is None or not (folder / PUBLIC).exists():
        return
    stated = unsealed(read_bytes(folder / PUBLIC), PUBLIC)
    try:
        told = disclosed(claims.job, claims.certificate, lambda name: Column.of(values(name)).values)
    except (KeyError, TypeError):
        raise incomplete(claims.folder, CERTIFICATE) from None
    left_out = () if "schema" in claims.certificate else told.keys() - stated.keys()  # the first schema allowed that
    both = [*stated, *(key for key in told if key not in stated and key not in left_out)]
    different = [key for key in both if key not in told or key not in stated or told[key] != stated[key]]
    if different:
        raise CertificateError(
            f"{PUBLIC} says something that the certificate and the job do not, or that is not to be passed on: it "
            f"differs in {', '.join(different)}."
        )


def _radius(
    claims: ReleaseClaims, clusters: ClusterTable | None, findings: Findings, progress: Progress
) -> dict[str, str]:
    """Put the radius of clusters to the raw table; return what is lacking for that."""
    if not claims.centres or (claims.job is None and clusters is None):
        return {}
    if claims.job is None:
        return {"radius": "needs the raw table, which is not passed on"}
    quasi = claims.evidence({}).quasi
    centres = clusters.centres if clusters is not None else centres_of(claims.locations["records"], quasi)
    progress("measuring the clusters")
    reason = check_radius(claims.job, claims.certificate, centres, findings.n_records)
    return {} if reason is None else {"radius": reason}
