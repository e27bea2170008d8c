"""Persons: the records of a table by pseudonyms of the series, and what the state before knows of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.foundation.errors import SpecError
from shoal.foundation.progress import Progress
from shoal.foundation.wording import number_of
from shoal.jobs.given_table import read_columns
from shoal.jobs.job import Job
from shoal.jobs.keys.pseudonyms import PseudonymKey
from shoal.jobs.sections import PseudonymRequest
from shoal.jobs.series_request import SeriesRequest
from shoal.jobs.source import Source, read
from shoal.releases.series.state import SeriesState
from shoal.tables.distinct_rows import distinct_rows


@dataclass(frozen=True, slots=True, eq=False)
class SeriesPersons:
    """A table whose records are told apart by pseudonyms, which do not leave.

    Args:
        source: The table, without the pseudonyms.
        pseudonyms: The pseudonym of each record.
        key: The key of the series.
    """

    source: Source
    pseudonyms: pl.Series
    key: PseudonymKey

    @classmethod
    def of(cls, job: Job, asked: SeriesRequest, data: Any, progress: Progress) -> "SeriesPersons":
        """Read a table, in which everybody has one record.

        Raises:
            SpecError: A record tells nobody, or a person has several.
        """
        key = PseudonymKey.read(job.folder / asked.key)
        person = job.columns[asked.person]
        telling = person.model_copy(update={"pseudonym": PseudonymRequest(linked=asked.person)})
        reading = job.model_copy(update={"columns": {**job.columns, asked.person: telling}})
        source = read(reading.with_engine("local"), data, progress=progress, key=key)
        if source.table.linked:
            several = int((source.table.histogram(asked.person) > 1).sum())
            raise SpecError(
                f"{number_of(several, 'person')} of column '{asked.person}' have several records: a series needs "
                "one record for each person. Merge them into one, with a column for what there are several of, "
                "or release them separately."
            )
        column = source.table.columns[asked.person]
        columns = {name: one for name, one in source.table.columns.items() if name != asked.person}
        roles = {name: role for name, role in source.table.roles.items() if name != asked.person}
        table = replace(source.table, columns=columns, roles=roles, pseudonyms={})
        known = source.job.model_copy(update={"columns": {**source.job.columns, asked.person: person}})
        return cls(replace(source, table=table, job=known), column.texts(asked.person), key)

    @property
    def key_mark(self) -> str:
        """What tells the key from another one."""
        return self.key.pseudonym("key of a series", "")

    def check_key(self, before: SeriesState) -> None:
        """Raise a SpecError if the release before had another key: then everybody would be taken for a newcomer."""
        if before.number and before.key != self.key_mark:
            raise SpecError(
                "The key of the series is not that of the previous release, so that nobody would be recognized. "
                "Give that key; if it is lost, see docs/series.md."
            )

    def marks(self, columns: Sequence[str]) -> NDArray[np.object_]:
        """Return the mark of each record: equal values have equal ones, and without the key nobody knows which."""
        held = [self.source.table.columns[name] for name in columns]
        sizes = [len(one.values) + 1 for one in held]
        of_row, rows = distinct_rows([one.codes for one in held], sizes, self.source.table.n_records)
        known = [
            [self.key.pseudonym(f"value of {name}", repr(value)) for value in (*one.values, None)]
            for name, one in zip(columns, held, strict=True)
        ]
        texts = [",".join(known[j][code] for j, code in enumerate(row)) for row in rows.tolist()]
        return np.array(texts, dtype=object)[of_row]


def forgotten(asked: SeriesRequest, folder: Path, key: PseudonymKey) -> list[str]:
    """Return the pseudonyms of those who asked to be forgotten."""
    if asked.forget is None:
        return []
    names = read_columns(folder / asked.forget, [asked.person]).get_column(asked.person).drop_nulls().unique()
    return [key.pseudonym(asked.person, name) for name in names.cast(pl.String).to_list()]
