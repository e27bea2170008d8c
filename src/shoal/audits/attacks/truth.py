"""Truth: which records of a release belong to which person, as far as this can be known."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.audits.attacks.matches import Matches
from shoal.audits.attacks.profiles import ProfileCounts
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.table import totals

Own = tuple[NDArray[np.int64], NDArray[np.bool_]]
"""For each person, the number of matching records that are the person's own, and whether the release has any."""


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """The identifiers of persons and of rows of records as common codes; a negative code is unknown.

    Args:
        persons: The identifier of each row of persons.
        records: That of each row of records.
        counts: The number of records of each of these.
    """

    persons: NDArray[np.int32]
    records: NDArray[np.int32]
    counts: NDArray[np.int64]

    def own(self, persons: NDArray[np.int64], records: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many records each person has, by pairs of a person and a row of records."""
        return totals(persons, self.counts[records], len(self.persons))

    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all pairs of a person and a row of records with the same identifier."""
        n_names = int(max(self.persons.max(initial=-1), self.records.max(initial=-1))) + 1
        named = np.flatnonzero(self.records >= 0)
        order = named[np.argsort(self.records[named], kind="stable")]
        counts = np.bincount(self.records[named], minlength=n_names)
        starts = np.cumsum(counts) - counts
        who = np.flatnonzero(self.persons >= 0)
        lengths = counts[self.persons[who]]
        persons = np.repeat(who, lengths)
        within = np.arange(len(persons)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return persons, order[starts[self.persons[persons]] + within]


def own_by_name(matches: Matches, classes: NDArray[np.int32], names: Names) -> Own:
    """Return whose records are whose, if the release itself identifies the persons.

    Args:
        matches: Which classes match whom.
        classes: The class of each row of the release.
        names: The identifiers of the public persons and of the rows of the release.
    """
    persons, records = names.pairs()
    matched = matches.holds(matches.point_of[persons], classes[records])
    present = np.zeros(len(names.persons), dtype=np.bool_)
    present[persons] = True
    return names.own(persons[matched], records[matched]), present


def own_by_table(
    matches: Matches, raw: Matches, entries: ProfileCounts, profiles: NDArray[np.int32], names: Names
) -> Own:
    """Return whose records are whose, by the raw table, which identifies the persons.

    A raw record is taken to be in the release if some class covers its quasi-identifiers and has a record with its
    values in the unchanged columns. So a suppressed record counts as released if another one with the same values is in
    the release.

    Args:
        matches: Which classes match the public persons.
        raw: Which classes match the records of the raw table, in all quasi columns.
        entries: The profiles of the classes, in the columns that are published unchanged.
        profiles: The profile of each raw row.
        names: The identifiers of the public persons and of the raw rows.
    """
    persons, records = names.pairs()
    codes = [raw.point_of[records], profiles[records], matches.point_of[persons]]
    sizes = [len(raw.points), entries.n_profiles, len(matches.points)]
    case_of, cases = distinct_rows(codes, sizes, len(records))
    there, found = np.zeros(len(cases), dtype=np.bool_), np.zeros(len(cases), dtype=np.bool_)
    start = 0
    for part in raw.lists(cases[:, 0]):
        case = start + np.repeat(np.arange(len(part.points)), np.diff(part.offsets))
        alike = entries.show(part.classes, cases[case, 1])
        case, classes = case[alike], part.classes[alike]
        there[case] = True
        found[case[matches.holds(cases[case, 2], classes)]] = True
        start += len(part.points)
    present = np.zeros(len(names.persons), dtype=np.bool_)
    present[persons[there[case_of]]] = True
    return names.own(persons[found[case_of]], records[found[case_of]]), present
