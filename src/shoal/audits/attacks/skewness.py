"""Skewness: classes in which a sensitive value is more likely than in the whole table."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.audits.attacks.exposure import ExposedClass, exposed
from shoal.audits.attacks.lazy_sequence import LazySequence
from shoal.classes.grouping import Histogram
from shoal.classes.observed import Observed
from shoal.foundation.exact import at_most
from shoal.tables.hierarchies.hierarchy import Label

GAINS = tuple(Fraction(tenths, 10) for tenths in (1, 2, 3, 5))
RATIOS = tuple(Fraction(times) for times in (2, 5, 10))


@dataclass(frozen=True, slots=True)
class Rise:
    """How many records are in classes in which the probability of some value rises by at least `least`.

    Args:
        least: The least rise, as a difference (posterior - prior) or as a ratio (posterior / prior).
        records: The number of records of such classes.
        holders: The number of these records that have such a value themselves.
        classes: The number of such classes.
    """

    least: float
    records: int
    holders: int
    classes: int


@dataclass(frozen=True, slots=True)
class ValueRise:
    """How the probability of one sensitive value changes.

    Args:
        value: The value; shown only on request.
        prior: Its share of the whole release.
        posterior: Its largest share of a class.
        lowest: Its least share of a class; 0 if some class lacks it.
        number: The number of the class in which its share is largest.
        size: The number of records of that class.
    """

    value: Label
    prior: float
    posterior: float
    lowest: float
    number: int
    size: int

    @property
    def gain(self) -> float:
        """The difference of posterior and prior."""
        return self.posterior - self.prior

    @property
    def ratio(self) -> float:
        """The ratio of posterior and prior."""
        return self.posterior / self.prior

    def as_dict(self, *, show: bool = False) -> dict[str, Any]:
        """Return the figures as JSON; `show` adds the value."""
        told: dict[str, Any] = {"value": self.value} if show else {}
        return told | {
            "prior": self.prior,
            "posterior": self.posterior,
            "gain": self.gain,
            "ratio": self.ratio,
            "lowest": self.lowest,
            "class": self.number,
            "size": self.size,
        }


@dataclass(frozen=True, slots=True)
class Skewness:
    """How far the distribution of each class departs from that of the whole release.

    The prior probability of a value is its share of the whole release, the posterior its share of a class.

    Args:
        column: The sensitive column.
        n_records: The number of records of the release.
        n_classes: The number of its classes.
        gains: The number of records for each least difference of posterior and prior.
        ratios: The number of records for each least ratio of posterior and prior.
        at: A class counts as exposed if some value gains at least this much.
        records: The number of records in exposed classes.
        largest_gain: The largest gain of any value in any class.
        largest_ratio: The largest ratio of any value in any class.
        values: The values, the largest gain first.
        exposed: The exposed classes, the largest gain first.
    """

    name: ClassVar[str] = "skewness"
    reference: ClassVar[str] = "Li, Li, Venkatasubramanian 2007; k-Anonymity (chapter), section 5"

    column: str
    n_records: int
    n_classes: int
    gains: tuple[Rise, ...]
    ratios: tuple[Rise, ...]
    at: float
    records: int
    largest_gain: float
    largest_ratio: float
    values: Sequence[ValueRise]
    exposed: Sequence[ExposedClass]

    @property
    def share(self) -> float:
        """The share of the records in classes in which some value gains at least `at`."""
        return self.records / self.n_records if self.n_records else 0.0

    def as_dict(self, *, show: bool = False) -> dict[str, Any]:
        """Return the finding as JSON; `show` adds the values, and the cells of the exposed classes."""

        def rows(rises: tuple[Rise, ...]) -> list[dict[str, int | float]]:
            return [{"least": r.least, "records": r.records, "holders": r.holders, "classes": r.classes} for r in rises]

        return {
            "attack": self.name,
            "column": self.column,
            "share": self.share,
            "at": self.at,
            "records": self.records,
            "of_records": self.n_records,
            "of_classes": self.n_classes,
            "largest_gain": self.largest_gain,
            "largest_ratio": self.largest_ratio,
            "gains": rows(self.gains),
            "ratios": rows(self.ratios),
            "values": [value.as_dict(show=show) for value in self.values],
            "exposed": [one.as_dict(show=show) for one in self.exposed],
        }


def skewness(
    observed: Observed, quasi: Sequence[str], column: str, *, gain: Fraction = GAINS[-1], others_known: bool = False
) -> Skewness:
    """Compare the share of each value in each class with its share of the whole release, in exact arithmetic.

    Args:
        observed: The release.
        quasi: The names of its quasi columns.
        column: The sensitive column.
        gain: A class counts as exposed if some value gains at least this much.
        others_known: Whether the attacker knows the other sensitive columns of the person.
    """
    groups = observed.groups
    blocks, owners = groups.blocks(column, others_known=others_known)
    classes = owners[blocks.owners]
    total = int(blocks.reference.sum())
    size, prior = blocks.sizes[blocks.owners], blocks.reference[blocks.values]
    above = blocks.counts * total - prior * size  # the gain, times size x total

    def at_least(least: Fraction) -> NDArray[np.bool_]:
        return at_most(-above, size * total, -least)

    def times(least: Fraction) -> NDArray[np.bool_]:
        return at_most(-blocks.counts * total, prior * size, -least)

    steps = sorted({*GAINS, gain})
    gains = tuple(_rise(blocks, classes, at_least(step), step) for step in steps)
    added = above / (size * total)
    reached = np.zeros(groups.n_classes)
    np.maximum.at(reached, classes, added)
    hit = np.zeros(groups.n_classes, dtype=np.bool_)
    hit[classes[at_least(gain)]] = True
    chosen = np.flatnonzero(hit)
    chosen = chosen[np.lexsort((-groups.sizes[chosen], -reached[chosen]))]
    values, most, times_most = _values(blocks, classes, total)
    return Skewness(
        column=column,
        n_records=groups.n_records,
        n_classes=groups.n_classes,
        gains=gains,
        ratios=tuple(_rise(blocks, classes, times(step), step) for step in RATIOS),
        at=float(gain),
        records=gains[steps.index(gain)].records,
        largest_gain=most,
        largest_ratio=times_most,
        values=values,
        exposed=exposed(observed, quasi, chosen, {"gain": reached[chosen]}, _risen(blocks, classes, added, chosen)),
    )


def _rise(blocks: Histogram, classes: NDArray[np.int64], rises: NDArray[np.bool_], least: Fraction) -> Rise:
    hit = np.unique(blocks.owners[rises])
    holders = int(blocks.counts[rises].sum())
    return Rise(float(least), int(blocks.sizes[hit].sum()), holders, len(np.unique(classes[rises])))


def _values(blocks: Histogram, classes: NDArray[np.int64], total: int) -> tuple[Sequence[ValueRise], float, float]:
    """Return the change of each value that occurs, the largest gain and the largest ratio."""
    size = blocks.sizes[blocks.owners]
    shares = blocks.counts / size
    order = np.lexsort((classes, -shares, blocks.values))  # the largest share of each value first
    values, first, seen = np.unique(blocks.values[order], return_index=True, return_counts=True)
    best = order[first]
    lowest = shares[order[first + seen - 1]] * (seen == len(blocks.sizes))
    prior, posterior = blocks.reference[values] / total, shares[best]
    by_gain = np.argsort(prior - posterior, kind="stable")

    def make(i: int) -> ValueRise:
        at = by_gain[i]
        return ValueRise(
            value=blocks.column.values[values[at]],
            prior=float(prior[at]),
            posterior=float(posterior[at]),
            lowest=float(lowest[at]),
            number=int(classes[best[at]]) + 1,
            size=int(size[best[at]]),
        )

    gain = float((posterior - prior).max(initial=0.0))
    return LazySequence(len(values), make), gain, float((posterior / prior).max(initial=1.0))


def _risen(
    blocks: Histogram, classes: NDArray[np.int64], added: NDArray[np.float64], chosen: NDArray[np.int64]
) -> list[Label]:
    """Return the value that gains most in each of the chosen classes."""
    order = np.lexsort((blocks.values, -added, classes))
    _, first = np.unique(classes[order], return_index=True)
    return [blocks.column.values[code] for code in blocks.values[order[first]][chosen].tolist()]
