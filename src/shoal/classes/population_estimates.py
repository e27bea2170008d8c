"""Estimates of a population: the number of population uniques, from the classes of a sample."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp, inf, lgamma, log
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Estimator = Literal["dankar", "pitman", "zayatz", "snb"]
"""A model of the population; `dankar` is the rule of Dankar et al. (2012), which chooses one."""

_HALVINGS = 100  # of an interval; floats are exhausted long before
_GRID = 400  # values of beta in the first scan, before the root is bracketed
_SMALL_SAMPLE = 0.1  # the sampling fraction up to which the rule of Dankar et al. chooses Pitman's model


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The classes of a simple random sample.

    Args:
        sizes: The distinct class sizes, ascending.
        counts: The number of classes of each size.
        population: The number of persons in the population.
    """

    sizes: NDArray[np.int64]
    counts: NDArray[np.int64]
    population: int

    @classmethod
    def of(cls, sizes: NDArray[np.int64], fraction: float) -> "Sample":
        """Count the classes of each size; `fraction` is the sampling fraction."""
        different, counts = np.unique(sizes, return_counts=True)
        n = int(sizes.sum())
        return cls(different, counts, max(round(n / fraction), n))

    @property
    def n(self) -> int:
        """The number of persons in the sample."""
        return int(self.sizes @ self.counts)

    @property
    def fraction(self) -> float:
        """The part of the population that is in the sample."""
        return self.n / self.population

    def of_size(self, size: int) -> int:
        """Return the number of classes of one size."""
        return int(self.counts[self.sizes == size].sum())


def population_uniques(sizes: NDArray[np.int64], fraction: float) -> dict[str, Any]:
    """Estimate the population uniques by three models, and choose one by the rule of Dankar et al. (2012).

    The rule: Pitman's model up to a sampling fraction of one tenth; above, the lower estimate of Zayatz and of the
    shifted negative binomial model. If a model does not fit the table, the next one is taken. If the table is the whole
    population, its uniques are counted, not estimated.

    Args:
        sizes: The persons of each class of the sample.
        fraction: The part of the population that is in the sample.

    Returns:
        The estimates; the chosen one as `uniques` with its `model`; its `share` of the population; and
        `of_sample_uniques`, the share of the sample uniques that are population uniques.
    """
    sample = Sample.of(sizes, fraction)
    estimates = {name: _MODELS[name](sample) for name in _MODELS}
    known = {name: value for name, value in estimates.items() if value is not None}
    model = _chosen(sample, known)
    alone = sample.of_size(1)
    if sample.population == sample.n:  # the whole population: nothing to estimate
        model, known = "count", {"count": float(alone)}
    return {
        "population": sample.population,
        "fraction": sample.fraction,
        "model": model,
        "uniques": known[model],
        "share": known[model] / sample.population if sample.population else 0.0,
        "of_sample_uniques": min(known[model] * sample.fraction / alone, 1.0) if alone else 0.0,
        "estimates": estimates,
    }


def uniques_by(sample: Sample, estimator: Estimator) -> float:
    """Return the estimated number of population uniques by one model; by that of Zayatz if it does not fit the sample.

    Only the models that may be chosen are fitted.
    """
    names = _preferred(sample) if estimator == "dankar" else [estimator]
    found = {name: _MODELS[name](sample) for name in names}
    known = {name: value for name, value in found.items() if value is not None}
    return min(known.values()) if known else zayatz(sample)


def _preferred(sample: Sample) -> list[str]:
    return ["pitman"] if sample.fraction <= _SMALL_SAMPLE else ["zayatz", "snb"]


def _chosen(sample: Sample, known: Mapping[str, float]) -> str:
    allowed = [name for name in _preferred(sample) if name in known] or ["zayatz"]
    return min(allowed, key=lambda name: known[name])


