"""Parting: classes that show each value several times become smaller ones of the same signature."""

from math import ceil

import numpy as np
from numpy.typing import NDArray

from shoal.search.series.people import People
from shoal.search.series.signatures import SignatureClasses

_FEW = 8  # groups that are made at once, each of those who are next to each other


def part_large(classes: SignatureClasses, least: int) -> None:
    """Part each class whose members are enough for several, of at least so many persons each.

    A class had to be joined with another one where few persons were left. It need not stay large: a part of it that has
    as many members of each value is a class of the same signature, and costs no more.

    Args:
        classes: All classes; new ones are opened.
        least: The least number of persons of a class.
    """
    people = classes.people
    members = people.members(classes.label, classes.n_classes)
    sizes = np.diff(members.offsets)
    lengths = np.array([len(signature) for signature in classes.signatures], dtype=np.int64)[classes.owned]
    for number in np.flatnonzero(sizes > np.maximum(lengths, least)).tolist():
        signature = classes.signatures[classes.owned[number]]
        persons = members.persons[members.offsets[number] : members.offsets[number + 1]]
        pools = [persons[people.values[persons] == value] for value in signature]
        together = ceil(least / len(signature))
        groups = min(map(len, pools)) // together
        if groups < 2:
            continue
        cut = together * (groups - 1)
        pools = _along_widest(people, pools)
        new = grouped(people, [pool[:cut] for pool in pools], together)
        for group, label in zip(new, classes.opened(np.full(len(new), classes.owned[number])), strict=True):
            classes.label[group] = label


def grouped(people: People, pools: list[NDArray[np.int64]], together: int = 1) -> list[NDArray[np.int64]]:
    """Part pools of as many persons each into groups that have so many of every pool, near each other.

    All pools are halved along the column in which their persons lie farthest apart, each at its own middle.
    """
    done, waiting = [], [pools]
    while waiting:
        some = waiting.pop()
        groups = len(some[0]) // together
        some = _along_widest(people, some) if groups > 1 else some
        if groups <= _FEW:
            done += [
                np.concatenate([pool[at * together : (at + 1) * together] for pool in some]) for at in range(groups)
            ]
        else:
            middle = groups // 2 * together
            waiting += [[pool[:middle] for pool in some], [pool[middle:] for pool in some]]
    return done


def _along_widest(people: People, pools: list[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """Order each pool along the column in which all of them lie farthest apart."""
    places = people.places[np.concatenate(pools)]
    column = int((places.std(axis=0) / people.spans).argmax())
    return [pool[np.argsort(people.places[pool, column], kind="stable")] for pool in pools]
