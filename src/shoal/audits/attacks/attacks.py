"""Attacks: the findings of all attacks that were run on a release."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from shoal.audits.attacks.background_knowledge import BackgroundKnowledge
from shoal.audits.attacks.composition import Composition
from shoal.audits.attacks.homogeneity import Homogeneity
from shoal.audits.attacks.isolation import Isolation
from shoal.audits.attacks.linkage import Linkage
from shoal.audits.attacks.presence import Presence
from shoal.audits.attacks.replay import Replay
from shoal.audits.attacks.series.series import Series
from shoal.audits.attacks.similarity import Similarity
from shoal.audits.attacks.skewness import Skewness

AttackFinding = (
    Linkage
    | Presence
    | Isolation
    | Homogeneity
    | BackgroundKnowledge
    | Skewness
    | Similarity
    | Composition
    | Replay
    | Series
)
F = TypeVar("F", bound=AttackFinding)


@dataclass(frozen=True, slots=True)
class Attacks:
    """The findings, one for each attack and sensitive column.

    Args:
        findings: The findings.
        not_run: For each attack that could not be run, the reason.
    """

    findings: tuple[AttackFinding, ...]
    not_run: Mapping[str, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[AttackFinding]:
        return iter(self.findings)

    @property
    def linkage(self) -> Linkage | None:
        """The linkage with a public table, if one was given."""
        return next(self._of(Linkage), None)

    @property
    def presence(self) -> Presence | None:
        """Who of a public table is in the raw table, if a public table and the truth were given."""
        return next(self._of(Presence), None)

    @property
    def singling_out(self) -> Isolation | None:
        """Whether what is printed fits exactly one record, if the raw table is at hand."""
        return next(self._of(Isolation), None)

    @property
    def composition(self) -> Composition | None:
        """The composition with another release, if one was given."""
        return next(self._of(Composition), None)

    @property
    def replay(self) -> Replay | None:
        """How many swapped tables lead to the same release, if that was asked for."""
        return next(self._of(Replay), None)

    @property
    def homogeneity(self) -> dict[str, Homogeneity]:
        """By sensitive column."""
        return {found.column: found for found in self._of(Homogeneity)}

    @property
    def background_knowledge(self) -> dict[str, BackgroundKnowledge]:
        """By sensitive column."""
        return {found.column: found for found in self._of(BackgroundKnowledge)}

    @property
    def skewness(self) -> dict[str, Skewness]:
        """By sensitive column."""
        return {found.column: found for found in self._of(Skewness)}

    @property
    def similarity(self) -> dict[str, list[Similarity]]:
        """By sensitive column: one finding by range, one by group, or both."""
        columns: dict[str, list[Similarity]] = {}
        for found in self._of(Similarity):
            columns.setdefault(found.column, []).append(found)
        return columns

    @property
    def series(self) -> dict[str, Series]:
        """By sensitive column, if several releases were put together."""
        return {found.column: found for found in self._of(Series)}

    @property
    def worst(self) -> float:
        """The largest share of records (or persons) that any attack exposes."""
        return max((found.share for found in self.findings), default=0.0)

    def above(self, share: float) -> list[AttackFinding]:
        """Return the findings that expose more than `share` of the records (or persons)."""
        return [found for found in self.findings if found.share > share]

    def as_dict(self, *, show: bool = False) -> dict[str, Any]:
        """Return the findings as JSON; `show` adds the values and cells that the release publishes."""
        return {
            "worst": self.worst,
            "attacks": [found.as_dict(show=show) for found in self.findings],
            "not_run": dict(self.not_run),
        }

    def _of(self, kind: type[F]) -> Iterator[F]:
        return (found for found in self.findings if isinstance(found, kind))
