"""Series: what all releases of a table that changes tell together of everybody who was ever in one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.audits.attacks.profiles import ProfileCounts
from shoal.audits.attacks.series.histories import Histories
from shoal.audits.attacks.series.posteriors import Posteriors, posteriors_of

Range = tuple[int, int]  # how many surely are, and how many may be


@dataclass(frozen=True, slots=True)
class ReleasePair:
    """What two of the releases tell by themselves.

    Args:
        first: The number of the one, counted from 1.
        second: That of the other.
        certain: The number of persons whose value they tell.
        above: The number of persons whose likeliest value they show to be likelier than it may be.
    """

    first: int
    second: int
    certain: int
    above: int

    def as_dict(self) -> dict[str, int]:
        """Return it as JSON."""
        return {"first": self.first, "second": self.second, "certain": self.certain, "above": self.above}


@dataclass(frozen=True, slots=True)
class ToldClasses:
    """What somebody learns who is told everybody's class in every release, and so has none to guess.

    Args:
        certain: The persons with a value of probability 1.
        above: The persons with a value of probability above 1 / l.
        largest: The bounds of the largest probability of all.
    """

    certain: Range
    above: Range
    largest: tuple[float, float]

    @classmethod
    def of(cls, found: Posteriors, l: int) -> "ToldClasses":  # noqa: E741  (the paper's letter)
        """Count the persons; 1 / l is the largest allowed probability."""
        persons = _persons_of(found)
        low, high = found.largest
        there = (persons > 0) & found.fits
        return cls(
            certain=_range(persons, found.reaching(Fraction(1))),
            above=_range(persons, found.reaching(Fraction(1, l), above=True)),
            largest=(float(low[there].max(initial=0.0)), float(high[there].max(initial=0.0))),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"certain": list(self.certain), "above": list(self.above), "largest": list(self.largest)}


@dataclass(frozen=True, eq=False)
class Series:
    """What an attacker learns from several releases who knows when each person was in them, and the quasi values.

    A world gives everybody one value, so that every class of every release shows exactly what it shows. The probability
    of a value is the share of the worlds, each as likely as any other. It is counted where a few persons share classes,
    and where symmetry decides it; else it lies within bounds that no world breaks. So each number of persons is a pair:
    how many it surely concerns, and how many it may concern.

    Args:
        column: The sensitive column, or several that are taken as one (`a + b`).
        n_releases: The number of releases.
        n_persons: The number of persons who were ever in one.
        exact: The number of persons whose probabilities are known exactly.
        l: The largest allowed probability is 1 / l.
        k: The least allowed number of records that may be a person's.
        certain: The persons with a value of probability 1.
        above: The persons with a value of probability above 1 / l.
        below: The persons who have fewer than k records in some release.
        alone: The persons of whom one release by itself tells as much: certain, above.
        largest: The bounds of the largest probability of all.
        width: The mean and the largest width of the bounds of the persons' likeliest values.
        misfits: The persons whom no world fits: a value changed, or the lists are not those of the releases.
        strangers: The records that no person of the lists can have.
        crowded: For how many releases more persons are listed than records may be theirs.
        pairs: The pairs of releases that tell of persons, those that tell most first.
        untried: How many pairs were not tried.
        posteriors: The probabilities.
        told: What is learned by who is told all classes; None if the states of a series are not at hand.
    """

    name: ClassVar[str] = "series"
    reference: ClassVar[str] = "Xiao and Tao 2007 (m-invariance); Ganta et al. 2008; Fung et al. 2008"

    column: str
    n_releases: int
    n_persons: int
    exact: int
    l: int  # noqa: E741  (the paper's letter)
    k: int
    certain: Range
    above: Range
    below: Range
    alone: Range
    largest: tuple[float, float]
    width: tuple[float, float]
    misfits: int
    strangers: int
    crowded: int
    pairs: tuple[ReleasePair, ...]
    untried: int
    posteriors: Posteriors
    values: tuple[str | None, ...]
    told: ToldClasses | None = None

    @property
    def share(self) -> float:
        """The share of the persons who surely have a value that is likelier than 1 / l."""
        return self.above[0] / self.n_persons if self.n_persons else 0.0

    def of(self, person: int) -> Mapping[str | None, tuple[Fraction, Fraction]]:
        """Return the bounds of the probability of each value for a person, by the number in the lists put together."""
        cohort = int(self.posteriors.histories.cohort_of[person])
        return {self.values[code]: bounds for code, bounds in self.posteriors.of(cohort).items()}

    def as_dict(self, *, show: bool = False) -> dict[str, Any]:
        """Return the finding as JSON; there is nothing more to show in it."""
        return {
            "attack": self.name,
            "column": self.column,
            "share": self.share,
            "releases": self.n_releases,
            "persons": self.n_persons,
            "exact": self.exact,
            "l": self.l,
            "k": self.k,
            "certain": list(self.certain),
            "above": list(self.above),
            "below": list(self.below),
            "alone": list(self.alone),
            "largest": list(self.largest),
            "width": {"mean": self.width[0], "largest": self.width[1]},
            "misfits": self.misfits,
            "strangers": self.strangers,
            "crowded": self.crowded,
            "pairs": [one.as_dict() for one in self.pairs],
            "untried": self.untried,
            "told": None if self.told is None else self.told.as_dict(),
            "exposed": [],
        }


def series(
    histories: Histories,
    shown: Sequence[ProfileCounts],
    column: str,
    values: Sequence[str | None],
    *,
    k: int,
    l: int,  # noqa: E741  (the paper's letter)
    budget: int,
    pairs: int,
    told: Histories | None = None,
) -> Series:
    """Put several releases together.

    Args:
        histories: Who was where.
        shown: For each release the values that its classes show.
        column: What the column is called.
        values: The values behind their codes.
        k: The least allowed number of records.
        l: The largest allowed probability is 1 / l.
        budget: How many ways to place cohorts are tried to count worlds.
        pairs: How many pairs of releases are tried at most; those that follow each other come first.
        told: Who was where, for somebody who is told all classes; None if that is not at hand.
    """
    found = posteriors_of(histories, shown, budget)
    share, one = Fraction(1, l), Fraction(1)
    persons = _persons_of(found)
    single = np.zeros((2, histories.n_persons), dtype=np.bool_)
    for j in range(len(shown)):
        single |= (
            together(histories, shown, [j], share) if not histories.parted[j] else alone(histories, shown[j], j, share)
        )
    order = sorted(combinations(range(len(shown)), 2), key=lambda pair: (pair[1] - pair[0], pair))
    tried = [(pair, together(histories, shown, pair, share) & ~single) for pair in order[:pairs]]
    telling = [ReleasePair(i + 1, j + 1, *new.sum(axis=1).tolist()) for (i, j), new in tried if new.any()]
    low, high = found.largest
    there = (persons > 0) & found.fits
    return Series(
        column=column,
        n_releases=len(shown),
        n_persons=histories.n_persons,
        exact=int(persons[found.exact & found.fits].sum()),
        l=l,
        k=k,
        certain=_range(persons, found.reaching(one)),
        above=_range(persons, found.reaching(share, above=True)),
        below=_range(persons, found.below(k, shown)),
        alone=(int(single[0].sum()), int(single[1].sum())),
        largest=(float(low[there].max(initial=0.0)), float(high[there].max(initial=0.0))),
        width=(
            float(np.average((high - low)[there], weights=persons[there])) if there.any() else 0.0,
            float((high - low)[there].max(initial=0.0)),
        ),
        misfits=int(persons[~found.fits].sum()),
        strangers=histories.strangers,
        crowded=sum(bool(one.any()) for one in histories.crowded),
        pairs=tuple(sorted(telling, key=lambda pair: (-pair.certain, -pair.above, pair.first, pair.second))),
        untried=len(order) - len(tried),
        posteriors=found,
        values=tuple(values),
        told=None if told is None else ToldClasses.of(posteriors_of(told, shown, budget), l),
    )


def together(
    histories: Histories, shown: Sequence[ProfileCounts], chosen: Sequence[int], share: Fraction
) -> NDArray[np.bool_]:
    """Return for each person whether some releases by themselves surely tell the value, or too much of it."""
    part = histories.of_steps(chosen)
    found = posteriors_of(part, [shown[j] for j in chosen])
    told = np.array([found.reaching(Fraction(1))[0], found.reaching(share, above=True)[0]])
    return np.where(part.cohort_of >= 0, told[:, part.cohort_of], False)


def alone(histories: Histories, shown: ProfileCounts, j: int, share: Fraction) -> NDArray[np.bool_]:
    """Return the same of one release of which it is known who is in which class: as likely as a value is there."""
    step = histories.steps[j]
    largest = np.maximum.reduceat(shown.counts, shown.offsets[:-1])
    told = np.array([largest == step.sizes, largest * share.denominator > step.sizes * share.numerator])
    there = step.sets.classes[step.sets.offsets[step.placed]]
    found = np.zeros((2, histories.n_persons), dtype=np.bool_)
    found[:, step.persons] = told[:, there]
    return found


def _persons_of(found: Posteriors) -> NDArray[np.int64]:
    """Return how many persons each cohort has; strangers, who come last, are nobody's."""
    persons = np.zeros(len(found.fits), dtype=np.int64)
    persons[: len(found.histories.persons)] = found.histories.persons
    return persons


def _range(persons: NDArray[np.int64], found: tuple[NDArray[np.bool_], NDArray[np.bool_]]) -> Range:
    """Count the persons of some cohorts: of those who surely are, and of those who may be."""
    return int(persons[found[0]].sum()), int(persons[found[1]].sum())
