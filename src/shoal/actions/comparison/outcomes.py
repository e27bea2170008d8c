"""Outcomes: the release or the failure of each setting, and which outcomes no other dominates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from shoal.actions.comparison.settings import Setting
from shoal.foundation.errors import InfeasibleError, ShoalError

DECIMALS = 9
"""Of losses in comparisons: sums of the same prices in another order differ in the sixteenth digit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """By what a release stands among others.

    Args:
        loss: The loss by the common measure, as a share of the largest possible loss.
        smallest: The number of records of the smallest class.
        kept: Which of the promises that differ among the settings the release keeps, by number.
    """

    loss: float
    smallest: int
    kept: frozenset[int] = frozenset()

    @property
    def compared(self) -> float:
        """The loss, rounded for comparisons."""
        return round(self.loss, DECIMALS)

    def dominates(self, other: "Standing") -> bool:
        """Tell whether it is at least as good in every criterion and better in one.

        The criteria are the highest prosecutor risk, the loss (suppressed records count as fully lost), and, if the
        settings have different promises besides k-anonymity, which of these the release keeps.
        """
        as_good = self.smallest >= other.smallest and self.compared <= other.compared and self.kept >= other.kept
        return as_good and (self.smallest, self.compared, self.kept) != (other.smallest, other.compared, other.kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures(Standing):
    """The figures of a release.

    Args:
        algorithm: The name of the algorithm that made it.
        lowered: The objective of the search.
        lowered_share: Its value, as a share of the largest possible one.
        lowered_total: Its value, in its own unit.
        bound: A proven lower bound on the objective, for releases of its kind.
        ratio: The objective divided by the bound, an upper bound on the ratio to the optimum of its kind.
        guarantee: `optimal`, `factor` or `none`.
        recoding: The kind of recoding.
        records: The number of records of the table.
        released: The number of released records.
        suppressed: The number of records that are left out or released as stars.
        gone: The share of records that were suppressed, of those that were not dropped for a missing value.
        classes: The number of equivalence classes of the released table.
        shown: The number of records in all classes.
        above: The number of records whose risk is above the threshold.
        seconds: The duration of the search.
        remark: A remark of the search.
    """

    algorithm: str
    lowered: str
    lowered_share: float
    lowered_total: float
    bound: float | None
    ratio: float | None
    guarantee: str
    recoding: str
    records: int
    released: int
    suppressed: int
    gone: Fraction
    classes: int
    shown: int
    above: int
    seconds: float = 0.0
    remark: str = ""

    @property
    def highest(self) -> Fraction:
        """The highest prosecutor risk: that of the records of the smallest class."""
        return Fraction(1, self.smallest)

    @property
    def average(self) -> Fraction:
        """The average prosecutor risk of all records; the risks of each class sum to 1."""
        return Fraction(self.classes, self.shown)


@dataclass(frozen=True, slots=True)
class SettingOutcome:
    """A setting, and its figures or the reason why there are none.

    Args:
        setting: The setting.
        figures: The figures of its release.
        failed: `infeasible` if no release meets the request, `refused` if the algorithm does not support it.
        reason: The reason, in one line.
        message: The full message.
        diagnosis: The diagnosis, for other programs.
        found_by: The setting whose job makes the release, if it is another one.
    """

    setting: Setting
    figures: Figures | None = None
    failed: Literal["", "infeasible", "refused"] = ""
    reason: str = ""
    message: str = ""
    diagnosis: Mapping[str, Any] = field(default_factory=dict)
    found_by: Setting | None = None

    @property
    def made_by(self) -> Setting:
        """The setting whose job makes the release."""
        return self.setting if self.found_by is None else self.found_by

    @classmethod
    def of_error(cls, setting: Setting, error: ShoalError) -> "SettingOutcome":
        """Return the outcome of a setting that has no release."""
        infeasible = isinstance(error, InfeasibleError)
        diagnosis = error.diagnosis if isinstance(error, InfeasibleError) else {}
        message = str(error)
        hint = str(diagnosis.get("suppression", {}).get("words", "")).partition(": set ")[0].rstrip(".")
        first = message.splitlines()[0] if message else type(error).__name__
        reason = f"{first} {hint}." if hint else first
        return cls(setting, None, "infeasible" if infeasible else "refused", reason, message, diagnosis)


def dominators(outcomes: Sequence[SettingOutcome]) -> list[list[int]]:
    """Return for each outcome the numbers of the settings that dominate it; empty if it has no release."""
    released = [(one.setting.number, one.figures) for one in outcomes if one.figures is not None]
    return [
        [] if one.figures is None else [number for number, figures in released if figures.dominates(one.figures)]
        for one in outcomes
    ]
