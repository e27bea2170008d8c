"""Settling: members of classes that still lack some are moved, so that few counterfeits are needed, or few withheld."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shoal.search.series.people import Members, People
from shoal.search.series.signatures import SignatureClasses

_COMPARED = 200  # classes of one signature that are compared with one that is too small


def dissolve_open(classes: SignatureClasses, coming: NDArray[np.int64]) -> None:
    """Move the members of classes that lack some into holes of their signature, where all of them find one.

    Each time that succeeds, the signature lacks one member less of each value for each time that the class showed it.
    That is done as long as more members of a value are lacking than newcomers have it, whatever the signature.

    Args:
        classes: The classes; who is in which changes.
        coming: How many newcomers there are of each value.
    """
    owners, values, numbers = classes.holes()
    scarce = np.bincount(values, weights=numbers, minlength=len(coming)).astype(np.int64) - coming
    touched = np.unique(classes.owned[owners[scarce[values] > 0]])
    lacking = dict[int, list[tuple[int, int]]]()
    for owner, value, number in zip(owners.tolist(), values.tolist(), numbers.tolist(), strict=True):
        lacking.setdefault(int(classes.owned[owner]), []).extend([(owner, value)] * number)
    several = [lacking[own] for own in touched.tolist() if len({owner for owner, _ in lacking[own]}) > 1]
    if not several:
        return
    wanted = np.isin(classes.label, np.unique([owner for holes in several for owner, _ in holes]))
    there: dict[int, list[int]] = {}
    for person in np.flatnonzero(wanted).tolist():
        there.setdefault(int(classes.label[person]), []).append(person)
    for holes in several:
        _dissolve(classes, there, holes, scarce)


def _dissolve(
    classes: SignatureClasses, there: dict[int, list[int]], holes: list[tuple[int, int]], scarce: NDArray[np.int64]
) -> None:
    """Dissolve what can be of the classes of one signature, the smallest first, while some of its values are scarce."""
    people = classes.people
    signature = list(classes.signatures[classes.owned[holes[0][0]]])
    open_holes: dict[int, dict[int, int]] = {}
    for owner, value in holes:
        of_value = open_holes.setdefault(value, {})
        of_value[owner] = of_value.get(owner, 0) + 1
    for going in sorted({owner for owner, _ in holes}, key=lambda owner: (len(there[owner]), owner)):
        if (scarce[signature] <= 0).all():
            return
        taken: list[tuple[int, int]] = []
        for person in there[going]:
            of_value = open_holes.get(int(people.values[person]), {})
            free = [one for one in of_value if one != going and of_value[one] > sum(1 for _, to in taken if to == one)]
            if not free:
                break
            taken.append((person, _nearest(classes, there, free[:_COMPARED], person)))
        if len(taken) < len(there[going]):
            continue
        for person, target in taken:
            value = int(people.values[person])
            classes.label[person] = target
            there[target].append(person)
            scarce[value] -= 1
            open_holes[value][target] -= 1
            if open_holes[value][target] == 0:
                del open_holes[value][target]
        there[going] = []
        for value, of_value in open_holes.items():
            scarce[value] -= of_value.pop(going, 0)


def _nearest(classes: SignatureClasses, there: dict[int, list[int]], free: list[int], person: int) -> int:
    """Return the class whose price a person raises least."""
    if len(free) == 1:
        return free[0]
    people = classes.people
    ends = np.cumsum([0, *(len(there[one]) for one in free)]).astype(np.int64)
    flat = np.array([one for owner in free for one in there[owner]], dtype=np.int64)
    raised = people.raised(people.closed(Members(ends, flat)), np.array([person]))[:, 0]
    return free[int(np.argmin(raised * np.diff(ends)))]


def trim_open(classes: SignatureClasses) -> None:
    """Take members out of the classes that lack some, newcomers first, until each value stands equally often."""
    owners, values, numbers = classes.holes()
    worst: dict[int, int] = {}
    for owner, number in zip(owners.tolist(), numbers.tolist(), strict=True):
        worst[owner] = max(worst.get(owner, 0), number)
    lacking = {
        (owner, value): n for owner, value, n in zip(owners.tolist(), values.tolist(), numbers.tolist(), strict=True)
    }
    spare: dict[tuple[int, int], list[int]] = {}
    held = classes.people.held
    for person in np.flatnonzero(np.isin(classes.label, list(worst))).tolist():
        spare.setdefault((int(classes.label[person]), int(classes.people.values[person])), []).append(person)
    for (owner, value), persons in spare.items():
        surplus = worst[owner] - lacking.get((owner, value), 0)
        persons.sort(key=lambda one: held[one] >= 0)
        classes.label[persons[:surplus]] = -1


def join_small(classes: SignatureClasses, least: int) -> None:
    """Join each class of fewer than `least` persons with one of its signature; if there is none, take it apart."""
    sizes = classes.sizes()
    touched = np.unique(classes.owned[(sizes > 0) & (sizes < least)])
    if not len(touched):
        return
    members = classes.people.members(classes.label, classes.n_classes)
    concerned = np.flatnonzero((sizes > 0) & np.isin(classes.owned, touched))
    there: dict[int, dict[int, NDArray[np.int64]]] = {}
    for number, own in zip(concerned.tolist(), classes.owned[concerned].tolist(), strict=True):
        held = members.persons[members.offsets[number] : members.offsets[number + 1]]
        there.setdefault(own, {})[number] = held
    for same in there.values():
        _join_small(classes, same, least)


def _join_small(classes: SignatureClasses, same: dict[int, NDArray[np.int64]], least: int) -> None:
    """Join the small ones of the classes of one signature, given with their members."""
    while small := [number for number, persons in same.items() if len(persons) < least]:
        going = same.pop(small[0])
        target = _partner(classes.people, same, going) if same else -1
        classes.label[going] = target
        if same:
            same[target] = np.concatenate([same[target], going])


def _partner(people: People, others: dict[int, NDArray[np.int64]], going: NDArray[np.int64]) -> int:
    """Return the class that it costs least to join."""
    sizes = np.array([len(persons) for persons in others.values()], dtype=np.int64)
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    closed = people.closed(Members(ends, np.concatenate([*others.values()]).astype(np.int64)))
    raised = people.raised(closed, going).max(axis=1)
    return list(others)[int(np.argmin(raised * sizes))]


def counterfeits_of(classes: SignatureClasses) -> Iterator[tuple[int, int]]:
    """Yield the class and the value of each record of nobody that fills a hole."""
    for owner, value, number in zip(*(array.tolist() for array in classes.holes()), strict=True):
        yield from [(owner, value)] * number
