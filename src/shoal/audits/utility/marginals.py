"""Marginals: the marginal distribution of each column, before and after."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audits.lines import Line
from shoal.audits.utility.losses import ColumnLoss
from shoal.audits.utility.readings import Reading
from shoal.audits.utility.scales import Scale

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_EXACT = 1000  # most values of a numeric column that are compared one by one


@dataclass(frozen=True, slots=True)
class Summary:
    """The numbers of a column: mean, standard deviation and quantiles; days as ordinals.

    Args:
        records: The number of records with a number.
        mean: Their mean, by their sampling weights if there are some.
        deviation: Their standard deviation (the population formula: divided by the number of records), likewise.
        quantiles: For each share, the mean of the records around that rank, as many as a value needs to be named; so no
            single person's value is disclosed. Weights decide the rank; around it each record counts once.
    """

    records: int
    mean: float
    deviation: float
    quantiles: Mapping[float, float]

    def as_dict(self, line: Line) -> dict[str, Any]:
        """Return the figures as JSON; days as dates, their deviation in days."""

        def told(number: float) -> float | str:
            return number if line.kind == "number" else line.text(number)

        return {
            "records": self.records,
            "mean": told(self.mean),
            "deviation": self.deviation,
            "quantiles": {str(share): told(number) for share, number in self.quantiles.items()},
        }


@dataclass(frozen=True, slots=True, eq=False)
class Marginal:
    """One column before and after.

    Args:
        name: The name of the column.
        role: Its role.
        loss: Its information loss; None if it cannot be computed.
        distinct: The number of distinct values before, and of distinct cells that are not suppressed after.
        kept: The number of released cells that stand for one value of the raw table.
        suppressed: The number of released cells that are stars or cover every value.
        strange: The number of released cells that cover no value of the raw table.
        missing: The number of missing cells before and after.
        total_variation: The total variation distance of both distributions: 0 if equal, 1 if disjoint. They are those
            of the sampling weights, if there are some.
        exact: Whether that distance compares values; else bins.
        scale: Both distributions on one axis.
        before: The summary of the raw column, if it holds numbers or days and enough of them.
        after: The summary of the released column, each range as its midpoint.
        values: For each raw value its number of raw and of released records, if values were compared.
    """

    name: str
    role: str
    loss: ColumnLoss | None
    distinct: tuple[int, int]
    kept: int
    suppressed: int
    strange: int
    missing: tuple[int, int]
    total_variation: float
    exact: bool
    scale: Scale
    before: Summary | None
    after: Summary | None
    values: tuple[tuple[str, int, float], ...] | None

    @property
    def shift(self) -> float | None:
        """The change of the mean, in standard deviations of the raw column."""
        if self.before is None or self.after is None or self.before.deviation == 0:
            return None
        return (self.after.mean - self.before.mean) / self.before.deviation

    def as_dict(self, *, show: bool = False) -> dict[str, Any]:
        """Return the comparison as JSON; `show` adds every value, however rare."""
        line = self.scale.reading.line
        told: dict[str, Any] = {
            "column": self.name,
            "role": self.role,
            "loss": None if self.loss is None else self.loss.as_dict(),
            "distinct": _two(*self.distinct),
            "kept": self.kept,
            "suppressed": self.suppressed,
            "strange": self.strange,
            "missing": _two(*self.missing),
            "total_variation": self.total_variation,
            "exact": self.exact,
            "distribution": self.scale.as_dict(),
            "numbers": None,
        }
        if line is not None and (self.before is not None or self.after is not None):
            sides = [None if one is None else one.as_dict(line) for one in (self.before, self.after)]
            told["numbers"] = {**_two(*sides), "shift": self.shift}
        if show and self.values is not None:
            told["values"] = [
                {"value": value, "before": before, "after": after} for value, before, after in self.values
            ]
        return told


def _two(before: Any, after: Any) -> dict[str, Any]:
    return {"before": before, "after": after}


def marginal(scale: Scale, role: str, loss: ColumnLoss | None, least: int) -> Marginal:
    """Compare the distribution of a column before and after.

    Args:
        scale: The column.
        role: Its role.
        loss: Its information loss.
        least: The least number of records that a value needs to be named.
    """
    reading = scale.reading
    counts, told = reading.after[:-1], ~reading.blank
    spread = _by_value(reading, reading.after)
    before, after = (side / max(side.sum(), 1) for side in (scale.before, scale.after))
    if spread is not None:  # the bins for suppressed, missing and unknown cells are compared as they are
        held, shown = reading.before_held, reading.after_held
        by_weight = spread if reading.weights[1] is None else _by_value(reading, shown)
        before = np.concatenate([held[:-1] / max(held.sum(), 1), before[-3:]])
        after = np.concatenate([by_weight / max(shown.sum(), 1), after[-3:]])
    return Marginal(
        name=reading.name,
        role=role,
        loss=loss,
        distinct=(len(reading.raw.values), int(np.count_nonzero(told))),
        kept=int(counts[reading.single >= 0].sum()),
        suppressed=int(counts[reading.blank].sum()),
        strange=int(counts[reading.strange].sum()),
        missing=(int(reading.before[-1]), int(reading.after[-1])),
        total_variation=float(np.abs(before - after).sum()) / 2,
        exact=spread is not None,
        scale=scale,
        before=summary(reading.numbers, reading.before, reading.before_held, least),
        after=None if reading.line is None else summary(reading.middles, reading.after, reading.after_held, least),
        values=None
        if spread is None
        else tuple(zip(reading.raw.values, reading.before[:-1].tolist(), spread.tolist(), strict=True)),
    )


def _by_value(reading: Reading, held: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """Return what each raw value holds of what the released cells hold, each spread evenly; None for many values."""
    n_values = len(reading.raw.values)
    if reading.moved or (reading.line is not None and n_values > _EXACT):
        return None
    alone = reading.single >= 0
    masses = np.bincount(reading.single[alone], held[:-1][alone], n_values).astype(np.float64)
    for cell, part in reading.parts.items():
        masses[part] += held[cell] / len(part)
    return masses


def summary(
    numbers: NDArray[np.float64], counts: NDArray[np.int64], held: NDArray[np.int64], least: int
) -> Summary | None:
    """Return the summary of some numbers; None if fewer than `least` records have one.

    Args:
        numbers: The numbers.
        counts: The number of records of each.
        held: The sum of their sampling weights, or their number.
        least: The least number of records that a value needs to be named.
    """
    told = ~np.isnan(numbers)
    order = np.argsort(numbers[told], kind="stable")
    sorted_numbers, records = numbers[told][order], counts[told][order].astype(np.float64)
    weights, total = held[told][order].astype(np.float64), float(records.sum())
    if total < max(least, 1):
        return None
    mean = float(sorted_numbers @ weights) / float(weights.sum())
    deviation = float(np.sqrt(((sorted_numbers - mean) ** 2) @ weights / float(weights.sum())))
    ranks, by_weight = (np.concatenate([[0.0], np.cumsum(one)]) for one in (records, weights))
    quantiles = {}
    for share in QUANTILES:
        middle = float(np.interp(share * by_weight[-1], by_weight, ranks))
        low = min(max(middle - least / 2, 0.0), total - least)
        around = np.diff(np.clip(ranks, low, low + least))  # by number, the records around that rank
        quantiles[share] = float(sorted_numbers @ around) / least
    return Summary(int(total), mean, deviation, quantiles)
