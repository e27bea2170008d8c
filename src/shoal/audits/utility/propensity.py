"""Propensity: the propensity score mean squared error (pMSE) of a model that separates released from raw records."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.audits.utility.learners import tree_shares
from shoal.audits.utility.scales import Scale
from shoal.foundation.progress import Progress, silent
from shoal.kernels.grouping import take

MODELS = ("logistic", "cart")
_PERMUTATIONS = 10
_STEPS = 50  # of Newton's method
_RIDGE = 1e-6  # per record; keeps the coefficients finite if the tables are perfectly separable
_NEAR = 1e-10


@dataclass(frozen=True, slots=True)
class Propensity:
    """How well a model separates the two tables.

    Args:
        model: `logistic` or `cart`.
        pmse: The mean of (score - c)^2, where c is the share of released records; 0 if the tables cannot be separated.
        share: The pMSE relative to c (1 - c), its maximum, which is reached if the separation is perfect.
        expected: The expected pMSE if the release were drawn from the distribution of the raw table; for `cart`, if
            records were assigned to the tables at random.
        deviation: Its standard deviation under the same assumption; None if it is unknown.
        parameters: The number of coefficients, the constant included; None for `cart`.
        records: The number of raw and of released records that the model saw.
    """

    reference: ClassVar[str] = "Woo et al. 2009; Snoke, Raab, Nowok, Dibben and Slavkovic 2018"

    model: str
    pmse: float
    share: float
    expected: float
    deviation: float | None
    parameters: int | None
    records: tuple[int, int]

    @property
    def ratio(self) -> float | None:
        """The pMSE divided by its expected value."""
        return self.pmse / self.expected if self.expected > 0 else None

    @property
    def standardized(self) -> float | None:
        """The distance of the pMSE from its expected value, in standard deviations."""
        return (self.pmse - self.expected) / self.deviation if self.deviation else None

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "model": self.model,
            "pmse": self.pmse,
            "share": self.share,
            "expected": self.expected,
            "ratio": self.ratio,
            "standardized": self.standardized,
            "parameters": self.parameters,
            "records": {"before": self.records[0], "after": self.records[1]},
        }


def propensities(
    scales: Sequence[Scale],
    models: Sequence[str],
    rows: tuple[NDArray[np.int64], NDArray[np.int64]],
    rng: np.random.Generator,
    progress: Progress = silent,
) -> tuple[Propensity, ...]:
    """Fit each model, and return how well it separates the two tables.

    Args:
        scales: The columns.
        models: `logistic`, `cart`.
        rows: The raw and the released records to use.
        rng: Draws a value for each cell that stands for several, as in imputation.
        progress: Called with the step.
    """
    progress("drawing values for generalized cells")
    features = _features(scales, rows, rng)
    second = np.repeat([False, True], [len(one) for one in rows])
    found = []
    for model in models:
        progress(f"telling both tables apart ({model})")
        found.append(logistic(features, second) if model == "logistic" else cart(features, second, rng, progress))
    return tuple(found)


def logistic(features: NDArray[np.float64], second: NDArray[np.bool_]) -> Propensity:
    """Fit a logistic regression with main effects, and compare its pMSE with the expected one.

    For N records, of which a share c is released, and q identifiable coefficients including the intercept, the pMSE of
    data drawn from the right model has mean (q - 1)(1 - c)^2 c / N and standard deviation sqrt(2 (q - 1)) (1 - c)^2 c /
    N (Snoke et al. 2018).
    """
    design = np.column_stack([np.ones(len(second)), features])
    scores = _scores(design, second.astype(np.float64))
    q = int(np.linalg.matrix_rank(design.T @ design, hermitian=True))
    c, n = float(second.mean()), len(second)
    unit = (1 - c) ** 2 * c / n
    deviation = float(np.sqrt(2 * (q - 1))) * unit
    return _propensity("logistic", scores, second, (q - 1) * unit, deviation, q)


def cart(
    features: NDArray[np.float64], second: NDArray[np.bool_], rng: np.random.Generator, progress: Progress = silent
) -> Propensity:
    """Fit a tree, and compare its pMSE with a permutation test: trees on randomly assigned tables."""
    by_chance = []
    for number in range(_PERMUTATIONS):
        progress("telling both tables apart (cart)", number / (_PERMUTATIONS + 1))
        shuffled = rng.permutation(second)
        by_chance.append(_pmse(tree_shares(features, shuffled, number), shuffled))
    spread = float(np.std(by_chance, ddof=1))
    return _propensity("cart", tree_shares(features, second, 0), second, float(np.mean(by_chance)), spread, None)


def _propensity(
    model: str,
    scores: NDArray[np.float64],
    second: NDArray[np.bool_],
    expected: float,
    deviation: float,
    parameters: int | None,
) -> Propensity:
    c, n_second = float(second.mean()), int(second.sum())
    pmse = _pmse(scores, second)
    records = (len(second) - n_second, n_second)
    return Propensity(model, pmse, pmse / (c * (1 - c)), expected, deviation, parameters, records)


def _pmse(scores: NDArray[np.float64], second: NDArray[np.bool_]) -> float:
    return float(((scores - second.mean()) ** 2).mean())


def _scores(design: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the scores of a logistic regression, by Newton's method."""
    ridge = _RIDGE * len(second)
    beta = np.zeros(design.shape[1])
    scores = np.full(len(second), second.mean())
    beta[0] = np.log(scores[0] / (1 - scores[0]))
    for _ in range(_STEPS):
        weights = np.maximum(scores * (1 - scores), 1e-12)
        slope = design.T @ (second - scores) - ridge * beta
        curve = (design.T * weights) @ design
        curve[np.diag_indices_from(curve)] += ridge
        beta = beta + np.linalg.solve(curve, slope)
        last, scores = scores, 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        if float(np.abs(scores - last).max()) < _NEAR:
            break
    return scores


