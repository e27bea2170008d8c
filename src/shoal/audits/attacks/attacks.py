"""Attacks: the findings of all attacks that were run on a release."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar

from shoal.audits.attacks.background_knowledge import BackgroundKnowledge, background_knowledge
from shoal.audits.attacks.composition import Composition
from shoal.audits.attacks.homogeneity import Homogeneity, homogeneity
from shoal.audits.attacks.linkage import Linkage
from shoal.audits.attacks.similarity import WIDTHS, Similarity, similarity
from shoal.audits.attacks.skewness import GAINS, Skewness, skewness
from shoal.classes.observed import Observed
from shoal.foundation.errors import SpecError

AttackFinding = Linkage | Homogeneity | BackgroundKnowledge | Skewness | Similarity | Composition
F = TypeVar("F", bound=AttackFinding)

NAMES = tuple(kind.name for kind in (Linkage, Homogeneity, BackgroundKnowledge, Skewness, Similarity, Composition))


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
    def composition(self) -> Composition | None:
        """The composition with another release, if one was given."""
        return next(self._of(Composition), None)

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


def against_column(
    observed: Observed,
    quasi: Sequence[str],
    column: str,
    *,
    wanted: Sequence[str] = (),
    rule_out: int = 2,
    gain: Fraction = GAINS[-1],
    width: Fraction = WIDTHS[2],
    others_known: bool = False,
    categories: bool = False,
) -> tuple[list[AttackFinding], str | None]:
    """Run on one sensitive column every attack that needs nothing but the release.

    Args:
        observed: The release.
        quasi: The names of its quasi columns.
        column: The sensitive column.
        wanted: The attacks to run, by name; all if empty.
        rule_out: The largest number of values that are ruled out.
        gain: A class counts as exposed by skewness if a value gains at least this much.
        width: A class counts as exposed by similarity if its values span at most this share of the whole range.
        others_known: Whether the attacker knows the other sensitive columns of the person.
        categories: Whether the values are categories, even if they look like numbers.

    Returns:
        The findings, and the reason why similarity could not be run (None if it was).
    """
    found: list[AttackFinding] = []
    reason = None
    if not wanted or Homogeneity.name in wanted:
        found.append(homogeneity(observed, quasi, column, others_known=others_known))
    if not wanted or BackgroundKnowledge.name in wanted:
        found.append(background_knowledge(observed, quasi, column, rule_out=rule_out, others_known=others_known))
    if not wanted or Skewness.name in wanted:
        found.append(skewness(observed, quasi, column, gain=gain, others_known=others_known))
    if not wanted or Similarity.name in wanted:
        try:
            found += similarity(observed, quasi, column, width=width, others_known=others_known, categories=categories)
        except SpecError as error:
            reason = str(error)
    return found, reason
