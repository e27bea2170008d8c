"""Histories: what is kept of the values of a person, as marks, and what a group of persons with histories keeps.

A history is a text: the marks of the sensitive columns at first, and again at each release in which one of them was
another, with the number of that release, such as `1:a,b 4:a,c`. Without the key a mark tells which values are equal,
and no value.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from shoal.models.distinct_l_diversity import DistinctLDiversity
from shoal.models.frequency_l_diversity import FrequencyLDiversity
from shoal.models.k_anonymity import KAnonymity
from shoal.models.model import PrivacyModel

DECIDED = (KAnonymity, DistinctLDiversity, FrequencyLDiversity)
"""The promises that are decided for persons who leave together, by how many they are and what they have."""


def longer(history: str, number: int, marks: str) -> str:
    """Return a history with the marks of one more release; an empty one begins."""
    if not history:
        return f"{number}:{marks}"
    return history if history.rpartition(":")[2] == marks else f"{history} {number}:{marks}"


def last_marks(history: str) -> str:
    """Return the marks of the last release of a history."""
    return history.rpartition(":")[2]


@lru_cache(maxsize=100_000)
def _runs(history: str) -> tuple[tuple[int, tuple[str, ...]], ...]:
    parts = (one.split(":") for one in history.split(" "))
    return tuple((int(number), tuple(marks.split(","))) for number, marks in parts)


def at_all_times(histories: Sequence[str]) -> list[list[tuple[str, ...]]]:
    """Return what everybody has, for each release in which somebody's values changed."""
    runs = [_runs(one) for one in histories]
    times = sorted({number for one in runs for number, _ in one})
    return [[[marks for number, marks in one if number <= time][-1] for one in runs] for time in times]


def keeps(histories: Sequence[str], promises: Sequence[PrivacyModel], columns: Sequence[str]) -> bool:
    """Tell whether a group keeps the promises at all times: as many persons, and as many values, as they ask for.

    Companions are in a series from the same release on: else they are none.

    Args:
        histories: The histories of the group.
        promises: The promises, of those kinds that are decided.
        columns: The sensitive columns, in the order of the marks.
    """
    if any(len(histories) < one.k for one in promises if isinstance(one, KAnonymity)):
        return False
    if len({_runs(one)[0][0] for one in histories}) > 1:
        return False
    told = [one for one in promises if isinstance(one, DistinctLDiversity | FrequencyLDiversity)]
    for marks in at_all_times(histories) if told else ():
        for one in told:
            counts = Counter(held[columns.index(one.column)] for held in marks)
            if isinstance(one, DistinctLDiversity):
                if len(counts) < one.l:
                    return False
            elif Fraction(max(counts.values()), len(marks)) * Fraction(one.l) > 1:
                return False
    return True


def likeliest(histories: Sequence[str]) -> Fraction:
    """Return the largest share that one value of one column has in a group, at any time."""
    found = Fraction(0)
    for marks in at_all_times(histories):
        for column in zip(*marks, strict=True):
            found = max(found, Fraction(max(Counter(column).values()), len(marks)))
    return found
