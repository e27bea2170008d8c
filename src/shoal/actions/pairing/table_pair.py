"""Table pair: a release beside the table that it was made of, column by column."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from shoal.audits.utility.readings import Reading, RowCounts
from shoal.audits.utility.scales import Scale
from shoal.classes.sampling_weights import whole_weights
from shoal.foundation.errors import SpecError
from shoal.foundation.progress import Progress
from shoal.jobs.given_table import SINGLE, check_single, count_columns, names_of, read_columns
from shoal.jobs.missing_codes import MissingCodes
from shoal.releases.release_view import ReleaseView
from shoal.tables.formats.codebook import Codebook
from shoal.tables.formats.values import distinct_values
from shoal.tables.location import Location
from shoal.tables.rows import Rows
from shoal.tables.table import Role, totals

_DRAWN = 1_000_000  # records of a larger table that are drawn for models, before these draw their own


@dataclass(frozen=True, eq=False)
class TablePair:
    """A release and its raw table; of many records each different row is in memory once, with their number.

    Args:
        view: The release.
        raw: The raw table.
        least: How many raw records must hold a value for it to be named.
        sample: The most records of each table that a model is fitted on.
        single: Why all records are needed one by one; None if they are not.
        seed: For what is drawn.
        progress: Called with the step and the share of it that is done.
        weights: The column of sampling weights by which distributions are compared; both tables have it.
    """

    view: ReleaseView
    raw: Any
    least: int
    sample: int
    single: str | None
    seed: int
    progress: Progress
    weights: str | None = None

    def check(self) -> None:
        """Raise a SpecError if one of the tables has no records, or too many to be looked at one by one."""
        for table, what in ((self.released, "release"), (self.table, "raw table")):
            if table.n_records == 0:
                raise SpecError(f"The {what} has no records.")
            if self.weights is not None and self.weights not in self.names:
                raise SpecError(f"The raw table has no column '{self.weights}', which holds the sampling weights.")
            if self.single is not None:
                check_single(table.n_records, f"The {what}", self.single)

    @property
    def records(self) -> tuple[int, int]:
        """The number of raw and of released records."""
        return self.table.n_records, self.released.n_records

    @property
    def centres(self) -> bool:
        """Whether the release publishes the centres of clusters."""
        return self.view.job is not None and self.view.job.objective is not None

    @cached_property
    def names(self) -> list[str]:
        """The columns that both tables have."""
        there = names_of(self.raw)
        both = [name for name in self.view.columns if name in there]
        lacking = [name for name in self.view.quasi if name not in there]
        if lacking or not both:
            raise SpecError(
                f"The raw table lacks columns of the release: {', '.join(lacking or self.view.columns)}. Is it "
                "the table from which the release was made?"
            )
        return both

    def role(self, name: str) -> Role:
        """Return the role of a column."""
        if name in self.view.quasi:
            return Role.QUASI
        return Role.SENSITIVE if name in self.view.sensitive else Role.INSENSITIVE

    @cached_property
    def released(self) -> Rows:
        """The released columns that the raw table has too."""
        return self._rows(self.view.rows(self.names), self.view.table)

    @cached_property
    def _read(self) -> tuple[Rows, Codebook, MissingCodes]:
        """The raw columns as they are, what their file says of them, and what is declared as missing in them."""
        self.progress("reading the raw table")
        rows, job = self._rows(count_columns(self.raw, self.names), self.raw), self.view.job
        table = self.view.fitted(rows.frame)
        said = self.raw.codebook(table) if isinstance(self.raw, Location) else Codebook()
        declared = MissingCodes({}, {}) if job is None else MissingCodes.of(job, table, said).blank(job)
        return Rows(table, rows.counts), said, declared

    def _rows(self, rows: Rows, table: Any) -> Rows:
        """Return the records of a table one by one in their order, or, of many, each different row once."""
        most = _DRAWN if self.single is None else SINGLE
        return rows if rows.n_records > most else Rows.each(read_columns(table, self.names))

    @cached_property
    def table(self) -> Rows:
        """The raw columns; what is declared as missing is missing."""
        rows, _, declared = self._read
        return Rows(declared.settled(rows.frame), rows.counts)

    @cached_property
    def whole(self) -> pl.DataFrame:
        """The raw records with all columns that the job speaks of."""
        return self._read[2].settled(read_columns(self.raw, names_of(self.raw)))

    @cached_property
    def scales(self) -> list[Scale]:
        """The columns of both tables."""
        return self.compared(self.released)

    @cached_property
    def drawn(self) -> list[Scale]:
        """The columns, for the records that models see: of a large table those that were drawn."""
        tables, rng = (self.table, self.released), np.random.default_rng([self.seed, 2])
        if all(table.weights is None for table in tables):
            return [scale.unweighted() for scale in self.scales]
        raw, shown = (table.places(max(self.sample, _DRAWN), rng) for table in tables)
        return [scale.at(raw, shown) for scale in self.scales]

    @property
    def sampling(self) -> str:
        """Of how many records a sample was drawn, and by what, in words."""
        before, after = self.records
        return f"of {before} raw and {after} released ones, by the seed {self.seed}"

    def _weights(self, table: Rows) -> RowCounts:
        """Return the sum of the sampling weights of each row of both tables, in whole numbers of the same scale."""
        if self.weights is None:
            return None, None
        columns, counts = [one.column(self.weights) for one in (self.table, table)], (self.table.counts, table.counts)
        values = sorted({value for column in columns for value in column.values})
        place = {value: code for code, value in enumerate(values)}
        codes = [
            np.append([place[value] for value in column.values], len(values)).astype(np.int64)[column.codes]
            for column in columns
        ]
        held = sum(totals(own, each, len(values) + 1) for own, each in zip(codes, counts, strict=True))
        whole = whole_weights((*values, None), np.asarray(held), self.weights)
        return whole[codes[0]] * counts[0], whole[codes[1]] * counts[1]

    def compared(self, table: Rows) -> list[Scale]:
        """Read the columns of a release beside the raw ones."""
        scales, released, raw = [], self._read[2].settled(table.frame), self.table.frame
        weights = self._weights(table)
        for number, name in enumerate(self.names):
            self.progress("reading the cells of the release", number / len(self.names))
            generalized = name in self.view.quasi and not self.centres
            reading = Reading.of(
                raw[name],
                released[name],
                self.view.recipes.get(name) if generalized else None,
                self.view.folder,
                generalized=generalized,
                categories=self.view.categories(name, distinct_values(raw[name]), self._read[1]),
                counts=(self.table.weights, table.weights),
                weights=weights,
            )
            scales.append(Scale.of(reading, self.least, binned=self.centres))
        return scales
