"""Singling out: which descriptions that a release prints fit exactly one record of the raw table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.audits.attacks.drawn_sample import DrawnSample
from shoal.audits.attacks.exposure import ExposedClass, exposed, largest_first
from shoal.audits.attacks.matches import Matches
from shoal.audits.printed import ELEMENT, END, Printed
from shoal.classes.observed import Observed

CELLS, ENDS, ELEMENTS, CENTRES = "cells", "ends", "elements", "centres"
_KIND = {END: 1, ELEMENT: 2}  # of a description, by what is printed; 0 is by the cells alone


@dataclass(frozen=True, slots=True)
class Predicates:
    """Descriptions of one kind.

    Args:
        kind: `cells`: the cells of a class; `ends`, `elements`: these, and a value that one of them prints; `centres`:
            the values of the centre of a cluster.
        number: How many there are.
        isolating: How many fit exactly one record of the raw table.
        classes: The number of classes with such a description.
    """

    kind: str
    number: int
    isolating: int
    classes: int

    def as_dict(self) -> dict[str, Any]:
        """Return them as JSON."""
        return {
            "kind": self.kind,
            "predicates": self.number,
            "isolating": self.isolating,
            "classes": self.classes,
        }


@dataclass(frozen=True, slots=True)
class Isolation:
    """Whether somebody can be singled out by what a release prints.

    A description is a predicate: the quasi values lie in the cells of a class; or they do, and one of them is a value
    that a cell prints, the end of a range or the element of a set. It singles a person out if it fits exactly one
    record of the raw table (WP216's first question). Where persons may have several records, it does if all records
    that it fits are of one person.

    Args:
        columns: The quasi columns.
        n_records: The number of records of the raw table.
        n_classes: The number of classes of the release.
        isolated: The number of records, or persons, of the raw table that some description fits alone.
        predicates: The descriptions, by their kind.
        exposed: The classes with descriptions that fit exactly one record, with how many of them.
        n_persons: The number of persons of the raw table, if they may have several records.
        sample: The classes that were drawn, if not all were looked at. Then their descriptions were put to the whole
            raw table, and the numbers of records and persons are those that these classes cover.
    """

    name: ClassVar[str] = "singling-out"
    reference: ClassVar[str] = "Article 29 Working Party 2014 (WP216); Cohen and Nissim 2020"

    columns: tuple[str, ...]
    n_records: int
    n_classes: int
    isolated: int
    predicates: tuple[Predicates, ...]
    exposed: Sequence[ExposedClass]
    n_persons: int | None = None
    sample: DrawnSample | None = None

    @property
    def unit(self) -> str:
        """What is singled out: records or persons."""
        return "records" if self.n_persons is None else "persons"

    @property
    def n_units(self) -> int:
        """The number of records, or persons, of the raw table."""
        return self.n_records if self.n_persons is None else self.n_persons

    @property
    def share(self) -> float:
        """The share of the records, or persons, of the raw table that some description fits alone."""
        return self.isolated / self.n_units if self.n_units else 0.0

    @property
    def n_predicates(self) -> int:
        """The number of descriptions."""
        return sum(one.number for one in self.predicates)

    @property
    def isolating(self) -> int:
        """The number of descriptions that single somebody out."""
        return sum(one.isolating for one in self.predicates)

    def counts(self) -> dict[str, Any]:
        """Return how many descriptions single somebody out, in all and by their kind, as JSON."""
        return {
            "descriptions": self.n_predicates,
            "isolating": self.isolating,
            "isolated": self.isolated,
            "unit": self.unit,
            "kinds": [one.as_dict() for one in self.predicates if one.number],
        }

    def as_dict(self, *, show: bool = False) -> dict[str, Any]:
        """Return the finding as JSON; `show` adds the cells of the exposed classes."""
        return {
            "attack": self.name,
            "columns": list(self.columns),
            "share": self.share,
            "isolated": self.isolated,
            "of_records": self.n_records,
            **({} if self.n_persons is None else {"of_persons": self.n_persons}),
            "of_classes": self.n_classes,
            **({} if self.sample is None else {"sample": self.sample.as_dict()}),
            "predicates": [one.as_dict() for one in self.predicates],
            "exposed": [one.as_dict(show=show) for one in self.exposed],
        }


@dataclass(frozen=True, slots=True, eq=False)
class _Fits:
    """Descriptions, each with its class, and the first and the last of the persons whose records it fits."""

    classes: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    def alone(self) -> NDArray[np.bool_]:
        return self.first == self.last


@dataclass(frozen=True, slots=True, eq=False)
class Owners:
    """The persons of each point of the raw table: the first and the last of their numbers.

    Args:
        number: The number of all persons.
        lowest: The first person of each point.
        highest: The last one.
    """

    number: int
    lowest: NDArray[np.int64]
    highest: NDArray[np.int64]

    @classmethod
    def of(cls, matches: Matches, persons: NDArray[np.integer] | None) -> "Owners":
        """Number the persons; without any, each record has one of its own."""
        if persons is None:
            ends = np.cumsum(matches.persons)
            return cls(int(ends[-1]) if len(ends) else 0, ends - matches.persons, ends - 1)
        numbers = np.unique(persons, return_inverse=True)[1]
        number = int(numbers.max(initial=-1)) + 1
        lowest = np.full(len(matches.points), number, dtype=np.int64)
        highest = np.full(len(matches.points), -1, dtype=np.int64)
        np.minimum.at(lowest, matches.point_of, numbers)
        np.maximum.at(highest, matches.point_of, numbers)
        return cls(number, lowest, highest)


def isolation(
    observed: Observed,
    quasi: Sequence[str],
    matches: Matches,
    printed: Sequence[Printed],
    persons: NDArray[np.integer] | None = None,
    classes: NDArray[np.int64] | None = None,
    sample: DrawnSample | None = None,
) -> Isolation:
    """Count the descriptions that fit exactly one record.

    Args:
        observed: The release.
        quasi: The names of its quasi columns.
        matches: Which of its classes match which records of the raw table, in all of these columns.
        printed: What the cells of these columns print.
        persons: The person of each row of the raw table; each record has one of its own if left out.
        classes: The classes that were matched; all if left out.
        sample: How they were drawn, if they were.
    """
    looked = np.arange(observed.groups.n_classes) if classes is None else classes
    n_classes = len(looked)
    owners = Owners.of(matches, persons)
    found = _fits(observed.cells[looked], matches, printed, owners)
    shown = [
        Predicates(kind, len(fits.classes), int(fits.alone().sum()), len(np.unique(fits.classes[fits.alone()])))
        for kind, fits in found.items()
    ]
    alone = np.concatenate([fits.classes[fits.alone()] for fits in found.values()])
    singled = np.concatenate([fits.first[fits.alone()] for fits in found.values()])
    per_class = np.bincount(alone, minlength=n_classes)
    chosen = largest_first(per_class, per_class > 0)
    return Isolation(
        columns=tuple(quasi),
        n_records=matches.n_persons if sample is None else int(matches.persons[matches.classes > 0].sum()),
        n_classes=n_classes,
        isolated=len(np.unique(singled)),
        predicates=tuple(shown),
        exposed=exposed(observed, quasi, looked[chosen], {"isolating": per_class[chosen]}),
        n_persons=None if persons is None else _covered(matches, persons, owners, sample),
        sample=sample,
    )


def _covered(matches: Matches, persons: NDArray[np.integer], owners: Owners, sample: DrawnSample | None) -> int:
    """Return the number of persons of the raw table; of a sample of classes, those whom it covers."""
    return owners.number if sample is None else len(np.unique(persons[matches.of_rows(matches.classes) > 0]))


def _fits(cells: NDArray[np.int32], matches: Matches, printed: Sequence[Printed], owners: Owners) -> dict[str, _Fits]:
    """Return whom each description fits: by the cells alone, and by each printed value of each column."""
    n_classes, nothing = len(cells), np.zeros(0, dtype=np.int64)
    starts = np.cumsum([0, n_classes, *(len(one.cells) * n_classes for one in printed)])
    keys, points = [nothing], [nothing]  # the number of a description, and a point that it fits
    for part in matches.lists():
        mine = np.repeat(part.points, np.diff(part.offsets))
        keys.append(part.classes.astype(np.int64))
        points.append(mine)
        for place, column in enumerate(matches.order):
            pairs, values = printed[column].among(cells[part.classes, column], matches.points[mine, place])
            keys.append(starts[column + 1] + values * n_classes + part.classes[pairs])
            points.append(mine[pairs])
    described, which = np.unique(np.concatenate(keys), return_inverse=True)
    fitting = np.concatenate(points)
    first = np.full(len(described), owners.number, dtype=np.int64)
    last = np.full(len(described), -1, dtype=np.int64)
    np.minimum.at(first, which, owners.lowest[fitting])
    np.maximum.at(last, which, owners.highest[fitting])
    block = np.searchsorted(starts, described, side="right") - 1
    value, classes = np.divmod(described - starts[block], max(n_classes, 1))
    begin = np.cumsum([1, *(len(one.cells) for one in printed)])
    kinds = np.array([0, *(_KIND[kind] for one in printed for kind in one.kinds)])
    kind = kinds[np.where(block == 0, 0, begin[block - 1] + value)]
    return {
        name: _Fits(classes[kind == number], first[kind == number], last[kind == number])
        for number, name in enumerate((CELLS, ENDS, ELEMENTS))
    }
