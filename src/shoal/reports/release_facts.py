"""The facts of a report: those that anybody may know, and those that only the steward of the table knows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.audits.attacks.isolation import Isolation
from shoal.audits.utility.losses import column_loss
from shoal.audits.utility.marginals import Marginal, marginal
from shoal.audits.utility.readings import Reading
from shoal.audits.utility.scales import Scale
from shoal.audits.utility.usefulness import Usefulness
from shoal.classes.observed import Observed
from shoal.foundation.errors import SpecError
from shoal.measures.measure import CellMeasure
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.formulas import FormulaColumn
from shoal.tables.hierarchies import Hierarchy, HierarchySpec
from shoal.tables.rows import Rows
from shoal.tables.table import Column, Role, Table, totals

APPLIED = "rules"  # the algorithm in the certificate of a release that was made by rules
_CELLS = 10_000  # from this many distinct cells of a column on, a sample of its records is compared
_SAMPLE = 10_000  # records of that sample


@dataclass(frozen=True, eq=False)
class ReleaseFacts:
    """The facts that a release and its certificate disclose.

    Args:
        certificate: The certificate; for the public, the public one.
        rows: The released records, each different one once.
        roles: The role of each of their columns.
        recipes: The hierarchies of the quasi columns.
        k: The promised least class size.
        asked: The request, as pairs of names and words.
        starred: Whether suppressed records are released as stars.
        whole: Whether a row for each record is released; else only the clusters.
        hierarchies: The hierarchies of sensitive columns over the released values.
        persons: The person of each row, if k counts persons; it is not a column of `rows`.
        isolation: Whom the release singles out in the raw table, if that was measured. Only counts of it are told.
        useful: Whether it is of use, by what the reader of the report may know; None if that was not looked at.
        measured: What the measure of the loss counts, in half a line.
        formulas: The columns with formulas, if a spreadsheet program may read the file.
        quoted: Whether these are quoted in the file.
        masks: The masks of quasi columns that are what is kept of an identifier.
        head: Data set, owner and date, which anybody may read; None where that is open.
    """

    certificate: Mapping[str, Any]
    rows: Rows
    roles: Mapping[str, Role]
    recipes: Mapping[str, HierarchySpec]
    k: int
    asked: tuple[tuple[str, str], ...]
    starred: bool = False
    whole: bool = True
    hierarchies: Mapping[str, Hierarchy] | None = None
    persons: pl.Series | None = None
    isolation: Isolation | None = None
    useful: Usefulness | None = None
    measured: str = ""
    formulas: tuple[FormulaColumn, ...] = ()
    quoted: bool = False
    masks: Mapping[str, str] = field(default_factory=dict)
    head: tuple[tuple[str, str | None], ...] = ()

    @property
    def pseudonyms(self) -> Mapping[str, Any]:
        """The columns of pseudonyms, with what the certificate tells of them."""
        return dict(self.certificate.get("pseudonyms", {}))

    @property
    def numbered(self) -> str | None:
        """The column that leaves as numbers which tell the persons of a class apart, if one does."""
        return None if self.persons is None or self.persons.name in self.pseudonyms else self.persons.name

    def names(self, role: Role) -> tuple[str, ...]:
        """Return the released columns of a role."""
        return tuple(name for name, own in self.roles.items() if own is role)

    def column(self, name: str) -> Column:
        """Return a released column as codes."""
        return self.rows.column(name)

    def counted(self, name: str) -> NDArray[np.int64]:
        """Return the number of records of each value of a released column, the missing one last."""
        column = self.column(name)
        return totals(column.codes, self.rows.counts, len(column.values) + 1)

    @property
    def wildcard(self) -> bool:
        """Whether the promises hold by the reading in which a missing value matches every value."""
        return bool(self.certificate["missing"]["reading"] == "wildcard")

    @property
    def applied(self) -> bool:
        """Whether it was made by the rules of another release, without a search."""
        return bool(self.certificate["algorithm"]["name"] == APPLIED)

    @property
    def centres(self) -> bool:
        """Whether classes are published as the centres of clusters."""
        return "clusters" in self.certificate

    @cached_property
    def observed(self) -> Observed:
        """The classes of the release."""
        return Observed.of_rows(self.rows, self.names(Role.QUASI), self.names(Role.SENSITIVE), self.hierarchies)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of records or persons of each class."""
        columns = [self.column(name) for name in self.names(Role.QUASI)]
        return _sizes(columns, None if self.persons is None else Column.of(self.persons), self.rows.counts)

    @property
    def unit(self) -> str:
        """The unit that k counts: records or persons."""
        return "records" if self.persons is None else "persons"

    @cached_property
    def classes(self) -> Mapping[str, Any]:
        """The number of classes, and their sizes in records or persons."""
        if self.persons is None or not len(self.sizes):
            return dict(self.certificate["classes"])
        least, most, average = int(self.sizes.min()), int(self.sizes.max()), float(self.sizes.mean())
        return {"count": len(self.sizes), "smallest": least, "largest": most, "average": average}


