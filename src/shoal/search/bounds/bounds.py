"""Lower bounds on the loss of every partition into classes of at least k records."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import ceil
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from shoal.foundation.progress import Progress, silent
from shoal.kernels.bounds.charges import Charges
from shoal.kernels.bounds.dual import lower_charges, total_excess
from shoal.kernels.bounds.families import PatternList
from shoal.kernels.clock import clock
from shoal.kernels.local.closures import Forms
from shoal.search.bounds.families import Family
from shoal.search.bounds.grid import PriceGrid
from shoal.search.bounds.requirements import required_of
from shoal.search.bounds.witness import witness_of
from shoal.search.local.forms import offset_of
from shoal.search.local.partition import cell_measure
from shoal.search.problem import Problem, Witness
from shoal.search.removal import removal_of

_FEW = 100  # in a table of up to so many points all patterns are listed,
_FEW_MEMBERS = 200_000  # if they have up to so many points together
_TRIES = 4  # how many times patterns are listed, each time with caps lowered by the factor below
_LOWER = 0.4
_LEAST_MEAN = (
    1e-3  # the least mean charge, in which steps are measured, as a share of the cost of one class of all records
)
_SLACK = 1e-11  # a share of all summands that exceeds the rounding error

_WORDS = {
    "values": "nothing is proven beyond what the values themselves cost, and records that must be suppressed",
    "patterns": "proven: each record is charged for the cheapest group of k that it fits in",
    "dual": "proven: all groups of k records cost at least what their records are charged",
    "shares": "proven: all groups of k records with allowed shares of values cost at least what they are charged",
    "columns": "proven: blocks of columns cost at least what their records are charged, each on its own",
    "program": "proven: by a linear program over all groups of records that keep the promises",
}


@dataclass(frozen=True, slots=True)
class Bound:
    """A lower bound on the loss of every release whose classes are each recoded on their own.

    Args:
        total: The bound, in the unit of the measure, including the columns' weights.
        kind: How it was found: `values`, `patterns`, `dual`, `shares`, `columns` or `program`.
        witness: Charges that prove it, or a bound below it, if they are known; bounds are compared without them.
    """

    total: float
    kind: str
    witness: Witness | None = field(default=None, compare=False)

    @property
    def remark(self) -> str:
        """What the bound is, in one line."""
        return _WORDS[self.kind]


@dataclass(frozen=True, slots=True)
class Round:
    """How far and in which steps charges are raised; amounts are multiples of the mean charge.

    Args:
        growth: By which share of itself a charge may grow.
        add: By how much it may grow at least, however small it is.
        first: The first step.
        last: The last step; the steps in between form a geometric sequence.
        sweeps: The number of steps.
        gain: A round that adds less than this share of all charges is the last.
    """

    growth: float
    add: float
    first: float
    last: float
    sweeps: int
    gain: float = 0.0

    def steps(self, mean: float) -> Iterator[float]:
        """Yield the steps."""
        for number in range(self.sweeps):
            yield mean * self.first * (self.last / self.first) ** (number / max(self.sweeps - 1, 1))


_ROUNDS = (
    Round(0.5, 0.1, 0.1, 0.03, 60),
    Round(0.5, 0.1, 0.1, 0.01, 100),
    *(Round(0.3, 0.1, 0.05, 0.001, 150, gain=0.02),) * 8,
)
_LIGHT = (Round(0.15, 0.02, 0.1, 0.03, 30),)
_FINE = Round(0.0, 0.0, 0.3, 0.0003, 200, gain=1e-4)
_TIMES = 20  # the largest number of repetitions of the fine round


@dataclass(frozen=True, slots=True)
class Effort:
    """How much work a bound is worth, by the number of points.

    Args:
        many: Up to so many points there are several rounds.
        light: Up to so many points there is one light round; with more the patterns give the bound.
        quick: Whether the search for patterns is cut short.
    """

    many: int
    light: int
    quick: bool = False

    def rounds(self, n_points: int) -> tuple[Round, ...]:
        """Return the rounds in which charges are raised."""
        return _ROUNDS if n_points <= self.many else _LIGHT if n_points <= self.light else ()


FULL = Effort(100_000, 3_000_000)
LIGHT = Effort(0, 3_000_000)
QUICK = Effort(0, 30_000, quick=True)


def lower_bound(
    problem: Problem,
    forms: Forms,
    *,
    effort: Effort = FULL,
    seconds: float | None = None,
    progress: Progress = silent,
) -> Bound:
    """Return a lower bound on the loss of every partition into classes of at least `problem.k` records.

    Charge each record an amount of any sign. If no class of at least k records is charged more than it costs, then no
    partition costs less than the sum of all charges: add up over its classes. It suffices to consider the patterns of a
    family (see `Family`): a class S in the pattern p costs at least the price c of p for each record, so in any k or
    more records of p, the charges must not exceed c on average.

    1. `patterns`: the charge of a record is the least price of its patterns. None is above the price of any pattern.
    2. `dual`: charges are raised a little, and lowered in the patterns where they are too high, again and again. A
       charge y(r) is compared with the larger of c and the charge b(r) of 1., since r costs at least both.

    Whatever the charges y are, OPT >= sum y - sum of the excesses of all patterns. The excess of p is the largest
    amount, but at least 0, by which y exceeds the cost in k or more records of p. Proof: join the classes of an optimum
    that have the same pattern. They have at least k records, and what they are charged above their cost is at most the
    pattern's excess. So any excess that is left, from rounding or otherwise, is subtracted.

    Suppressed records cost `forms.full` and are in no class: no charge is above that where suppression is allowed. If
    some must be suppressed, since sensitive values are too frequent, what they cost beyond their charges is added.
    For a part of a table (`problem.border`) the bound is on what its records cost in any release of the whole table: no
    charge counts for more than its ceiling (see `Family.beyond`). What was charged before that is told, unless the
    patterns alone give the bound: then nothing above the ceilings is looked for, which would take long.
    Promises on a sensitive column may need more records than `problem.k`, whichever values they have, and may cap the
    shares of the values (`Requirement`). What holds of any k records is then asked of those alone that keep the caps,
    and of parts of records as well. Let V(n) be the most by which n records of a pattern under the caps are charged too
    much. It is the value of a linear program whose right-hand side is n times a vector, and so concave, with V(0) = 0.
    So V(n) <= n / k V(k) for all n >= k, and it suffices to test k records. Under caps, joined classes keep them: a
    pattern's excess is at most V(n) for some n up to the number of its records, and n / k V(k) is subtracted. Other
    promises beyond the number of records only exclude partitions. Where missing values match everything, and there are
    some, a class of any size may be allowed: then only the values themselves count.

    With sampling weights, let m be the least of them. A record of weight w costs w times the price of its class, which
    is m times that price, and w - m times it. The first parts cost at least m times the bound without weights; the
    second w - m times what 1. charges the record, since its class costs no less (and neither does suppression).

    The steps depend on the numbers of points and patterns alone, so that equal tables have equal bounds.

    Args:
        problem: The problem; its measure prices single cells.
        forms: What a class may be published as, with the prices of that measure.
        effort: How much work it is worth.
        seconds: After that, the bound that is known by then is returned.
        progress: Called with the share of the rounds that are done.
    """
    deadline = np.inf if seconds is None else clock() + seconds
    measure, tally = cell_measure(problem, "bounds"), problem.tally
    offset = offset_of(tally.quasi, measure)
    required = required_of(problem)
    least = _least_size(problem, forms, required.fewest)
    if least == 1 or not effort.many:
        required = replace(required, caps=None)
    family = Family.of(problem, forms, least, _suppressed(problem), required)
    found = _charged(family, effort, lambda: clock() >= deadline, progress)
    if problem.border is not None and effort.rounds(len(family)):
        problem.border.charged(family.told(found.own, family.charged(found.own) - found.total))
    charged = found.total - family.beyond(found.own)
    if tally.weighted:
        return Bound(_weighed(problem, family, charged, found.floors), found.kind)
    total = proven(forms, offset, family.constant * tally.n_records, charged)
    return Bound(total, found.kind, witness_of(problem, forms, family, found.own, offset))


def _weighed(problem: Problem, family: Family, charged: float, floors: NDArray[np.float64]) -> float:
    """Return the bound on the loss of records with sampling weights; see `lower_bound`.

    Args:
        problem: The problem.
        family: Its patterns.
        charged: The bound without weights, beyond what every record pays.
        floors: What a record of each point costs in any class, at least, beyond that.
    """
    tally, total = problem.tally, int(problem.tally.weights.sum())
    some = tally.counts > 0
    least = int((tally.weights[some] // tally.counts[some]).min())
    more = np.bincount(family.row_of, tally.weights[some] - least * tally.counts[some], len(family))
    paid = least * charged + float(more @ floors) + family.constant * total
    return max(paid * (1 - _SLACK), 0.0) * tally.n_records / total


def proven(forms: Forms, offset: float, *amounts: float) -> float:
    """Return the bound that is the sum of some amounts, less what rounding may have added.

    Args:
        forms: What a class may be published as, and its price.
        offset: What the measure charges whatever is released.
        amounts: What is charged beyond that.
    """
    total = offset + sum(amounts) - _SLACK * (abs(offset) + sum(map(abs, amounts)))
    grid = PriceGrid.of_forms(forms)
    if grid.exact and offset == 0:
        total = ceil(total / grid.unit) * grid.unit  # the optimum is a whole number of units
    return max(total, 0.0)


def _least_size(problem: Problem, forms: Forms, fewest: int) -> int:
    missing = (problem.tally.codes == forms.missing).any(axis=0)
    return 1 if problem.wildcard and missing.any() else max(problem.k, fewest)


def _suppressed(problem: Problem) -> int:
    """Return how many records every release suppresses, at least.

    Where missing values match everything, and of a part of a table, whose records may have company outside, 0 is said.
    """
    unknown = problem.wildcard or problem.limit == 0 or problem.border is not None
    removal = None if unknown else removal_of(problem)
    return 0 if removal is None else removal.least


@dataclass(frozen=True, slots=True, eq=False)
class _Charged:
    """What records are charged.

    Args:
        own: The charge of each point.
        total: The sum of the charges of all records, less the excesses of all patterns.
        kind: How they were found.
        floors: What each point costs in any class, at least.
    """

    own: NDArray[np.float64]
    total: float
    kind: str
    floors: NDArray[np.float64]


def _charged(family: Family, effort: Effort, enough: Callable[[], bool], progress: Progress) -> _Charged:
    """Return the charges with the largest sum that was proven."""
    counts, k = family.points.counts, family.points.k
    least = _Charged(family.values, family.charged(family.values), "values", family.values)
    by_size = len(family.shown) == 0
    if len(family.points.columns) == 0 or k > counts.sum() or (by_size and counts.min() >= k):
        return least  # without columns to search all records cost the same
    progress("bounding the loss", 0.0)
    rounds = effort.rounds(len(family))
    floors = family.floors(enough, quick=effort.quick, beyond=bool(rounds))
    known = _Charged(floors, family.charged(floors), "patterns", floors)
    raised = _raised(family, family.charges(floors.copy(), floors), rounds, enough, progress)
    best = max(least, known, raised, key=attrgetter("total"))  # of equal ones the first
    return replace(best, floors=floors)


def _raised(
    family: Family, charges: Charges, rounds: tuple[Round, ...], enough: Callable[[], bool], progress: Progress
) -> _Charged:
    """Raise the charges, which are the floors at first; return the best ones on the way."""
    if len(family) <= _FEW:
        caps = family.tops
        patterns = family.listed(caps, charges.floors, _FEW_MEMBERS)
        if patterns is not None:
            return _raised_in_all(family, charges, caps, patterns, enough)
    best, caps, least = _nothing(charges), charges.floors, _mean(charges, family.whole - family.values) * _LEAST_MEAN
    for number, turn in enumerate(rounds):
        mean = max(_mean(charges, charges.own - family.values), least)
        found = None if enough() else _listed(family, charges, _higher(family, charges, caps, turn, mean))
        if found is None:
            break
        (caps, patterns), before = found, best.total
        best = _better(best, charges, _ascended(family, charges, caps, patterns, turn.steps(mean), enough))
        if best.total - before <= turn.gain * (best.total - family.charged(family.values)):
            break
        progress("bounding the loss", (number + 1) / len(rounds))
    return best


def _raised_in_all(
    family: Family, charges: Charges, caps: NDArray[np.float64], patterns: PatternList, enough: Callable[[], bool]
) -> _Charged:
    """Raise the charges until that adds nothing more; all patterns are listed, so charges may grow without caps."""
    mean, best = _mean(charges, family.whole - charges.floors), _nothing(charges)
    for _ in range(_TIMES):
        before = best.total
        best = _better(best, charges, _ascended(family, charges, caps, patterns, _FINE.steps(mean), enough))
        if enough() or best.total - before <= _FINE.gain * (best.total - family.charged(family.values)):
            break
    return best


def _nothing(charges: Charges) -> _Charged:
    return _Charged(charges.own, -np.inf, "dual", charges.floors)


def _better(best: _Charged, charges: Charges, total: float) -> _Charged:
    """Return the best charges so far; those of now change later."""
    kind = "shares" if len(charges.values) else "dual"
    return _Charged(charges.own.copy(), total, kind, charges.floors) if total > best.total else best


def _mean(charges: Charges, amounts: NDArray[np.float64]) -> float:
    return float(amounts @ charges.counts) / int(charges.counts.sum())


def _higher(
    family: Family, charges: Charges, caps: NDArray[np.float64], turn: Round, mean: float
) -> NDArray[np.float64]:
    """Return the cap of each charge in a round; charges that met their last cap may grow twice as far.

    A point with k records is a class that costs what its values cost, and is not charged more; unless
    classes are made of different sensitive values, and these records have the same one.
    """
    paid = charges.own - family.values
    met = charges.own >= family.values + 0.98 * (caps - family.values)
    growth = np.where(met, 2 * turn.growth, turn.growth)
    higher = family.values + np.maximum(paid * (1 + growth), paid + turn.add * mean)
    alone = charges.counts >= (charges.k if len(charges.values) == 0 else np.inf)
    return np.where(alone, family.values, np.minimum(higher, family.tops))


def _listed(
    family: Family, charges: Charges, caps: NDArray[np.float64]
) -> tuple[NDArray[np.float64], PatternList] | None:
    """Return the patterns that charges up to the caps can exceed, with lower caps if there are too many.

    A pattern that costs no point less than its cap has no excess as long as the charges are below the caps.
    """
    for _ in range(_TRIES):
        patterns = family.listed(caps, charges.floors)
        if patterns is not None:
            return caps, patterns
        caps = np.maximum(charges.own, charges.own + _LOWER * (caps - charges.own))
    return None


def _ascended(
    family: Family,
    charges: Charges,
    caps: NDArray[np.float64],
    patterns: PatternList,
    steps: Iterator[float],
    enough: Callable[[], bool],
) -> float:
    """Raise all charges step by step, each time lowering those that are too high.

    Returns:
        The sum of the charges minus the excesses of all patterns.
    """
    quiet, raised = np.zeros(len(patterns.prices)), 0.0
    for number, step in enumerate(steps):
        if enough():
            break
        np.minimum(charges.own + step, caps, out=charges.own)
        raised += step
        lower_charges(charges, patterns, quiet, raised, number % 2 == 0)
    return family.charged(charges.own) - total_excess(charges, patterns)
