"""The best of all partitions of a few records, by dynamic programming over all subsets of them."""

from dataclasses import dataclass
from math import comb, inf, prod

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.foundation.progress import Progress, silent
from shoal.kernels.clock import clock
from shoal.kernels.exact.subsets import best_partitions, class_costs, closure_prices
from shoal.kernels.local.closures import TREE, Forms
from shoal.kernels.prices import ENTROPY
from shoal.models.k_anonymity import KAnonymity
from shoal.models.model import holding
from shoal.search.exact.kinds import Kinds
from shoal.search.local.states import encoding_of
from shoal.search.problem import Problem

_MOST_SUBSETS = 1 << 21
_MOST_PAIRS = 250_000_000  # pairs of a subset and a class in it: about a second
_MOST_PROFILES = 1 << 18  # classes, by profiles, that are tested against the promises
_BLOCK = 1 << 14
_PAIRS_AT_ONCE = 20_000_000
_MOST_KINDS = 40


@dataclass(frozen=True, slots=True, eq=False)
class Best:
    """The least loss, without what the measure charges whatever is released, and classes that have it.

    If no partition is allowed, the loss is infinite, and there are no classes.
    """

    loss: float
    parts: Parts


_NOBODY = np.zeros(0, dtype=np.int32)
_NONE = Best(inf, Parts(_NOBODY, _NOBODY, np.zeros(0, dtype=np.int64)))


class SubsetSearch:
    """Finds the best partition of a table of a few records: one class of it, and the best partition of the others.

    Every subset of the records is tested once against all promises, and priced as a class. Records of one kind are
    alike, so a subset is given by how many records it has of each kind.

    If only k-anonymity is required, and no class costs less than a part of it, a class of 2k or more records can be
    divided into two that cost no more: then classes have at most 2k - 1 records. (By entropy, a range or a set may cost
    less than a part of it.)

    Args:
        problem: The problem; missing values match only each other.
        forms: What a class may be published as, with the prices of the measure.
        kinds: The kinds of its records.
    """

    def __init__(self, problem: Problem, forms: Forms, kinds: Kinds) -> None:
        self.problem, self.kinds, self.full = problem, kinds, forms.full
        encoding = encoding_of(problem.tally.quasi, forms)
        self._columns, self._states = encoding.columns, encoding.states(kinds.codes)
        by_size = all(isinstance(model, KAnonymity) for model in problem.models)
        self._divisible = by_size and not bool(((forms.kinds != TREE) & (forms.rules == ENTROPY)).any())

    def affordable(self) -> bool:
        """Return whether the subsets are few enough."""
        counts = self.kinds.counts
        if (
            len(counts) > _MOST_KINDS
            or prod((counts + 1).tolist()) > _MOST_SUBSETS
            or self._n_profiles() > _MOST_PROFILES
        ):
            return False
        return self.n_pairs() <= _MOST_PAIRS

    def n_pairs(self) -> int:
        """Return an upper estimate of the number of pairs of a subset and a class in it, for all suppressed records."""
        counts, problem = self.kinds.counts, self.problem
        pairs = _pairs(counts, 2 * problem.k - 1 if self._divisible else problem.tally.n_records)
        if compares(self.problem):
            n, limit = problem.tally.n_records, problem.limit
            pairs *= min(sum(comb(n, size) for size in range(limit + 1)), prod((counts + 1).tolist()))
        return pairs

    def best(self, deadline: float = inf, progress: Progress = silent) -> Best | None:
        """Return the best partition, with records suppressed where that is allowed; None if the time is up."""
        if compares(self.problem):
            return self._best_of_choices(deadline, progress)
        found = self._solved(self.kinds.counts, deadline, progress)
        return None if found is None else self._best_of(found)

    def _best_of(self, found: "_Found") -> Best:
        """Return the best over all choices of suppressed records; if these are a class of stars, it must pass."""
        problem, n, last = self.problem, self.kinds.n_records, len(found.best) - 1
        if problem.limit == 0:
            return self._at(found, last, float(found.best[last]))
        gone = n - _added(found.counts, np.ones_like(found.counts))
        totals = found.best + gone * self.full
        totals[(gone > problem.limit) | (gone == n)] = inf
        if problem.stars:
            others = _added(found.counts, found.weights)[::-1]  # the profile of all records outside the subset
            totals[~found.passing[others] & (gone > 0)] = inf
        subset = last - int(np.argmin(totals[::-1]))
        return self._at(found, subset, float(totals[subset]))

    def _at(self, found: "_Found", subset: int, loss: float) -> Best:
        """Return the best partition of a subset."""
        return _NONE if loss == inf else Best(loss, self._parts(found, subset))

    def _best_of_choices(self, deadline: float, progress: Progress) -> Best | None:
        """Try all choices of suppressed records; the promises then compare with what is left of the table."""
        counts, limit = self.kinds.counts, self.problem.limit
        best = _NONE
        choices = _choices(counts, limit)
        for number, gone in enumerate(choices):
            progress("going through the suppressed records", number / len(choices))
            if gone.sum() == counts.sum():
                continue
            found = self._solved(counts - gone, deadline, silent)
            if found is None:
                return None
            loss = float(found.best[-1]) + self.full * int(gone.sum())
            if loss < best.loss:
                best = self._at(found, len(found.best) - 1, loss)
        return best

    def _solved(self, counts: NDArray[np.int64], deadline: float, progress: Progress) -> "_Found | None":
        """Return the best partition of every subset of some records, compared with all of these."""
        some = np.flatnonzero(counts > 0)
        own = counts[some]
        prices = closure_prices(self._columns, np.ascontiguousarray(self._states[some]))
        most = 2 * self.problem.k - 1 if self._divisible else int(own.sum())
        weights, passing = self._passing(some, own, deadline)
        if passing is None:
            return None
        costs = class_costs(own, prices, weights, passing, most)
        best, chosen = np.zeros(len(costs)), np.zeros(len(costs), dtype=np.int64)
        step = max(_PAIRS_AT_ONCE * len(costs) // max(int(_pairs(own, most)), 1), 1)
        for begin in range(1, len(costs), step):
            if clock() >= deadline:
                return None
            end = min(begin + step, len(costs))
            best_partitions(own, costs, most, begin, end, best, chosen)
            progress("splitting all subsets", end / len(costs))
        radix = np.cumprod(np.append(1, own + 1))[:-1]
        return _Found(some, radix, own, best, chosen, weights, passing)

    def _n_profiles(self) -> int:
        totals = np.bincount(self.kinds.profiles, weights=self.kinds.counts).astype(np.int64)
        return prod((totals + 1).tolist())

    def _passing(
        self, some: NDArray[np.int64], counts: NDArray[np.int64], deadline: float
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_] | None]:
        """Return which classes of some records pass, by how many records they have of each profile."""
        profiles, n_profiles = self.kinds.profiles[some], self.kinds.n_profiles
        totals = np.bincount(profiles, weights=counts, minlength=n_profiles).astype(np.int64)
        radix = np.cumprod(np.append(1, totals + 1))
        passing = np.zeros(int(radix[-1]), dtype=np.bool_)
        for begin in range(1, len(passing), _BLOCK):
            if clock() >= deadline:
                return radix[profiles], None
            numbers = np.arange(begin, min(begin + _BLOCK, len(passing)))
            amounts = numbers[:, None] // radix[:-1] % (totals + 1)
            passing[numbers] = holding(self.problem.models, self.kinds.classes(amounts, totals))
        return radix[profiles], passing

    def _parts(self, found: "_Found", subset: int) -> Parts:
        kinds, classes, amounts = [], [], []
        number = 0
        while subset > 0:
            own = int(found.chosen[subset])
            digits = own // found.radix % (found.counts + 1)
            shown = np.flatnonzero(digits)
            kinds.append(found.kinds[shown])
            amounts.append(digits[shown])
            classes.append(np.full(len(shown), number))
            subset, number = subset - own, number + 1
        return self.kinds.parts(np.concatenate(kinds), np.concatenate(classes), np.concatenate(amounts))


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """The best partition of every subset of some records.

    Args:
        kinds: The kinds of these records.
        radix: What a record of each kind adds to the number of a subset.
        counts: How many records there are of each kind.
        best: The least loss of each subset.
        chosen: One class of that partition.
        weights: What a record of each kind adds to the number of a profile.
        passing: Which profiles pass.
    """

    kinds: NDArray[np.int64]
    radix: NDArray[np.int64]
    counts: NDArray[np.int64]
    best: NDArray[np.float64]
    chosen: NDArray[np.int64]
    weights: NDArray[np.int64]
    passing: NDArray[np.bool_]


