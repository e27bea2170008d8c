"""Scale: the histogram bins in which a column is compared before and after, and how a cell is spread over them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audits.lines import Line
from shoal.audits.utility.readings import Reading

OTHER, SUPPRESSED, MISSING, STRANGE = "other values", "suppressed", "missing", "not in the raw table"
_MOST = 20  # most bins for values
_STEPS = (1, 2, 5, 10)  # a bin is one of these times a power of ten wide
_DAYS = (1, 2, 7, 14)  # or one of these numbers of days
_MONTHS = (1, 3, 6, 12, 24, 60, 120, 240, 600, 1200)  # or of months
_MONTH = 30.4  # days


@dataclass(frozen=True, slots=True)
class HistogramBin:
    """A value, a range, or one of `other values`, `suppressed`, `missing`, `not in the raw table`.

    Args:
        label: The value, the range in words, or the special name.
        low: The start of a range; None for a value and for the first range.
        high: The end of a range, excluded; None for a value and for the last range.
        special: Whether it is neither a value nor a range; the label says what it is.
    """

    label: str
    low: float | None = None
    high: float | None = None
    special: bool = False


@dataclass(frozen=True, eq=False)
class Scale:
    """The histogram bins of a column; the last three are for suppressed, missing and unknown cells.

    A cell is in one bin, or it is spread over several. The states of cells are therefore the bins, followed by the
    distinct ways to spread a cell.

    Args:
        reading: The column.
        bins: The bins.
        kind: `category`, `number` or `date`.
        numeric: Whether the bins are ranges of numbers or days; else each is one value.
        bin_of: The bin of each raw value, the missing one included.
        state_of: The state of each cell, the missing one included.
        shares: `shares[state, bin]`; each row sums to 1.
    """

    reading: Reading
    bins: tuple[HistogramBin, ...]
    kind: str
    numeric: bool
    bin_of: NDArray[np.int32]
    state_of: NDArray[np.int32]
    shares: NDArray[np.float64]

    @classmethod
    def of(cls, reading: Reading, least: int, *, binned: bool = False) -> "Scale":
        """Choose the bins of a column.

        A bin has at least `least` raw records: rarer categories are put into one bin, and ranges with fewer are merged
        with their neighbours.

        Args:
            reading: The column.
            least: The least number of raw records that a value needs to be named.
            binned: Whether numbers are put into ranges, however few there are.
        """
        line, n_values = reading.line, len(reading.raw.values)
        rare = bool((reading.before[:-1] < least).any())
        if line is not None and (rare or n_values > _MOST or reading.moved or binned):
            edges = _edges(reading, line, least)
            bin_of = np.clip(np.searchsorted(edges, line.numbers, side="right"), 0, len(edges))
            return cls._with_bins(reading, _range_bins(edges, line), line.kind, bin_of.astype(np.int32), edges)
        if line is not None:
            order = np.argsort(line.numbers, kind="stable")
            bins = tuple(HistogramBin(reading.raw.values[code]) for code in order.tolist())
            return cls._with_bins(reading, bins, line.kind, np.argsort(order).astype(np.int32), None)
        return cls._with_bins(reading, *_categories(reading, least), None)

    @classmethod
    def _with_bins(
        cls,
        reading: Reading,
        bins: Sequence[HistogramBin],
        kind: str,
        bin_of: NDArray[np.int32],
        edges: NDArray[np.float64] | None,
    ) -> "Scale":
        """Put the cells of a release into bins, and spread those that stand for several values."""
        n_value_bins = len(bins)
        every = (*bins, *(HistogramBin(label, special=True) for label in (SUPPRESSED, MISSING, STRANGE)))
        state = np.full(len(reading.single) + 1, -1, dtype=np.int32)
        state[:-1][reading.single >= 0] = bin_of[reading.single[reading.single >= 0]]
        state[:-1][reading.blank], state[-1] = n_value_bins, n_value_bins + 1
        state[:-1][reading.strange] = n_value_bins + 2
        rows: dict[bytes, int] = {}
        for cell in np.flatnonzero(state < 0).tolist():
            row = _spread(reading, cell, bin_of, edges, n_value_bins)
            state[cell] = len(every) + rows.setdefault(row.tobytes(), len(rows))
        spread = np.array([np.frombuffer(row) for row in rows], dtype=np.float64).reshape(len(rows), n_value_bins)
        shares = np.vstack([np.eye(len(every)), np.pad(spread, ((0, 0), (0, len(every) - n_value_bins)))])
        every_bin_of = np.append(bin_of, np.int32(n_value_bins + 1)).astype(np.int32)
        return cls(reading, every, kind, edges is not None, every_bin_of, state, shares)

    def at(self, raw: NDArray[np.int64], shown: NDArray[np.int64]) -> "Scale":
        """Return the same column for some records, given by their rows; the bins and their numbers stay."""
        return replace(self, reading=self.reading.at(raw, shown))

    def unweighted(self) -> "Scale":
        """Return the same column with each record counted once."""
        return replace(self, reading=replace(self.reading, weights=(None, None)))

    @property
    def n_value_bins(self) -> int:
        """The number of bins for values: all but the last three."""
        return len(self.bins) - 3

    @cached_property
    def before(self) -> NDArray[np.float64]:
        """The number of raw records in each bin, or the sum of their sampling weights."""
        return np.bincount(self.bin_of, self.reading.before_held, len(self.bins)).astype(np.float64)

    @cached_property
    def after(self) -> NDArray[np.float64]:
        """The same of released records; fractional if cells are spread."""
        return np.bincount(self.state_of, self.reading.after_held, len(self.shares)) @ self.shares

    def as_dict(self) -> dict[str, Any]:
        """Return both distributions as JSON; empty bins are left out unless they are ranges."""
        before, after = (_normed(one).tolist() for one in (self.before, self.after))
        return {
            "kind": self.kind,
            "bins": self.numeric,
            "places": [
                {
                    "label": one.label,
                    **({"from": self._end(one.low), "to": self._end(one.high)} if self.numeric else {}),
                    "special": one.special,
                    "before": before[number],
                    "after": after[number],
                }
                for number, one in enumerate(self.bins)
                if before[number] or after[number] or (self.numeric and not one.special)
            ],
        }

    def _end(self, number: float | None) -> float | str | None:
        line = self.reading.line
        return number if number is None or line is None or line.kind == "number" else line.text(number)


def _normed(masses: NDArray[np.float64]) -> NDArray[np.float64]:
    return masses / max(float(masses.sum()), 1.0)


def _spread(
    reading: Reading, cell: int, bin_of: NDArray[np.int32], edges: NDArray[np.float64] | None, n_value_bins: int
) -> NDArray[np.float64]:
    """Return the share of a cell in each bin: over ranges by width, over values evenly."""
    if edges is not None and reading.line is not None:
        low, high = reading.extents[cell].tolist()
        if low == high:
            return np.eye(n_value_bins)[int(np.searchsorted(edges, low, side="right"))]
        ends = np.concatenate([[-np.inf], edges, [np.inf]])
        inside = np.clip(ends, low, high + reading.line.unit)
        return np.diff(inside) / (high + reading.line.unit - low)
    part = reading.parts[cell]
    return np.bincount(bin_of[part], minlength=n_value_bins) / len(part)


def _categories(reading: Reading, least: int) -> tuple[tuple[HistogramBin, ...], str, NDArray[np.int32]]:
    """Return a bin for each of the most frequent values, the most frequent first, and one for all others."""
    counts, values = reading.before[:-1], reading.raw.values
    order = np.argsort(-counts, kind="stable")
    common = order[counts[order] >= least]
    named = common if len(common) == len(values) <= _MOST else common[: _MOST - 1]
    bin_of = np.full(len(values), len(named), dtype=np.int32)
    bin_of[named] = np.arange(len(named), dtype=np.int32)
    bins = [HistogramBin(values[code]) for code in named.tolist()]
    if len(named) < len(values):
        bins.append(HistogramBin(OTHER, special=True))
    return tuple(bins), "category", bin_of


def _edges(reading: Reading, line: Line, least: int) -> NDArray[np.float64]:
    """Return the edges between ranges: round numbers or dates, so that each range has at least `least` records."""
    edges = _round_days(*line.ends) if line.kind == "date" else _round_numbers(*line.ends, line.unit)
    counts = np.bincount(np.searchsorted(edges, line.numbers, side="right"), reading.before[:-1], len(edges) + 1)
    chosen, held = [], 0.0
    for edge, count in zip(edges.tolist(), counts[:-1].tolist(), strict=True):
        held += count
        if held >= least:
            chosen.append(edge)
            held = 0.0
    if chosen and held + counts[-1] < least:
        chosen.pop()
    return np.array(chosen)


def _round_numbers(low: float, high: float, unit: int) -> NDArray[np.float64]:
    """Return the round numbers between two, at most one for each bin."""
    width = _nice((high + unit - low) / _MOST)
    width = max(width, 1.0) if unit else width
    if width == 0:
        return np.zeros(0)
    numbers = range(math.floor(low / width) + 1, math.ceil((high + unit) / width))
    return np.array([float(f"{number * width:.12g}") for number in numbers], dtype=np.float64)


def _round_days(low: float, high: float) -> NDArray[np.float64]:
    """Return the first days of weeks, months or years between two, at most one for each bin."""
    reach = high + 1 - low
    for days in _DAYS:
        if reach <= days * _MOST:
            steps = range(math.floor((low - 1) / days) + 1, math.ceil(high / days))
            return np.array([step * days + 1 for step in steps], dtype=np.float64)  # day 1 was a Monday
    months = next((step for step in _MONTHS if reach <= step * _MONTH * _MOST), _MONTHS[-1])
    first, last = (_month(day) // months for day in (low, high))
    starts = [divmod(number * months, 12) for number in range(first + 1, last + 1)]
    return np.array([float(date(year, month + 1, 1).toordinal()) for year, month in starts])


def _month(day: float) -> int:
    """Return the number of a day's month, counted from year 0."""
    found = date.fromordinal(int(day))
    return found.year * 12 + found.month - 1


def _nice(length: float) -> float:
    """Return the least number of the form 1, 2 or 5 times a power of ten that is at least a length."""
    if length <= 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(length))
    return next((power * step for step in _STEPS if power * step >= length * (1 - 1e-9)), power * 10)


def _range_bins(edges: NDArray[np.float64], line: Line) -> tuple[HistogramBin, ...]:
    """Return the ranges between edges; the outer ones are open, so that no extreme value is disclosed."""
    ends = [None, *edges.tolist(), None]
    return tuple(HistogramBin(_words(low, high, line), low, high) for low, high in pairwise(ends))


def _words(low: float | None, high: float | None, line: Line) -> str:
    if low is None:
        return "all" if high is None else f"< {line.text(high)}"
    if high is None:
        return f">= {line.text(low)}"
    if line.unit:
        return f"{line.text(low)} - {line.text(high - 1)}" if high - low > 1 else line.text(low)
    return f"{line.text(low)} - < {line.text(high)}"
