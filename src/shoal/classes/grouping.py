"""Grouping: equivalence classes, their sizes and the sensitive values in them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import SensitiveColumn, Tally, weights_of_profiles
from shoal.foundation.errors import SpecError
from shoal.kernels.grouping import add_rows, merge_entries, take


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """How many records of which point are in which class; the records of one point may be in several classes.

    Args:
        points: The point of each part.
        classes: The class of each part, or -1 if its records are in none.
        counts: The number of records of each part.
    """

    points: NDArray[np.int32]
    classes: NDArray[np.int32]
    counts: NDArray[np.int64]

    @classmethod
    def whole(cls, tally: Tally, classes: NDArray[np.int32]) -> "Parts":
        """Return each point with all of its records in one class."""
        return cls(np.arange(tally.n_points, dtype=np.int32), classes, tally.counts)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.classes.max(initial=-1)) + 1

    def filled(self) -> "Parts":
        """Return the parts with records; the remaining classes are renumbered without gaps, in their order."""
        some = self.counts > 0
        points, classes, counts = self.points[some], self.classes[some], self.counts[some]
        used = np.zeros(self.n_classes, dtype=np.bool_)
        used[classes[classes >= 0]] = True
        number = np.append(np.cumsum(used, dtype=np.int32) - 1, np.int32(-1))  # -1, no class, stays -1
        return Parts(points, take(number, classes), counts)


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """The histogram of one sensitive column in each class, without the zeros.

    The entries of class `c` are `offsets[c]` to `offsets[c + 1]`, their values ascending; no class is empty.

    Args:
        column: The sensitive column.
        offsets: The first entry of each class.
        values: The value codes.
        counts: The number of records.
        sizes: The number of records of each class.
        reference: The number of records of each value in the whole table.
        persons: Where persons are counted in place of records, how many there are in all classes. One who holds several
            values is counted for each of them, so that the counts of a class may add up to more than its size.
    """

    column: SensitiveColumn
    offsets: NDArray[np.int64]
    values: NDArray[np.int32]
    counts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    reference: NDArray[np.int64]
    persons: int | None = None

    @property
    def total(self) -> int:
        """The number of records, or persons, of the whole table."""
        return int(self.reference.sum()) if self.persons is None else self.persons

    @property
    def distinct(self) -> NDArray[np.int64]:
        """The number of different values in each class."""
        return np.diff(self.offsets)

    @property
    def largest(self) -> NDArray[np.int64]:
        """The count of the most frequent value of each class."""
        return np.maximum.reduceat(self.counts, self.offsets[:-1])

    @property
    def owners(self) -> NDArray[np.int64]:
        """The class of each entry."""
        return np.repeat(np.arange(len(self.sizes)), self.distinct)

    def beyond(self, most: int) -> NDArray[np.int64]:
        """Return, for each class, its size less the counts of its `most` most frequent values; below 0 it is 0.

        Those are the records of all other values; of persons, at least so many hold none of these values.
        """
        counts, places = self._descending()
        first = np.add.reduceat(np.where(places < most, counts, 0), self.offsets[:-1])
        return np.maximum(self.sizes - first, 0)

    @property
    def needed(self) -> NDArray[np.int64]:
        """How many of the most frequent values of each class it takes until their counts add up to its size.

        Of records that is the number of different values. Of persons, fewer values are not held by all: there is one
        who holds none of them, whichever they are.
        """
        counts, _ = self._descending()
        sums = np.cumsum(counts)
        before = np.append(0, sums)[self.offsets[:-1]]
        short = sums - np.repeat(before, self.distinct) < np.repeat(self.sizes, self.distinct)
        return 1 + np.bincount(self.owners[short], minlength=len(self.sizes))

    def _descending(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the counts of each class, the largest first, and the place of each; pairs are sorted as numbers."""
        base = int(self.counts.max(initial=0)) + 1
        pairs = np.sort(self.owners * base + (base - 1 - self.counts))
        return base - 1 - pairs % base, np.arange(len(pairs)) - np.repeat(self.offsets[:-1], self.distinct)

    def dense(self, some: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """Return `shares[class, value]`, the share of each value in each class, or in some of them, with the zeros."""
        wanted = np.arange(len(self.sizes)) if some is None else some
        rows = np.full(len(self.sizes), -1)
        rows[wanted] = np.arange(len(wanted))
        inside, owners = rows[self.owners] >= 0, self.owners
        shares = np.zeros((len(wanted), len(self.reference)))
        shares[rows[owners[inside]], self.values[inside]] = (self.counts / self.sizes[owners])[inside]
        return shares

    def of_class(self, number: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the values and counts of one class."""
        part = slice(self.offsets[number], self.offsets[number + 1])
        return self.values[part], self.counts[part]


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Classes, none of them empty, as the privacy models see them.

    Args:
        sizes: The number of records of each class.
        sensitive: The sensitive columns.
        offsets: The first entry of each class; an entry is a distinct sensitive tuple of the class.
        profiles: The tuple of each entry, as an index into `profile_codes`.
        counts: The number of records of each entry.
        profile_codes: The distinct sensitive tuples.
        totals: The number of records of each tuple in the whole table that the classes are compared with.
        populations: For each outside table, its number of records in the cell of each class.
        outside: For each outside table, the number of its records that are in the cell of no class.
    """

    sizes: NDArray[np.int64]
    sensitive: tuple[SensitiveColumn, ...]
    offsets: NDArray[np.int64]
    profiles: NDArray[np.int32]
    counts: NDArray[np.int64]
    profile_codes: NDArray[np.int32]
    totals: NDArray[np.int64]
    populations: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    outside: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, tally: Tally, labels: NDArray[np.int32], n_classes: int) -> "Grouping":
        """Group the points of a tally by their labels; a negative label is in no class."""
        inside = labels >= 0
        weights = np.column_stack([tally.counts, *tally.populations.values()])
        sums = add_rows(weights[inside], labels[inside], n_classes)
        populations = dict(zip(tally.populations, sums.T[1:], strict=True))
        offsets, profiles, counts = merge_entries(
            np.where(tally.counts > 0, labels, -1).astype(np.int32),
            tally.profiles,
            tally.counts,
            n_classes,
            len(tally.profile_codes),
        )
        grouping = cls(
            sizes=sums[:, 0],
            sensitive=tally.sensitive,
            offsets=offsets,
            profiles=profiles,
            counts=counts,
            profile_codes=tally.profile_codes,
            totals=np.zeros(len(tally.profile_codes), dtype=np.int64),
            populations=populations,
            outside={name: int(weight.sum()) for name, weight in tally.populations.items()},
        )
        outside = {name: grouping.outside[name] - int(inner.sum()) for name, inner in populations.items()}
        grouping = replace(grouping, outside=outside)
        return grouping.own_totals() if tally.whole is None else replace(grouping, totals=tally.whole)

    @classmethod
    def of_parts(cls, tally: Tally, parts: Parts, n_classes: int) -> "Grouping":
        """Group the records of a tally whose points may be split; not with outside tables, which count whole points."""
        split = replace(
            tally,
            codes=tally.codes[:0],
            profiles=tally.profiles[parts.points],
            counts=parts.counts,
            populations={},
        )
        return cls.of(split, parts.classes, n_classes)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.sizes)

    @property
    def n_records(self) -> int:
        """The number of records in all classes."""
        return int(self.sizes.sum())

    @property
    def weights(self) -> NDArray[np.int64]:
        """The sum of the sampling weights of the records of each class; their number if there are no weights."""
        each = weights_of_profiles(self.sensitive, self.profile_codes)
        if each is None or not self.n_classes:
            return self.sizes
        return np.add.reduceat(self.counts * each[self.profiles], self.offsets[:-1])

    def describe(self) -> dict[str, int | float]:
        """Return the number of classes and their sizes."""
        if self.n_classes == 0:
            return {"count": 0, "smallest": 0, "largest": 0, "average": 0.0}
        return {
            "count": self.n_classes,
            "smallest": int(self.sizes.min()),
            "largest": int(self.sizes.max()),
            "average": self.n_records / self.n_classes,
        }

    def own_totals(self) -> "Grouping":
        """Return the same classes, with the union of the classes as the table that they are compared with."""
        totals = np.bincount(self.profiles, weights=self.counts, minlength=len(self.profile_codes))
        return replace(self, totals=totals.astype(np.int64))

    def only(self, kept: NDArray[np.bool_]) -> "Grouping":
        """Return some of the classes; `totals` stay the same, and the populations of the others become `outside`."""
        entries = np.repeat(kept, np.diff(self.offsets))
        lengths = np.diff(self.offsets)[kept]
        return replace(
            self,
            sizes=self.sizes[kept],
            offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            profiles=self.profiles[entries],
            counts=self.counts[entries],
            populations={name: inner[kept] for name, inner in self.populations.items()},
            outside={name: self.outside[name] + int(inner[~kept].sum()) for name, inner in self.populations.items()},
        )

    def merged(self, target: NDArray[np.int32], n_classes: int) -> "Grouping":
        """Return the classes merged by `target`, the new class of each; every new class gets at least one."""
        owners = np.repeat(target, np.diff(self.offsets)).astype(np.int32)
        offsets, profiles, counts = merge_entries(
            owners, self.profiles, self.counts, n_classes, len(self.profile_codes)
        )
        sums = add_rows(np.column_stack([self.sizes, *self.populations.values()]), target, n_classes)
        return replace(
            self,
            sizes=sums[:, 0],
            offsets=offsets,
            profiles=profiles,
            counts=counts,
            populations=dict(zip(self.populations, sums.T[1:], strict=True)),
        )

    def histogram(self, column: str) -> Histogram:
        """Return the histogram of one sensitive column in each class."""
        blocks, _ = self.blocks(column, others_known=False)
        return blocks

    def blocks(self, column: str, *, others_known: bool) -> tuple[Histogram, NDArray[np.int64]]:
        """Return the histogram of a column in each block of records that an attacker cannot tell apart.

        The blocks are the classes, or, if the attacker knows the other sensitive columns, the records
        of a class that share them (the chapter's rule for several sensitive columns).

        Returns:
            The histogram of the blocks, and the class of each block.
        """
        number = self.number(column)
        codes = self.profile_codes[:, number]
        n_values = len(self.sensitive[number].values)
        reference = self._reference(number)
        if self.profile_codes.shape[1] == 1:  # the entries are the histogram: profiles ascend like their one code
            values = codes[self.profiles]
            histogram = Histogram(self.sensitive[number], self.offsets, values, self.counts, self.sizes, reference)
            return histogram, np.arange(self.n_classes)
        owners = np.repeat(np.arange(self.n_classes), np.diff(self.offsets))
        block_of = np.arange(self.n_classes)
        if others_known:
            weights = [at for at, column in enumerate(self.sensitive) if column.weights is not None]
            others = np.delete(self.profile_codes, [number, *weights], axis=1)
            _, other = np.unique(others, axis=0, return_inverse=True)
            pairs = owners * (int(other.max(initial=0)) + 1) + other.reshape(-1)[self.profiles]
            _, example, owners_of = np.unique(pairs, return_index=True, return_inverse=True)
            block_of, owners = owners[example], owners_of
        offsets, values, counts = merge_entries(
            owners.astype(np.int32), codes[self.profiles], self.counts, len(block_of), n_values
        )
        sizes = np.add.reduceat(counts, offsets[:-1])
        return Histogram(self.sensitive[number], offsets, values, counts, sizes, reference), block_of

    def _reference(self, number: int) -> NDArray[np.int64]:
        """Return the records of each value of a sensitive column in the whole table.

        A search asks it of many groupings of the same table: it is counted once, and kept with the column.
        """
        column = self.sensitive[number]
        profiles, totals, known = column.read.get("reference", (None, None, None))
        if profiles is not self.profile_codes or totals is not self.totals:
            codes = self.profile_codes[:, number]
            known = np.bincount(codes, weights=self.totals, minlength=len(column.values)).astype(np.int64)
            column.read["reference"] = (self.profile_codes, self.totals, known)
        return known

    def number(self, column: str) -> int:
        """Return the place of a sensitive column among them."""
        names = [known.name for known in self.sensitive]
        if column not in names:
            listed = ", ".join(f"'{name}'" for name in names) or "none"
            raise SpecError(f"'{column}' is not a sensitive column. Sensitive columns are: {listed}.")
        return names.index(column)
