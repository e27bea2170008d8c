"""PersonValues: which values the persons of each class hold, however many records they have."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping, Histogram
from shoal.classes.tally import SensitiveColumn


@dataclass(frozen=True, slots=True, eq=False)
class PersonValues:
    """The different values of a sensitive column that each person of a class holds in it.

    A person with records in several classes is one person in each of them, since the numbers that a release tells
    persons by mean something within their class only.

    Args:
        column: The sensitive column.
        classes: The class of each person, ascending.
        persons: The person of each pair of a person and a value, ascending.
        values: Its value, ascending for each person.
        n_classes: The number of classes.
    """

    column: SensitiveColumn
    classes: NDArray[np.int64]
    persons: NDArray[np.int64]
    values: NDArray[np.int64]
    n_classes: int

    @classmethod
    def of(cls, groups: Grouping, column: str, entity: str) -> "PersonValues":
        """Return what the persons of each class hold, by the column that tells whose record it is."""
        number, whose = groups.number(column), groups.number(entity)
        owners = np.repeat(np.arange(groups.n_classes), np.diff(groups.offsets))
        codes = groups.profile_codes[groups.profiles]
        n_persons, n_values = len(groups.sensitive[whose].values), len(groups.sensitive[number].values)
        found, person_of = np.unique(owners * n_persons + codes[:, whose], return_inverse=True)
        pairs = np.unique(person_of.reshape(-1) * n_values + codes[:, number])
        persons, values = np.divmod(pairs, n_values)
        return cls(groups.sensitive[number], found // max(n_persons, 1), persons, values, groups.n_classes)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of persons of each class."""
        return np.bincount(self.classes, minlength=self.n_classes).astype(np.int64)

    @property
    def occurring(self) -> NDArray[np.bool_]:
        """Which values occur."""
        return np.bincount(self.values, minlength=len(self.column.values)) > 0

    def holders(self) -> Histogram:
        """Return how many persons of each class hold each value: one with several values is counted for each."""
        return self._histogram(self.classes[self.persons], self.values, len(self.column.values))

    def lowest(self) -> Histogram:
        """Return the lowest value of each person, in the order of the column."""
        return self._histogram(self.classes, self.ends[0], len(self.column.values))

    def highest(self) -> Histogram:
        """Return the highest value of each person, in the order of the column."""
        return self._histogram(self.classes, self.ends[1], len(self.column.values))

    def within(self, classes: NDArray[np.int64]) -> "PersonValues":
        """Return the same of some classes, ascending, in which all persons are."""
        return replace(self, classes=np.searchsorted(classes, self.classes), n_classes=len(classes))

    def lifted(self, nodes: NDArray[np.integer], n_nodes: int) -> "PersonValues":
        """Return the same with each value replaced by what stands for it; persons who hold none are left out.

        Args:
            nodes: What stands for each value; -1 if nothing does.
            n_nodes: The number of those.
        """
        there = nodes[self.values] >= 0
        pairs = np.unique(self.persons[there] * n_nodes + nodes[self.values[there]])
        persons, values = np.divmod(pairs, n_nodes)
        left, person_of = np.unique(persons, return_inverse=True)
        column = SensitiveColumn(self.column.name, tuple(str(node) for node in range(n_nodes)))
        return PersonValues(column, self.classes[left], person_of.reshape(-1), values, self.n_classes)

    @property
    def ends(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The lowest and the highest value of each person, in the order of the column."""
        everybody = np.arange(len(self.classes))
        last = np.searchsorted(self.persons, everybody, side="right") - 1
        return self.values[np.searchsorted(self.persons, everybody)], self.values[last]

    def _histogram(self, owners: NDArray[np.int64], values: NDArray[np.int64], n_values: int) -> Histogram:
        entries, counts = np.unique(owners * n_values + values, return_counts=True)
        own, value = np.divmod(entries, n_values)
        return Histogram(
            column=self.column,
            offsets=np.searchsorted(own, np.arange(self.n_classes + 1)),
            values=value.astype(np.int32),
            counts=counts.astype(np.int64),
            sizes=self.sizes,
            reference=np.bincount(values, minlength=n_values).astype(np.int64),
            persons=len(self.classes),
        )
