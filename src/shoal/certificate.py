"""The certificate: what holds for a released file, derived again from the file alone.

Nothing here knows how a release was made: the file is read back, records with identical published quasi values
are counted as classes, and every promise is put to those classes. A table of clusters is put to them row by row: two
clusters may have one centre, so that the records of both look like one class.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal.classes.links import Links, link_breaches
from shoal.classes.observed import Observed
from shoal.classes.withheld import beside
from shoal.clusters.cluster_table import CLUSTER, ClusterTable, ValuesOption
from shoal.foundation.documents import json_of
from shoal.foundation.errors import CertificateError
from shoal.models.claim import claim_of
from shoal.models.model import Measured, PrivacyModel
from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.location import Location
from shoal.tables.rows import Rows

CERTIFICATE = "certificate.json"
SCHEMA = 2  # of what a certificate says; one without this key is of the first
VERDICT = "all claims hold"
BY_WILDCARDS = "all claims hold by the wildcard reading"
"""The verdict where a missing value matches every value, beside which stands what strict counting reaches."""


def verdict_of(*, wildcard: bool) -> str:
    """Return the verdict on claims that all hold, by how missing values are read; no other is written."""
    return BY_WILDCARDS if wildcard else VERDICT


@dataclass(frozen=True, slots=True)
class Claim:
    """A promise, what was asked, what the file reaches, and whether that is enough.

    Args:
        model: The promise.
        achieved: What the file reaches, by the reading of missing values that the job asks for.
        holds: Whether that is enough.
        strict: Where missing values match everything, what the file reaches if they are values of their own.
    """

    model: PrivacyModel
    achieved: Measured
    holds: bool
    strict: Measured | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the claim as it stands in the certificate; one threshold stands as a number."""
        return claim_of(self.model, self.achieved, holds=self.holds, strict=self.strict)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What a certificate needs to know beside the file: the roles, and what the promises refer to.

    Args:
        quasi: The quasi columns.
        sensitive: The sensitive columns that the promises speak of.
        wildcard: Whether a missing value counts as matching every value.
        hierarchies: Hierarchies of sensitive columns, for distances along them.
        populations: For each outside table, its cells in the words of the release, with a column of counts.
        held: For clusters, all sensitive columns.
        values: How a table of clusters tells their values.
        pseudonyms: The columns of pseudonyms.
        withheld: The sensitive values of the records that are suppressed, if classes are compared with the input.
    """

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    wildcard: bool = False
    hierarchies: Mapping[str, Hierarchy] | None = None
    populations: Mapping[str, pl.DataFrame] | None = None
    held: tuple[str, ...] = ()
    values: ValuesOption = "multiset"
    pseudonyms: tuple[str, ...] = ()
    withheld: Rows | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the file that are looked at."""
        return tuple(dict.fromkeys((*self.quasi, *self.sensitive, *self.held, *self.pseudonyms)))


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found in a file: its claims, its classes and its digest.

    Args:
        claims: The promises, put to its classes.
        classes: The number and sizes of these.
        n_records: The number of its records.
        file: The file.
        links: What its pseudonyms link.
        breaches: Why they may not leave, if they may not.
    """

    claims: tuple[Claim, ...]
    classes: dict[str, Any]
    n_records: int
    file: dict[str, Any]
    links: tuple[Links, ...] = ()
    breaches: tuple[str, ...] = ()

    def demand(self) -> None:
        """Raise a CertificateError that names every claim which does not hold, and what pseudonyms break."""
        _demand(self.claims, self.file)
        if self.breaches:
            raise CertificateError(
                f"Refused: {'; '.join(self.breaches)}. Leave the pseudonym out; or take quasi columns that are "
                "the same in all records of a person, and an algorithm that treats equal records alike, such as "
                "'optimal'."
            )


@dataclass(frozen=True, slots=True)
class ClusterFindings:
    """What was found in a table of clusters: the claims that it can prove, the clusters and its digest.

    Args:
        claims: The promises that the rows decide, put to each of them.
        classes: The rows as classes.
        radius: The largest radius that is told.
        file: The file.
    """

    claims: tuple[Claim, ...]
    classes: dict[str, Any]
    radius: float
    file: dict[str, Any]

    @property
    def sizes(self) -> dict[str, Any]:
        """The number of clusters, and of the records of the smallest and the largest."""
        return {key: self.classes[key] for key in ("count", "smallest", "largest")}

    def alone(self) -> Findings:
        """Return what was found if there is no other file."""
        return Findings(self.claims, self.classes, self.file.get("records", 0), self.file)

    def demand(self) -> None:
        """Raise a CertificateError that names every claim which does not hold."""
        _demand(self.claims, self.file)


def _demand(claims: Sequence[Claim], file: Mapping[str, Any]) -> None:
    """Refuse what does not keep its promises: a file or table, where one was written, and else what would be."""
    failed = [claim for claim in claims if not claim.holds]
    if failed:
        words = "; ".join(
            f"{claim['model']}: asked {claim['asked']}, found {claim['achieved']}"
            for claim in (one.as_dict() for one in failed)
        )
        written = "the written table" if "database" in file else "the written file" if file else "the release"
        raise CertificateError(f"Refused: {written} does not keep its promises ({words}).")


def examine_frame(
    frame: pl.DataFrame, models: Sequence[PrivacyModel], evidence: Evidence, clusters: ClusterTable | None = None
) -> Findings:
    """Put every promise to the classes of a table of records; see `examine_rows`."""
    return examine_rows(Rows.each(frame), models, evidence, clusters)


def examine_rows(
    rows: Rows,
    models: Sequence[PrivacyModel],
    evidence: Evidence,
    clusters: ClusterTable | None = None,
    file: Mapping[str, Any] | None = None,
) -> Findings:
    """Put every promise to the classes of a published table, which must agree with its table of clusters.

    Args:
        rows: The different rows of the table, as often as they occur.
        models: The promises.
        evidence: What else they refer to.
        clusters: The table of clusters, if there is one.
        file: What is to be said of the file or table that the rows were read from, if they were.
    """
    observed = Observed.of_rows(rows, evidence.quasi, evidence.sensitive, evidence.hierarchies)
    shown, seen = observed, rows
    if evidence.withheld is not None:
        seen = beside(rows, evidence.withheld, evidence.quasi)
        observed = Observed.of_rows(seen, evidence.quasi, evidence.sensitive, evidence.hierarchies)
    if evidence.populations:
        observed = observed.with_populations(evidence.populations, evidence.quasi)
    groups = observed.wildcard(stars=False) if evidence.wildcard else observed.groups
    claims = tuple(
        Claim(
            model,
            model.achieved(groups if seen is rows or model.of_input else shown.groups),
            bool(model.holds(groups).all()),
            model.achieved(observed.groups) if evidence.wildcard else None,
        )
        for model in models
    )
    if clusters is not None:
        _check_agreement(rows, clusters, evidence.quasi)
    said = {} if file is None else {**file, "records": rows.n_records}
    links = tuple(Links.of(rows, evidence.quasi, name) for name in evidence.pseudonyms)
    k = max((model.least_size for model in models), default=1)
    breaches = link_breaches(links, k, overlapping=evidence.wildcard or clusters is not None)
    return Findings(claims, shown.groups.describe(), rows.n_records, said, links, tuple(breaches))


def examine_location(
    location: Location, models: Sequence[PrivacyModel], evidence: Evidence, clusters: ClusterTable | None = None
) -> Findings:
    """Read a released file or table back from where it is and put every promise to it."""
    rows, said = location.counted(evidence.columns)
    return examine_rows(rows, models, evidence, clusters, said)


def examine_clusters(
    clusters: ClusterTable, models: Sequence[PrivacyModel], evidence: Evidence, file: Mapping[str, Any] | None = None
) -> ClusterFindings:
    """Put every promise that the rows of a table of clusters decide to each of them.

    What is told of one sensitive column decides promises on that column alone, and sets decide only those that do not
    ask how often a value occurs.
    """
    told = [model for model in models if model.told_by(clusters.kind)]
    looked = dict.fromkeys((None, *(name for model in told for name in model.sensitive_columns)))
    groups = {
        name: Observed.of(
            clusters.records(name), [CLUSTER], [name] if name is not None else [], evidence.hierarchies
        ).groups
        for name in looked
    }
    claims = []
    for model in told:
        rows = groups[next(iter(model.sensitive_columns), None)]
        reached = model.achieved(rows)  # each cluster counts its own records, however missing values are read
        strict = reached if evidence.wildcard else None
        claims.append(Claim(model, reached, bool(model.holds(rows).all()), strict))
    return ClusterFindings(
        tuple(claims), groups[None].describe(), float(clusters.radii.max(initial=0.0)), dict(file or {})
    )


def read_clusters(location: Location, evidence: Evidence) -> tuple[ClusterTable, dict[str, Any]]:
    """Read a table of clusters back from where it is, and say what it is."""
    frame, said = location.certified(text=True)
    clusters = ClusterTable.of(frame, evidence.quasi, evidence.held, evidence.values)
    return clusters, {**said, "clusters": len(clusters), "records": int(clusters.sizes.sum())}


def _check_agreement(rows: Rows, clusters: ClusterTable, quasi: Sequence[str]) -> None:
    """Raise a CertificateError unless records and clusters have the same centres, as often, with the same values."""
    keys = [str(number) for number in range(len(quasi))]  # a name such as `*` would be a pattern to polars
    frame = rows.frame
    records = pl.DataFrame([frame[name].alias(key) for name, key in zip(quasi, keys, strict=True)])
    records = records.with_columns(pl.Series("n", rows.counts))
    centres = pl.DataFrame([clusters.centres[name].alias(key) for name, key in zip(quasi, keys, strict=True)])
    if not _same(records, centres.with_columns(pl.Series("n", clusters.sizes)), keys):
        raise CertificateError("The records and the clusters differ in their centres, or in how many records have one.")
    for name, held in clusters.sensitive.items():
        values = pl.Series("value", held.values, dtype=pl.String)
        here = records.with_columns(frame[name].alias("value"))
        there = centres[held.owners].with_columns(values, pl.Series("n", held.counts))
        if not _same(here, there, [*keys, "value"], counted=clusters.kind == "multiset"):
            raise CertificateError(f"The records and the clusters differ in the values of column '{name}'.")


def _same(here: pl.DataFrame, there: pl.DataFrame, keys: Sequence[str], *, counted: bool = True) -> bool:
    """Tell whether two tables have the same rows, each as often as the column `n` adds up to."""
    parts = []
    for sign, table in ((1, here), (-1, there)):
        sums = table.group_by(keys).agg(pl.col("n").sum() if counted else pl.lit(1, dtype=pl.Int64).alias("n"))
        parts.append(sums.with_columns(pl.col(keys).cast(pl.String), pl.col("n") * sign))
    return bool(pl.concat(parts).group_by(keys).agg(pl.col("n").sum())["n"].eq(0).all())


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a certificate with the digest of all that it says, so that a change of any of it shows."""
    return {**content, "seal": hashlib.sha256(text_of(content)).hexdigest()}


def text_of(certificate: Mapping[str, Any]) -> bytes:
    """Return a certificate as it is written."""
    return (json.dumps(certificate, indent=2, ensure_ascii=False) + "\n").encode()


def unsealed(text: bytes, name: str = CERTIFICATE) -> dict[str, Any]:
    """Read a certificate of that name; a CertificateError tells that it is not as it was written."""
    try:
        certificate = json_of(text, name)
        content = {key: value for key, value in certificate.items() if key != "seal"}
        written = text_of(sealed(content))
    except (ValueError, AttributeError):
        raise CertificateError(f"The certificate {name} cannot be read.") from None
    if written != text:
        raise CertificateError(f"The certificate {name} was changed after it was written: its seal is broken.")
    return content
