"""Associations: the dependence of two columns, in the raw table and in the release."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audits.utility.scales import Scale
from shoal.foundation.progress import Progress, silent
from shoal.kernels.grouping import take
from shoal.tables.table import totals

_BLOCK = 1 << 17  # distinct pairs of states that are spread at once
_DENSE = 1 << 22  # pairs of states up to which all are counted in one array

Two = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class Association:
    """The dependence of two columns before and after; None where a figure is not defined.

    Args:
        columns: The two columns.
        total_variation: The total variation distance of the two joint distributions.
        cramers_v: Cramér's V before and after, over the records with both values.
        pearson: Pearson's correlation, for numbers and days; a range counts as its midpoint.
        spearman: Spearman's rank correlation, likewise.
    """

    columns: tuple[str, str]
    total_variation: float
    cramers_v: Two
    pearson: Two | None
    spearman: Two | None

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "columns": list(self.columns),
            "total_variation": self.total_variation,
            "cramers_v": _sides(self.cramers_v),
            "pearson": _sides(self.pearson),
            "spearman": _sides(self.spearman),
        }


def _sides(two: Two | None) -> dict[str, float | None] | None:
    return None if two is None else {"before": two[0], "after": two[1]}


def associations(scales: Sequence[Scale], progress: Progress = silent) -> tuple[Association, ...]:
    """Compare every pair of columns; the pairs that changed most come first.

    A cell that stands for several values is spread over the bins of its column as in the marginal distribution; the two
    cells of a record are spread independently.
    """
    raw = [take(scale.bin_of, scale.reading.raw.codes) for scale in scales]
    shown = [take(scale.state_of, scale.reading.shown.codes) for scale in scales]
    chosen = list(combinations(range(len(scales)), 2))
    found = []
    for number, (one, other) in enumerate(chosen):
        progress("comparing pairs of columns", number / len(chosen))
        pair = scales[one], scales[other]
        counts = pair[0].reading.held  # those of the tables, and so of both columns
        before = _counted(raw[one], raw[other], len(pair[0].bins), len(pair[1].bins), counts[0])
        after = _spread(shown[one], shown[other], *pair, counts[1])
        correlated = _correlations(*pair)
        found.append(
            Association(
                columns=(pair[0].reading.name, pair[1].reading.name),
                total_variation=_variation(before, after),
                cramers_v=(_cramers_v(before, pair), _cramers_v(after, pair)),
                pearson=None if correlated is None else correlated[0],
                spearman=None if correlated is None else correlated[1],
            )
        )
    return tuple(sorted(found, key=lambda pair: -pair.total_variation))


def _counted(
    first: NDArray[Any], second: NDArray[Any], n_first: int, n_second: int, counts: NDArray[np.int64] | None
) -> NDArray[np.float64]:
    keys = first.astype(np.int64) * n_second + second
    return totals(keys, counts, n_first * n_second).reshape(n_first, n_second).astype(np.float64)


def _spread(
    first: NDArray[Any], second: NDArray[Any], one: Scale, other: Scale, weights: NDArray[np.int64] | None
) -> NDArray[np.float64]:
    """Return the contingency table of two columns of states, spread over their bins."""
    n_first, n_second = len(one.shares), len(other.shares)
    if n_first * n_second <= _DENSE:
        return one.shares.T @ _counted(first, second, n_first, n_second, weights) @ other.shares
    keys, place = np.unique(first.astype(np.int64) * n_second + second, return_inverse=True)
    counts = totals(place, weights, len(keys))
    table = np.zeros((len(one.bins), len(other.bins)))
    for start in range(0, len(keys), _BLOCK):
        left, right = np.divmod(keys[start : start + _BLOCK], n_second)
        starts = np.flatnonzero(np.diff(left, prepend=-1))
        weighted = counts[start : start + _BLOCK, None] * other.shares[right]
        table += one.shares[left[starts]].T @ np.add.reduceat(weighted, starts)
    return table


def _variation(before: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    shares = (table / max(float(table.sum()), 1.0) for table in (before, after))
    return float(np.abs(np.subtract(*shares)).sum()) / 2


def _cramers_v(table: NDArray[np.float64], pair: tuple[Scale, Scale]) -> float | None:
    """Return Cramér's V over the bins of values; None if one of the columns does not vary."""
    return cramers_v(table[: pair[0].n_value_bins, : pair[1].n_value_bins])


def cramers_v(table: NDArray[np.float64]) -> float | None:
    """Return Cramér's V, the root of chi square over its maximum; None if a column has fewer than two values."""
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    least = min(table.shape) - 1
    if least < 1:
        return None
    total = float(table.sum())
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    chi = float(((table - expected) ** 2 / expected).sum())
    return float(np.sqrt(min(chi / (total * least), 1.0)))


def _correlations(one: Scale, other: Scale) -> tuple[Two, Two] | None:
    """Return Pearson's and Spearman's correlations of two columns of numbers, before and after."""
    if one.reading.line is None or other.reading.line is None:
        return None
    sides = [
        [(scale.reading.numbers, scale.reading.raw.codes) for scale in (one, other)],
        [(scale.reading.middles, scale.reading.shown.codes) for scale in (one, other)],
    ]
    pearson, spearman = [], []
    for side, counts in zip(sides, one.reading.held, strict=True):
        first, second = (take(numbers, codes) for numbers, codes in side)
        told = ~(np.isnan(first) | np.isnan(second))
        first, second, held = first[told], second[told], None if counts is None else counts[told]
        pearson.append(correlation(first, second, held))
        spearman.append(correlation(ranks(first, held), ranks(second, held), held))
    return (pearson[0], pearson[1]), (spearman[0], spearman[1])


def ranks(numbers: NDArray[np.float64], counts: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
    """Return the rank of each number; ties get their mean rank.

    Args:
        numbers: The numbers.
        counts: How often each of them counts; once if left out.
    """
    different, place = np.unique(numbers, return_inverse=True)
    held = totals(place, counts, len(different))
    return (np.cumsum(held) - (held - 1) / 2)[place]


def correlation(
    first: NDArray[np.float64], second: NDArray[np.float64], counts: NDArray[np.int64] | None = None
) -> float | None:
    """Return Pearson's correlation, or None if one of the two does not vary.

    Args:
        first: The numbers of one column.
        second: Those of the other.
        counts: How often each pair counts; once if left out.
    """
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    one, other = (side - np.average(side, weights=counts) for side in (first, second))
    weighed = (one, other) if counts is None else (one * counts, other * counts)
    return float(np.clip(one @ weighed[1] / np.sqrt((one @ weighed[0]) * (other @ weighed[1])), -1.0, 1.0))
