"""Signatures: the values that a class shows, each equally often, and what its members lack for that."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.search.series.people import People

Signature = tuple[int, ...]
"""Codes of values, ascending."""


@dataclass(slots=True, eq=False)
class SignatureClasses:
    """Classes on the way to a release: who is in each, and its signature.

    Args:
        people: Everybody.
        label: The class of each person; -1 for those who are in none.
        signatures: All signatures.
        owned: The signature of each class; a class may have lost all of its members.
        n_values: The number of values.
    """

    people: People
    label: NDArray[np.int64]
    signatures: list[Signature]
    owned: NDArray[np.int64]
    n_values: int
    _number: dict[Signature, int] = field(init=False)

    def __post_init__(self) -> None:
        self._number = {signature: number for number, signature in enumerate(self.signatures)}

    @property
    def n_classes(self) -> int:
        """The number of classes, empty ones included."""
        return len(self.owned)

    def number(self, signature: Signature) -> int:
        """Return the number of a signature, which is made if there is none yet."""
        if signature not in self._number:
            self._number[signature] = len(self.signatures)
            self.signatures.append(signature)
        return self._number[signature]

    def opened(self, signatures: NDArray[np.int64]) -> NDArray[np.int64]:
        """Open classes with some signatures, and return their numbers."""
        first = self.n_classes
        self.owned = np.concatenate([self.owned, signatures])
        return np.arange(first, self.n_classes)

    def counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return each pair of a class and a value that its members have, and how many have it."""
        inside = self.label >= 0
        keys = self.label[inside] * self.n_values + self.people.values[inside]
        found, numbers = np.unique(keys, return_counts=True)
        return found // self.n_values, found % self.n_values, numbers

    def sizes(self) -> NDArray[np.int64]:
        """Return how many persons are in each class."""
        return np.bincount(self.label[self.label >= 0], minlength=self.n_classes)

    def holes(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return what is lacking: classes, values, and how often each.

        A class shows each value of its signature as often as the most frequent value of its members.
        """
        classes, values, numbers = self.counts()
        lines = np.zeros(self.n_classes, dtype=np.int64)
        np.maximum.at(lines, classes, numbers)
        slots, wanted = self._slots(np.flatnonzero(lines > 0))
        keys, asked = classes * self.n_values + values, slots * self.n_values + wanted
        at = np.minimum(np.searchsorted(keys, asked), max(len(keys) - 1, 0))
        there = np.where(keys[at] == asked, numbers[at], 0) if len(keys) else np.zeros(len(asked), dtype=np.int64)
        lacking = lines[slots] - there
        some = lacking > 0
        return slots[some], wanted[some], lacking[some]

    def _slots(self, classes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return each pair of one of some classes and a value of its signature."""
        lengths = np.array([len(signature) for signature in self.signatures], dtype=np.int64)
        flat = np.array([value for signature in self.signatures for value in signature], dtype=np.int64)
        starts = np.cumsum(lengths) - lengths
        own = self.owned[classes]
        ends = np.cumsum(lengths[own])
        places = np.arange(int(lengths[own].sum())) + np.repeat(starts[own] - (ends - lengths[own]), lengths[own])
        return np.repeat(classes, lengths[own]), flat[places]
