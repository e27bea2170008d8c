"""Verified: what was found when a release was put to its certificate again."""

from dataclasses import dataclass, field
from typing import Any

from shoal.actions.verification.series import VerifiedSeries
from shoal.certificate import ClusterFindings, Findings, verdict_of


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found: the claims derived again, and those that need what is not at hand.

    Args:
        findings: What was derived.
        not_derived: What could not be, with the reason.
        clusters: What was derived from the table of clusters.
        public: Whether it was derived by the public certificate alone.
        others: What else is in the folder, and is no part of the release.
        told: What the certificate tells that was not derived, by its place in it.
        signatures: The signatures beside the manifest, each with the key that it was checked with, if it was.
        wildcard: Whether missing values match every value; then each claim tells what strict counting reaches as well.
        proven: What every release of the raw table loses at least, as the charges that are kept prove, if they do.
        series: What was derived of the series of the release, if it is one of a series.
    """

    findings: Findings
    not_derived: dict[str, str]
    clusters: ClusterFindings | None = None
    public: bool = False
    others: tuple[str, ...] = ()
    told: dict[str, Any] = field(default_factory=dict)
    signatures: dict[str, str | None] = field(default_factory=dict)
    wildcard: bool = False
    proven: float | None = None
    series: VerifiedSeries | None = None

    @property
    def verdict(self) -> str:
        """What holds, in a few words."""
        if not self.not_derived:
            return verdict_of(wildcard=self.wildcard)
        held = verdict_of(wildcard=self.wildcard).removeprefix("all ")
        return f"{len(self.findings.claims)} {held}, {len(self.not_derived)} could not be derived here"

    @property
    def n_files(self) -> int:
        """How many files were certified."""
        names = [self.findings.file, self.clusters.file if self.clusters is not None else {}]
        return len({file["name"] for file in names if file})

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        found = {
            "verdict": self.verdict,
            "public": self.public,
            "claims": [claim.as_dict() for claim in self.findings.claims],
            "classes": self.findings.classes,
            "file": self.findings.file,
            "not_derived": self.not_derived,
            "others": list(self.others),
            "told": self.told,
            "signatures": self.signatures,
            "proven": self.proven,
            **({} if self.series is None else {"series": self.series.as_dict()}),
        }
        if self.clusters is None:
            return found
        claims = [claim.as_dict() for claim in self.clusters.claims]
        return {**found, "clusters": {**self.clusters.sizes, "claims": claims, "file": self.clusters.file}}
