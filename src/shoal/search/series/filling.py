"""Filling: newcomers take the places of those who left, each of the same value, where it costs least."""

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.flows import cheapest_pairs
from shoal.search.series.people import People
from shoal.search.series.signatures import SignatureClasses

_PAIRS = 250_000  # so many pairs of a hole and a newcomer are one flow; more are parted first


def fill_holes(classes: SignatureClasses, newcomers: NDArray[np.int64]) -> None:
    """Put newcomers into the holes of their value, so that the prices of the classes rise least.

    For each value it is a flow of least cost from newcomers to holes. Where there are many of both, they are parted
    along the column in which the holes lie farthest apart, both in the same shares, and each part is a flow of its own.
    """
    people = classes.people
    owners, values, numbers = classes.holes()
    closed = people.closed(people.members(classes.label, classes.n_classes))
    examples = _examples(classes)
    for value in np.unique(values).tolist():
        holes = np.repeat(owners[values == value], numbers[values == value])
        coming = newcomers[people.values[newcomers] == value]
        for some, those in _parted(people, holes, examples[holes], coming):
            rows, columns = cheapest_pairs(people.raised(closed[some], those))
            classes.label[those[columns]] = some[rows]


def _examples(classes: SignatureClasses) -> NDArray[np.int64]:
    """Return one member of each class."""
    found = np.zeros(classes.n_classes, dtype=np.int64)
    inside = np.flatnonzero(classes.label >= 0)
    found[classes.label[inside]] = inside
    return found


def _parted(
    people: People, holes: NDArray[np.int64], examples: NDArray[np.int64], coming: NDArray[np.int64]
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return parts of holes, and the newcomers for each."""
    done, waiting = [], [(holes, examples, coming)]
    while waiting:
        holes, examples, coming = waiting.pop()
        if len(holes) == 0 or len(coming) == 0:
            continue
        if len(holes) * len(coming) <= _PAIRS or min(len(holes), len(coming)) < 2:
            done.append((holes, coming))
            continue
        places = people.places[examples]
        widths = (places.max(axis=0) - places.min(axis=0)) / people.spans
        column = int(widths.argmax())
        first = np.argsort(places[:, column], kind="stable")
        second = np.argsort(people.places[coming, column], kind="stable")
        middle, quota = len(holes) // 2, len(coming) * (len(holes) // 2) // len(holes)
        for part, those in ((first[:middle], second[:quota]), (first[middle:], second[quota:])):
            waiting.append((holes[part], examples[part], coming[those]))
    return done