def compares(problem: Problem) -> bool:
    """Return whether what the promises compare a class with depends on which records are suppressed."""
    return problem.limit > 0 and not problem.stars and any(model.relative for model in problem.models)


def _pairs(counts: NDArray[np.int64], most: int) -> int:
    """Return an upper estimate of the number of pairs of a subset and a class in it."""
    sizes = counts.tolist()
    every = prod((size + 1) * (size + 2) // 2 for size in sizes)
    by_size = [1]  # the number of subsets with 0, 1, ... records
    for size in sizes:
        by_size = [sum(by_size[max(number - size, 0) : number + 1]) for number in range(len(by_size) + size)]
    capped = sum(
        subsets * sum(comb(number - 1, others) for others in range(min(most, number)))
        for number, subsets in enumerate(by_size)
        if number > 0
    )
    return min(every // 2 + 1, capped)


def _added(counts: NDArray[np.int64], weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for each subset, the sum of the weights of its records."""
    sums = np.zeros(1, dtype=np.int64)
    for count, weight in zip(counts.tolist(), weights.tolist(), strict=True):
        sums = (weight * np.arange(count + 1)[:, None] + sums).reshape(-1)
    return sums


def _choices(counts: NDArray[np.int64], limit: int) -> list[NDArray[np.int64]]:
    """Return all choices of at most `limit` records, by how many are of each kind, the smallest first."""
    choices = [np.zeros(0, dtype=np.int64)]
    for count in counts.tolist():
        choices = [
            np.append(choice, more) for choice in choices for more in range(min(count, limit - int(choice.sum())) + 1)
        ]
    return sorted(choices, key=lambda choice: int(choice.sum()))
