"""Individual risk: the probability of linking a record to the right person, from its class and its sampling weight."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.audits.risk.person_classes import PersonClasses
from shoal.classes.population_estimates import pitman_parameters
from shoal.foundation.errors import SpecError
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.rows import Rows
from shoal.tables.table import totals

_FEW = 30  # smaller classes use the recursion; from this size on the series needs few terms
_RARE = 0.25  # the same for sampling probabilities: from this one on the series converges fast
_TERMS = 200


def individual_risk(sizes: NDArray[np.int64], weights: NDArray[np.float64], alpha: float = 0.0) -> NDArray[np.float64]:
    """Return E(1 / F) for each class of a sample, where F is its unknown size in the population.

    The model of Benedetti and Franconi (1998): given f persons in the sample, drawn with probability p = f / (sum of
    their weights), F has a negative binomial distribution. Each class is estimated by itself. With `alpha`, which
    `fitted_risk` needs, f - alpha takes the place of f. Then

        E(1 / F) = p * integral from 0 to 1 of u^(f - 1) / (p + q u)^(1 + alpha) du,    q = 1 - p.

    For p below 1/4, the integral I(f) comes from the recursion q (1 - alpha / f) I(f + 1) = 1 / f - p I(f). Otherwise,
    and for large classes, it comes from the series p / f * (1 + (1 + alpha) q / (f + 1) + (1 + alpha) (2 + alpha) q^2 /
    ((f + 1) (f + 2)) + ...). Both are exact up to rounding.

    Args:
        sizes: The persons of each class, at least one.
        weights: The sum of their weights; a sum below the size counts as the size (the whole class is in the sample).
        alpha: Pitman's alpha, from 0 to 1; a larger one gives a larger risk.
    """
    p = np.minimum(sizes / np.maximum(weights, sizes), 1.0)
    steps = (p < _RARE) & (sizes < _FEW)
    risk = np.empty(len(sizes))
    risk[steps] = _by_steps(sizes[steps], p[steps], alpha)
    risk[~steps] = _by_series(sizes[~steps], p[~steps], alpha)
    return np.minimum(risk, 1 / sizes)


def fitted_risk(sizes: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return E(1 / F) for each class by Pitman's model, with alpha and theta fitted to all classes.

    `individual_risk` underestimates the risk if many classes of the table are small, since most of these are then small
    in the population too. In Pitman's model, for a sample of n from N persons, the number of persons outside the sample
    that fall into a class of size f has a negative binomial distribution with size f - alpha and probability (n +
    theta) / (N + theta). With alpha = theta = 0 this is the model of `individual_risk`. If every sample class has one
    person, the risk is 1.

    Args:
        sizes: The persons of each class, at least one.
        weights: The sum of their weights.
    """
    likeliest = pitman_parameters(*np.unique(sizes, return_counts=True))
    if likeliest is None:
        return np.ones(len(sizes)) if len(sizes) > 1 else individual_risk(sizes, weights)
    alpha, theta = likeliest
    people = np.maximum(weights, sizes)
    more = max(theta, 0.0) / float(people.sum())
    return individual_risk(sizes, sizes * (1 + more) / (sizes / people + more), alpha)


def _by_steps(sizes: NDArray[np.int64], p: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    q = 1 - p
    integral = (-np.log(p) if alpha == 0 else np.expm1(-alpha * np.log(p)) / alpha) / q
    risk = p * integral
    for f in range(1, int(sizes.max(initial=1))):
        integral = (1 / f - p * integral) / (q * (1 - alpha / f))
        risk = np.where(sizes == f + 1, p * integral, risk)
    return risk


def _by_series(sizes: NDArray[np.int64], p: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    q = 1 - p
    term = np.ones(len(sizes))
    total = term.copy()
    for n in range(1, _TERMS):
        term = term * ((n + alpha) * q / (sizes + n))
        total += term
        if not np.any(term > 1e-17 * total):
            break
    return p / sizes * total


def weights_of(rows: Rows, column: str, classes: PersonClasses) -> NDArray[np.float64]:
    """Return the sum of the sampling weights of the persons of each class; a person counts once per class."""
    numbers, codes = _numbers(rows, column)
    persons = np.zeros(len(codes), dtype=np.int32) if classes.person_of is None else classes.person_of
    sizes = [len(classes.cells), int(persons.max(initial=0)) + 1, len(numbers)]
    row_of, entries = distinct_rows([classes.class_of, persons, codes], sizes, len(codes))  # whatever rows are alike
    counts = totals(row_of, classes.counts, len(entries))
    weights = counts * numbers[entries[:, 2]]
    if classes.person_of is not None:  # the mean of the person's records
        owner_of, owners = distinct_rows([entries[:, 0], entries[:, 1]], sizes[:2], len(entries))
        weights = np.bincount(owner_of, weights) / np.bincount(owner_of, counts)
        entries = owners
    sums = np.bincount(entries[:, 0], weights, len(classes.cells)).astype(np.float64)
    if sums.sum() < classes.sizes.sum():
        raise SpecError(
            f"The weights of column '{column}' add up to less than the table has persons. A sampling weight "
            "is the number of persons of the population that a record represents, so it is at least 1; "
            "weights scaled to an average of 1 do not give the size of the population."
        )
    return sums


def _numbers(rows: Rows, name: str) -> tuple[NDArray[np.float64], NDArray[np.integer]]:
    """Return the different weights of a column, and the index of each row's; each must be a number above 0."""
    column = rows.column(name)
    texts = pl.Series([*column.values, None], dtype=pl.String)
    numbers = texts.str.strip_chars().cast(pl.Float64, strict=False).fill_null(0.0).to_numpy()
    wrong = ~np.isfinite(numbers) | (numbers <= 0)
    bad = int(rows.counts[wrong[column.codes]].sum())
    if bad:
        raise SpecError(f"Column '{name}' has no sampling weight above 0 in {bad} records: each needs one.")
    return numbers, column.codes
