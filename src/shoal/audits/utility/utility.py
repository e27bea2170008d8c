"""Utility: all figures on the utility of a release."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.audits.utility.associations import Association
from shoal.audits.utility.classification import ClassifierScores
from shoal.audits.utility.marginals import Marginal
from shoal.audits.utility.propensity import Propensity
from shoal.foundation.shelf import did_you_mean
from shoal.tables.table import Role


@dataclass(frozen=True, slots=True, eq=False)
class Utility:
    """The utility of a release.

    Args:
        records: The number of raw and of released records.
        named_from: The least number of raw records that a value needs to be named.
        columns: The marginal distribution of each column, before and after.
        pairs: The association of each pair of columns, those that changed most first.
        propensity: How well models separate the released records from the raw ones.
        classification: The accuracy of classifiers trained on the release.
        not_run: For each figure that was not measured, the reason.
        notes: What one must know to interpret the figures.
    """

    records: tuple[int, int]
    named_from: int
    columns: tuple[Marginal, ...]
    pairs: tuple[Association, ...]
    propensity: tuple[Propensity, ...]
    classification: tuple[ClassifierScores, ...]
    not_run: Mapping[str, str]
    notes: tuple[str, ...]

    def __getitem__(self, column: str) -> Marginal:
        """Return the marginal of a column."""
        for one in self.columns:
            if one.name == column:
                return one
        raise KeyError(did_you_mean(column, [one.name for one in self.columns]))

    @property
    def loss(self) -> float | None:
        """The mean loss of the quasi columns, as a share; None if it is unknown for one of them."""
        losses = [one.loss for one in self.columns if one.role == Role.QUASI]
        told = [loss.share for loss in losses if loss is not None]
        return sum(told) / len(told) if told and len(told) == len(losses) else None

    def as_dict(self, *, show: bool = False) -> dict[str, Any]:
        """Return all figures as JSON; `show` adds every value, however rare."""
        return {
            "records": {"before": self.records[0], "after": self.records[1]},
            "named_from": self.named_from,
            "loss": self.loss,
            "columns": [one.as_dict(show=show) for one in self.columns],
            "pairs": [one.as_dict() for one in self.pairs],
            "propensity": [one.as_dict() for one in self.propensity],
            "classification": [one.as_dict() for one in self.classification],
            "not_run": dict(self.not_run),
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        loss = "" if self.loss is None else f"; mean loss {self.loss:.1%}"
        farthest = max((one.total_variation for one in self.columns), default=0.0)
        return (
            f"<Utility: {self.records[1]} of {self.records[0]} records{loss}; total variation of a column up to "
            f"{farthest:.3f}>"
        )