@dataclass(frozen=True, eq=False)
class StewardFacts:
    """The facts that only the steward knows.

    Args:
        raw: The raw table, as codes.
        points: The same for counting records: the quasi columns, and who is counted if these are persons.
        identifiers: The columns that name somebody, which are never released.
        reasons: The reason for the role of each column, from the job.
        folder: The folder of the hierarchies' files.
        measure: The measure of the loss, if it prices cells.
        hierarchies: The hierarchies of the quasi columns over the raw table.
        job: The job file.
        again: The command that reproduces the release, from its folder.
        sources: The files that were read, by name, with their digests.
        declared: The missing codes of each column, whether or not the release keeps them distinct.
        nominal: The columns whose values are categories, even if they are written in digits.
        picture: Draws the clusters, if the release has some.
        omitted: The columns that nobody needs, which are never released either.
        households: The column that tells who lives together, which is never released either.
        context: The questions on the context with their answers; None where one is open.
    """

    raw: Table
    points: Table
    identifiers: tuple[str, ...]
    reasons: Mapping[str, str]
    folder: Path
    measure: CellMeasure | None
    hierarchies: Mapping[str, Hierarchy]
    job: str
    again: str
    sources: tuple[tuple[str, str], ...]
    declared: Mapping[str, frozenset[str]]
    nominal: frozenset[str] = frozenset()
    picture: Callable[[], str] | None = None
    omitted: tuple[str, ...] = ()
    households: tuple[str, ...] = ()
    context: tuple[tuple[str, str | None], ...] = ()

    def sizes(self, release: ReleaseFacts) -> NDArray[np.int64]:
        """Return the number of records or persons of each class of the raw table."""
        columns = self.points.columns
        persons = None if release.persons is None else columns[release.persons.name]
        return _sizes([columns[name] for name in release.names(Role.QUASI)], persons, self.points.counts)

    def marginals(self, release: ReleaseFacts) -> tuple[list[Marginal], dict[str, str]]:
        """Compare each released column with the raw one; return notes on some of them too."""
        found, notes = [], {}
        for name in release.roles:
            try:
                made, step = self._marginal(release, name)
                found.append(made)
            except SpecError as error:  # values outside the hierarchy, which rules allow
                notes[name] = f"cannot be compared: {error}"
                continue
            if step > 1:
                notes[name] = (
                    f"has {made.distinct[1]:,} different cells, so one record in {step} stands for all of them here; "
                    "shoal utility compares all"
                )
        return found, notes

    def _marginal(self, release: ReleaseFacts, name: str) -> tuple[Marginal, int]:
        """Compare a column, with missing codes as missing; return also how many records each sampled one stands for."""
        role = release.roles[name]
        generalized = role is Role.QUASI and not release.centres
        gone = sorted(self.declared.get(name, frozenset()))
        before = Rows.of_column(self.raw.columns[name], name, self.raw.counts)
        after = release.rows.histogram(name)
        recipe = release.recipes.get(name) if generalized else None
        n_cells = after.frame.height
        step = -(-after.n_records // _SAMPLE) if generalized and n_cells > _CELLS else 1
        after = after.every(step) if step > 1 else after
        reading = Reading.of(
            _without(before.frame.get_column(name), gone),
            _without(after.frame.get_column(name), gone),
            recipe,
            self.folder,
            generalized=generalized,
            categories=name in self.nominal,
            counts=(before.counts, after.counts),
        )
        reading = replace(reading, after=reading.after * step) if step > 1 else reading
        measure = self.measure if generalized else None
        built = None if gone else self.hierarchies.get(name)
        loss = None if measure is None else column_loss(reading, measure, self.folder, built)
        made = marginal(Scale.of(reading, release.k, binned=release.centres), role, loss, release.k)
        return (replace(made, distinct=(made.distinct[0], n_cells)) if step > 1 else made), step


def _sizes(columns: list[Column], persons: Column | None, counts: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Return the number of records, or persons, of each distinct row."""
    lengths = [len(column.values) + 1 for column in columns]
    labels, cells = distinct_rows([column.codes for column in columns], lengths, len(columns[0].codes))
    if persons is not None:
        _, met = distinct_rows([labels, persons.codes], [len(cells), len(persons.values) + 1], len(labels))
        return totals(met[:, 0], None, len(cells))
    return totals(labels, counts, len(cells))


def _without(column: pl.Series, gone: list[str]) -> pl.Series:
    """Return a column with some values replaced by missing ones."""
    if not gone:
        return column
    texts = column.alias("").cast(pl.String)  # its own name may be a pattern to polars
    return texts.replace(gone, [None] * len(gone)).alias(column.name)