def zayatz(sample: Sample) -> float:
    """Return the estimate of Zayatz (1991), which assumes that population classes have the sizes of sample classes.

    By Bayes' rule, a sample unique is a population unique with probability c(1) h(1) / sum of c(i) h(i), where c(i) is
    the number of classes of size i and h(i) the probability that exactly one of i persons is sampled.
    """
    alone = sample.of_size(1)
    if not alone:
        return 0.0
    drawn = np.array([_one_drawn(int(size), sample.n, sample.population) for size in sample.sizes])
    return float(alone * (alone * drawn[0] / (sample.counts @ drawn)) / sample.fraction)


def _one_drawn(size: int, n: int, population: int) -> float:
    """Return the probability that a sample of `n` contains exactly one of `size` given persons."""
    if population - size < n - 1:
        return 0.0
    return exp(log(size) + _choose(population - size, n - 1) - _choose(population, n))


def _choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def pitman(sample: Sample) -> float | None:
    """Return the estimate by Pitman's sampling formula (Hoshino 2001), with maximum likelihood alpha and theta.

    The expected number of uniques among N persons is
    N Gamma(theta + 1) Gamma(theta + alpha + N - 1) / (Gamma(theta + alpha) Gamma(theta + N)).
    """
    if not sample.of_size(1):
        return 0.0
    likeliest = pitman_parameters(sample.sizes, sample.counts)
    if likeliest is None:
        return None
    alpha, theta = likeliest
    people = sample.population
    return exp(
        log(people)
        + lgamma(theta + 1)
        - lgamma(theta + alpha)
        + lgamma(theta + alpha + people - 1)
        - lgamma(theta + people)
    )


def pitman_parameters(sizes: NDArray[np.int64], counts: NDArray[np.int64]) -> tuple[float, float] | None:
    """Return the maximum likelihood alpha and theta; None if all classes have one person or there is one class.

    In both cases the likelihood has no maximum in alpha.

    Args:
        sizes: The different class sizes, ascending.
        counts: How many classes have each size.
    """
    n, classes = int(sizes @ counts), int(counts.sum())
    if classes in (n, 1):
        return None
    alpha = _root(lambda a: _slope_alpha(sizes, counts, a, _theta(a, n, classes)), 1e-9, 1 - 1e-9)
    return alpha, _theta(alpha, n, classes)


def _theta(alpha: float, n: int, classes: int) -> float:
    """Return the maximum likelihood theta for a given alpha."""

    def slope(shifted: float) -> float:
        theta = shifted - alpha
        return _steps(theta, alpha, classes) - (digamma(theta + n) - digamma(theta + 1))

    high = 1.0
    while slope(high) > 0 and high < 1e12:
        high *= 4
    return _root(slope, 1e-12, high) - alpha


def _steps(theta: float, alpha: float, classes: int) -> float:
    """Return the sum of 1 / (theta + i alpha) for i from 1 to below `classes`."""
    return (digamma(theta / alpha + classes) - digamma(theta / alpha + 1)) / alpha


def _slope_alpha(sizes: NDArray[np.int64], counts: NDArray[np.int64], alpha: float, theta: float) -> float:
    """Return the derivative of the log-likelihood with respect to alpha."""
    classes = int(counts.sum())
    first = (classes - 1 - theta * _steps(theta, alpha, classes)) / alpha
    later = sum(
        int(count) * (digamma(int(size) - alpha) - digamma(1 - alpha))
        for size, count in zip(sizes, counts, strict=True)
        if size > 1
    )
    return first - later


def snb(sample: Sample) -> float | None:
    """Return the estimate by the shifted negative binomial model (Chen, Keller-McNulty 1998); None if it does not fit.

    A population class has 1 + X persons, where X is negative binomial with parameters alpha and beta. These are chosen
    so that the expected numbers of sample classes with one and with two persons equal the observed ones. The number K
    of population classes is Shlosser's modified estimate (Haas and Stokes 1998). Of these, K beta^alpha have one
    person.
    """
    alone, pairs = sample.of_size(1), sample.of_size(2)
    if not alone:
        return 0.0
    if sample.fraction == 1:
        return float(alone)
    if not pairs:
        return None
    classes = _shlosser(sample)
    fits = [_fit(sample, classes, rising=rising) for rising in (False, True)]
    return next((min(uniques, float(sample.population)) for uniques in fits if uniques is not None), None)


