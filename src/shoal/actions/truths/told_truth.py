"""Told truth: columns that name persons tell who is in a release, and which of its records are whose."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audits.attacks.matches import Matches
from shoal.audits.attacks.profiles import ProfileCounts, classes_of, profiles_of
from shoal.audits.attacks.truth import Names, Own, own_by_name, own_by_table
from shoal.foundation.errors import SpecError
from shoal.jobs.given_table import check_single, names_of, single_records
from shoal.releases.release_view import ReleaseView
from shoal.tables.rows import Rows

_NAMED = "the names of all persons in it are compared"


@dataclass(frozen=True, eq=False)
class ToldTruth:
    """What columns that name persons tell of a release.

    Args:
        columns: The columns that name persons in a public table, and in the release or in the raw table.
        view: The release.
        raw: The table that it was made of; that of its job if left out.
    """

    columns: tuple[str, ...]
    view: ReleaseView
    raw: Any = None

    @property
    def _raw(self) -> Any:
        return self.raw if self.raw is not None else self.view.raw

    def members(self, persons: Rows) -> NDArray[np.bool_]:
        """Tell who of the public table is in the raw table, or, if that is not at hand, in the release."""
        named = [
            one
            for one, names in ((self._raw, None), (self.view.table, self.view.columns))
            if one is not None and set(self.columns) <= set(names_of(one) if names is None else names)
        ]
        if not named:
            raise SpecError(
                f"Neither the release nor its raw table has the truth columns ({', '.join(self.columns)}). Give "
                "the table that has them (--raw)."
            )
        table = Rows.each(single_records(named[0], list(self.columns), "The table that tells the truth", _NAMED))
        present = np.zeros(persons.frame.height, dtype=np.bool_)
        present[_names(persons, table, self.columns).pairs()[0]] = True
        return present

    def own(self, persons: Rows, matches: Matches) -> Own:
        """Tell whose records are whose, by the release itself if it names persons, else by the raw table."""
        view = self.view
        if self.raw is None and all(name in view.columns for name in self.columns):
            check_single(view.n_records, "The release", _NAMED)
            rows = view.rows([*view.quasi, *self.columns])
            return own_by_name(matches, classes_of(rows.frame, view.quasi), _names(persons, rows, self.columns))
        raw = self._raw
        if raw is None:
            raise SpecError(
                f"The release does not have all truth columns ({', '.join(self.columns)}), and its raw table is "
                "not available. Give that table (--raw)."
            )
        has = names_of(raw)
        unchanged = [name for name in view.unchanged if name in has]
        wanted = [*dict.fromkeys([*self.columns, *view.quasi, *unchanged])]
        table = Rows.each(single_records(raw, wanted, "The table that the release was made of", _NAMED))
        made = view.job is not None  # then a missing cell was missing; other tools may mean that they suppressed it
        known, _ = view.matches(table, raw, {name: name for name in view.quasi}, wildcard=not made)
        rows = view.rows([*view.quasi, *unchanged])
        told = [rows.frame, view.fitted(table.select(unchanged).frame) if unchanged else table.frame]
        (shown, profiles), n_profiles = profiles_of(told, unchanged)
        classes = classes_of(rows.frame, view.quasi)
        entries = ProfileCounts.of(classes, shown, rows.counts, view.observed.groups.n_classes, n_profiles)
        return own_by_table(matches, known, entries, profiles, _names(persons, table, self.columns))


def _names(persons: Rows, records: Rows, truth: Sequence[str]) -> Names:
    """Code the names of persons alike in both tables; where one is missing, it is nobody's."""
    tables = [persons.frame, records.frame]
    (people, others), _ = profiles_of(tables, truth)
    named = [~np.logical_or.reduce([table[name].is_null().to_numpy() for name in truth]) for table in tables]
    known = people[named[0]]
    if len(np.unique(known)) < len(known):
        raise SpecError(
            f"The truth columns ({', '.join(truth)}) name {len(known) - len(np.unique(known))} persons of the "
            "public table more than once. Name columns that distinguish all persons."
        )
    known_as = [np.where(there, codes, -1) for there, codes in zip(named, (people, others), strict=True)]
    return Names(known_as[0], known_as[1], records.counts)
