"""Outcomes: what came of each setting, and which of them no other dominates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from shoal.actions.comparison.settings import Setting
from shoal.foundation.errors import InfeasibleError, ShoalError

_DECIMALS = 9  # of a loss that is compared: sums of the same prices in another order differ in the sixteenth digit


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What is known of a release.

    Args:
        algorithm: The name of the algorithm that made it.
        loss: What is lost, as a share of all that can be, by the measure that all releases are told by.
        lowered: What the search lowered.
        lowered_share: That, as a share of the most.
        lowered_total: That, in its own unit.
        bound: A proven lower bound on it, for releases of its kind.
        ratio: How many times the bound it is, at most so many times the optimum of its kind.
        guarantee: `optimal`, `factor` or `none`.
        recoding: How values were recoded.
        records: The records of the table.
        released: Those that leave.
        suppressed: Those that do not, or as stars.
        classes: The number of classes, as anybody sees them who holds the release.
        smallest: The records of the smallest.
        shown: The records of all.
        above: The records whose risk is above the threshold.
        kept: Which of the promises that differ among the settings the release keeps, by number.
        seconds: How long the search took.
        remark: What the search has to say.
    """

    algorithm: str
    loss: float
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
    classes: int
    smallest: int
    shown: int
    above: int
    kept: frozenset[int] = frozenset()
    seconds: float = 0.0
    remark: str = ""

    @property
    def highest(self) -> Fraction:
        """The prosecutor's risk of the records of the smallest class."""
        return Fraction(1, self.smallest)

    @property
    def average(self) -> Fraction:
        """The prosecutor's risk of all records on average: each class adds up to 1."""
        return Fraction(self.classes, self.shown)

    @property
    def compared(self) -> float:
        """The loss to as many decimals as are compared."""
        return round(self.loss, _DECIMALS)

    def dominates(self, other: "Figures") -> bool:
        """Tell whether it is at least as good in everything and better in something.

        Judged are the highest prosecutor risk, the loss (in which suppressed records count as wholly lost), and, where
        the settings promise different things beside k-anonymity, which of these promises the release keeps.
        """
        as_good = self.smallest >= other.smallest and self.compared <= other.compared and self.kept >= other.kept
        return as_good and (self.smallest, self.compared, self.kept) != (other.smallest, other.compared, other.kept)


@dataclass(frozen=True, slots=True)
class SettingOutcome:
    """A setting, and its figures or why there are none.

    Args:
        setting: The setting.
        figures: What is known of its release.
        failed: `infeasible` if no release keeps what it asks for, `refused` if the algorithm does not take it.
        reason: Why, in one line.
        message: Why, in full.
        diagnosis: What was best, for other programs.
    """

    setting: Setting
    figures: Figures | None = None
    failed: Literal["", "infeasible", "refused"] = ""
    reason: str = ""
    message: str = ""
    diagnosis: Mapping[str, Any] = field(default_factory=dict)

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
    """Return for each outcome the numbers of the settings that dominate it; where it has no release, none does."""
    released = [(one.setting.number, one.figures) for one in outcomes if one.figures is not None]
    return [
        [] if one.figures is None else [number for number, figures in released if figures.dominates(one.figures)]
        for one in outcomes
    ]
