"""Links: which records of a published table a column of pseudonyms tells to be of one person, and what that breaks.

k-anonymity hides a person among the records of a class. A pseudonym that stands in two classes tells that a person is
in both, and fewer persons may be in both than in either. And where it stands twice in a class, the class has fewer
persons than records. Neither is so where every pseudonym stands once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.rows import Rows
from shoal.tables.table import totals


@dataclass(frozen=True, slots=True)
class Links:
    """What a column of pseudonyms links.

    Args:
        column: The column.
        persons: The number of different pseudonyms.
        records: The most records that have one pseudonym.
        missing: The number of records without one.
        split: The number of persons with records in several classes.
        fewest: The fewest persons of a class.
    """

    column: str
    persons: int
    records: int
    missing: int
    split: int
    fewest: int

    @classmethod
    def of(cls, rows: Rows, quasi: Sequence[str], column: str) -> "Links":
        """Count the persons of a table and of its classes, which are the records with the same quasi cells."""
        cells, persons = [rows.column(name) for name in quasi], rows.column(column)
        n_rows, n_persons = len(rows.counts), len(persons.values)
        class_of, classes = distinct_rows([one.codes for one in cells], [len(one.values) + 1 for one in cells], n_rows)
        own = totals(persons.codes, rows.counts, n_persons + 1)
        there = persons.codes < n_persons
        _, met = distinct_rows([class_of[there], persons.codes[there]], [len(classes), n_persons], int(there.sum()))
        per_class = np.bincount(met[:, 0], minlength=len(classes))
        return cls(
            column=column,
            persons=n_persons,
            records=int(own[:-1].max(initial=0)),
            missing=int(own[-1]),
            split=int((np.bincount(met[:, 1], minlength=n_persons) > 1).sum()),
            fewest=int(per_class.min(initial=n_persons)),
        )

    def breaches(self, k: int, *, overlapping: bool) -> Iterator[str]:
        """Say why the pseudonyms may not leave, if they may not.

        Args:
            k: How many persons hide each other.
            overlapping: Whether classes overlap, or are more than their quasi cells tell.
        """
        if self.missing:
            yield f"{self.missing} records have none"
        if self.records <= 1:
            return
        if overlapping:
            yield (
                f"a person has {self.records} records, and classes overlap, as they do in clusters and with missing = "
                "'wildcard': there a person may have one record"
            )
        if self.split:
            yield (
                f"{self.split} of {self.persons} persons have records in several classes, and a pseudonym links them: "
                "whoever knows that a person is in both finds fewer than k"
            )
        if self.fewest < k:
            yield f"a class has {self.fewest} persons, whom their pseudonyms tell apart, and {k} are needed"


def link_breaches(found: Sequence[Links], k: int, *, overlapping: bool) -> list[str]:
    """Say why the pseudonyms of some columns may not leave; nothing if they may.

    Two columns in both of which a pseudonym stands twice would link records through each other.
    """
    wrong = [
        f"the pseudonyms of column '{one.column}' may not leave: {words}"
        for one in found
        for words in one.breaches(k, overlapping=overlapping)
    ]
    repeated = [f"'{one.column}'" for one in found if one.records > 1]
    if len(repeated) > 1:
        wrong.append(
            f"the pseudonyms of the columns {', '.join(repeated)} link records through each other: keep one of them"
        )
    return wrong
