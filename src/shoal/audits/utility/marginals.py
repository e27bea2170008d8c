"""Marginals: what became of each column by itself."""

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
_EXACT = 1000  # values of a column of numbers up to which each is compared by itself


@dataclass(frozen=True, slots=True)
class Summary:
    """The numbers of a column: mean, standard deviation and quantiles; days as ordinals.

    Args:
        records: The number of records that tell a number.
        mean: Their mean.
        deviation: Their standard deviation (of the records at hand, divided by their number).
        quantiles: For each share, the mean of as many records around that rank as a value needs to be named; so no
            person's own value is told.
    """

    records: int
    mean: float
    deviation: float
    quantiles: Mapping[float, float]

    def as_dict(self, line: Line) -> dict[str, Any]:
        """Return it as JSON; days as dates, their deviation in days."""

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
    """What became of one column.

    Args:
        name: The name of the column.
        role: Its role.
        loss: What it lost by a measure; None if that cannot be told.
        distinct: The number of different values before, and of different cells that tell something after.
        kept: The number of released cells that stand for one value of the raw table.
        suppressed: The number of released cells that tell nothing.
        strange: The number of released cells that are neither values nor stand for some.
        missing: The number of missing cells before and after.
        total_variation: Half the sum of the differences of both distributions: 0 if alike, 1 if wholly apart.
        exact: Whether it was taken value by value; else by bins.
        scale: Both distributions on one axis.
        before: The numbers of the raw column, if they are numbers or days and enough to tell.
        after: Those of the released column, each range as its middle.
        values: For every raw value its raw records and its part of the released ones, if they were compared so.
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
        """Return it as JSON; `show` adds every value, however few hold it."""
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
    """Compare one column.

    Args:
        scale: The column.
        role: Its role.
        loss: What it lost.
        least: How many records must hold a value for it to be named.
    """
    reading = scale.reading
    counts, told = reading.after[:-1], ~reading.blank
    spread = _by_value(reading)
    before, after = (side / max(side.sum(), 1) for side in (scale.before, scale.after))
    if spread is not None:  # the places for what is suppressed, missing and strange stay as they are
        before = np.concatenate([reading.before[:-1] / max(reading.before.sum(), 1), before[-3:]])
        after = np.concatenate([spread / max(reading.after.sum(), 1), after[-3:]])
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
        before=summary(reading.numbers, reading.before, least),
        after=None if reading.line is None else summary(reading.middles, reading.after, least),
        values=None
        if spread is None
        else tuple(zip(reading.raw.values, reading.before[:-1].tolist(), spread.tolist(), strict=True)),
    )


def _by_value(reading: Reading) -> NDArray[np.float64] | None:
    """Return the released records of each raw value, a cell spread evenly; None where values are too many for that."""
    n_values = len(reading.raw.values)
    if reading.moved or (reading.line is not None and n_values > _EXACT):
        return None
    alone = reading.single >= 0
    masses = np.bincount(reading.single[alone], reading.after[:-1][alone], n_values).astype(np.float64)
    for cell, part in reading.parts.items():
        masses[part] += reading.after[cell] / len(part)
    return masses


def summary(numbers: NDArray[np.float64], counts: NDArray[np.int64], least: int) -> Summary | None:
    """Summarize numbers that come with counts; None if fewer than `least` records tell one."""
    told = ~np.isnan(numbers)
    order = np.argsort(numbers[told], kind="stable")
    sorted_numbers, held = numbers[told][order], counts[told][order].astype(np.float64)
    total = float(held.sum())
    if total < max(least, 1):
        return None
    mean = float(sorted_numbers @ held) / total
    deviation = float(np.sqrt(((sorted_numbers - mean) ** 2) @ held / total))
    ranks = np.concatenate([[0.0], np.cumsum(held)])
    quantiles = {}
    for share in QUANTILES:
        low = min(max(share * total - least / 2, 0.0), total - least)
        around = np.diff(np.clip(ranks, low, low + least))  # of each number, the records around that rank
        quantiles[share] = float(sorted_numbers @ around) / least
    return Summary(int(total), mean, deviation, quantiles)