def _features(
    scales: Sequence[Scale], rows: tuple[NDArray[np.int64], NDArray[np.int64]], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the features of the raw records, then of the released ones; constant features are left out."""
    found = [column for scale in scales for column in _columns(scale, rows, rng)]
    varying = [column for column in found if np.ptp(column) > 0]
    n_rows = sum(len(one) for one in rows)
    return np.column_stack(varying) if varying else np.zeros((n_rows, 0))


def _columns(
    scale: Scale, rows: tuple[NDArray[np.int64], NDArray[np.int64]], rng: np.random.Generator
) -> list[NDArray[np.float64]]:
    """Return a number and its square, or a dummy for each category but the first; and dummies for lacking values."""
    reading = scale.reading
    raw, shown = reading.raw.codes[rows[0]], reading.shown.codes[rows[1]]
    states = take(scale.state_of, shown)
    drawn = np.concatenate([take(scale.bin_of, raw), drawn_bins(scale.shares, states, rng)])
    if reading.line is None:
        return [(drawn == one).astype(np.float64) for one in range(1, len(scale.bins))]
    numbers = np.concatenate([take(reading.numbers, raw), drawn_numbers(scale, shown, rng)])
    told = ~np.isnan(numbers)
    if not told.any():
        return [(drawn == one).astype(np.float64) for one in range(scale.n_value_bins, len(scale.bins))]
    spread = float(np.std(numbers[told])) or 1.0
    scaled = np.where(told, (numbers - np.mean(numbers[told])) / spread, 0.0)
    untold = [(drawn == one).astype(np.float64) for one in range(scale.n_value_bins, len(scale.bins))]
    return [scaled, scaled**2, *untold]


def drawn_bins(shares: NDArray[np.float64], states: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw a bin for each record, by the shares of its cell."""
    reached = np.cumsum(shares, axis=1)[states]
    lots = rng.random(len(states)) * reached[:, -1] * (1 - 1e-12)
    return (reached <= lots[:, None]).sum(axis=1)


def drawn_numbers(scale: Scale, shown: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw a number for each record, uniformly from the range of its cell; NaN if the cell has none."""
    reading = scale.reading
    unit = reading.line.unit if reading.line is not None else 0
    extents = np.vstack([reading.extents, [np.nan, np.nan]])
    low, high = take(extents[:, 0], shown), take(extents[:, 1], shown)
    lots = rng.random(len(shown))
    drawn = low + lots * (high - low + unit)
    ranged = high > low
    return np.where(ranged, np.floor(drawn) if unit else drawn, low)
