"""Truth: which records of a release are whose, as far as it can be known."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.audits.attacks.matches import Matches
from shoal.audits.attacks.profiles import ProfileCounts
from shoal.classes.tally import distinct_rows

Own = tuple[NDArray[np.int64], NDArray[np.bool_]]
"""For each person, how many of the matching records are the person's own, and whether the release has any."""


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """Who persons and records are, as codes that mean the same in both; a negative one is nobody."""

    persons: NDArray[np.int32]
    records: NDArray[np.int32]

    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return every person with every record of the same name."""
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
    """Tell whose records are whose where the release itself names the persons.

    Args:
        matches: Which classes match whom.
        classes: The class of each record of the release.
        names: The names of the public persons and of the records of the release.
    """
    persons, records = names.pairs()
    matched = matches.holds(matches.point_of[persons], classes[records])
    present = np.zeros(len(names.persons), dtype=np.bool_)
    present[persons] = True
    return np.bincount(persons[matched], minlength=len(present)), present


def own_by_table(
    matches: Matches, raw: Matches, entries: ProfileCounts, profiles: NDArray[np.int32], names: Names
) -> Own:
    """Tell whose records are whose by the raw table, which names the persons and knows all that was released of them.

    A raw record is in the release if some class covers its raw values and shows its other columns as they are. One
    that was suppressed while another with the same columns stayed in its class is taken for that one.

    Args:
        matches: Which classes match the public persons.
        raw: Which classes match the records of the raw table, in all quasi columns.
        entries: What the classes show in the columns that are published as they are.
        profiles: What each raw record has there.
        names: The names of the public persons and of the raw records.
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
    return np.bincount(persons[found[case_of]], minlength=len(present)), present