def _fit(sample: Sample, classes: float, *, rising: bool) -> float | None:
    """Return the expected classes of one person for the fitted parameters; None if no parameters fit."""
    fraction, pairs = sample.fraction, sample.of_size(2)
    wanted = sample.of_size(1) / (classes * fraction)

    def gap(log_beta: float) -> float:
        alpha = _alpha(exp(log_beta), fraction, wanted, rising=rising)
        return inf if alpha is None else classes * _pairs_expected(alpha, exp(log_beta), fraction) - pairs

    grid = np.linspace(log(1e-8), log(1 - 1e-8), _GRID).tolist()
    gaps = [gap(at) for at in grid]
    for i in range(_GRID - 1):
        if gaps[i] < inf and gaps[i + 1] < inf and (gaps[i] < 0) != (gaps[i + 1] < 0):
            ends = (grid[i], grid[i + 1]) if gaps[i] > 0 else (grid[i + 1], grid[i])
            beta = exp(_root(gap, *ends))
            alpha = _alpha(beta, fraction, wanted, rising=rising)
            return None if alpha is None else classes * exp(alpha * log(beta))
    return None


def _shlosser(sample: Sample) -> float:
    q, sizes, counts = sample.fraction, sample.sizes.astype(np.float64), sample.counts
    rare = float(counts @ (sizes * q**2 * (1 - q**2) ** (sizes - 1)))
    often = float(counts @ ((1 - q**2) ** sizes - (1 - q) ** sizes))
    missed = float(counts @ (1 - q) ** sizes) / float(counts @ (sizes * q * (1 - q) ** (sizes - 1)))
    return float(counts.sum()) + sample.of_size(1) * rare / often * missed**2


def _alpha(beta: float, fraction: float, wanted: float, *, rising: bool) -> float | None:
    """Return the alpha that gives the sample the wanted share of classes of one person; None if there is none.

    The share first rises with alpha, then falls; `rising` selects the branch.
    """
    rest = (1 - fraction) * (1 - beta)
    ratio, gain = beta / (1 - rest), rest / (1 - rest)
    top = max(-1 / log(ratio) - 1 / gain, 0.0)

    def share(alpha: float) -> float:
        return exp(alpha * log(ratio)) * (1 + alpha * gain) - wanted

    if share(top) < 0 or (rising and share(0.0) > 0):
        return None
    if rising:
        return _root(share, top, 0.0)
    high = top + 1.0
    while share(high) > 0:
        high *= 2
    return _root(share, top, high)


def _pairs_expected(alpha: float, beta: float, fraction: float) -> float:
    """Return the probability that exactly two persons of a population class are in the sample."""
    rest = (1 - fraction) * (1 - beta)
    scale = exp(alpha * log(beta) - (alpha + 2) * log(1 - rest))
    return alpha * (1 - beta) * fraction**2 / 2 * scale * (2 - (1 - alpha) * rest)


_MODELS: Mapping[str, Callable[[Sample], float | None]] = {"zayatz": zayatz, "pitman": pitman, "snb": snb}


def _root(function: Callable[[float], float], above: float, below: float) -> float:
    """Return a zero of the function between `above` (positive) and `below` (negative); an end if it keeps its sign."""
    for _ in range(_HALVINGS):
        middle = (above + below) / 2
        if function(middle) > 0:
            above = middle
        else:
            below = middle
    return (above + below) / 2


def digamma(x: float) -> float:
    """Return the derivative of log gamma at x > 0."""
    shifted = 0.0
    while x < 12:  # from here on the series is exact to the last digits
        shifted -= 1 / x
        x += 1
    square = 1 / (x * x)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))
    return shifted + log(x) - 0.5 / x - series
