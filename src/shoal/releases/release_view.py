"""Release view: a release as an attacker holds it, be it one of shoal or any table with the roles of its columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.audits.attacks.isolation import Isolation
from shoal.audits.attacks.matches import Matches
from shoal.audits.attacks.raw_isolation import raw_isolation
from shoal.audits.attacks.series.histories import ClassSets
from shoal.audits.attacks.series.placing import placed
from shoal.audits.categories import are_categories
from shoal.audits.covers import Cover, cover_of
from shoal.audits.end_cells import near_ends
from shoal.audits.printed import Printed
from shoal.certificate import CERTIFICATE, unsealed
from shoal.classes.observed import Observed
from shoal.foundation.budgets import read_bytes
from shoal.foundation.errors import SpecError
from shoal.jobs.delivery import Delivery
from shoal.jobs.given_table import count_columns, frame_or_location, names_of
from shoal.jobs.job import JOB_FILE, Job
from shoal.jobs.missing_codes import MissingCodes
from shoal.jobs.release_folder import ReleaseFolder, is_release_folder
from shoal.jobs.source import Source
from shoal.releases.release import Release
from shoal.releases.series.state import SeriesState
from shoal.tables.formats.codebook import Codebook, Entry
from shoal.tables.formats.format import columns_to_load
from shoal.tables.formats.values import distinct_values
from shoal.tables.hierarchies import Hierarchy, HierarchySpec
from shoal.tables.location import FileLocation, Location
from shoal.tables.rows import Rows
from shoal.tables.table import Column, Role, Table

Joined = Mapping[str, str]  # a column of the release, and what the public table calls it


@dataclass(frozen=True, eq=False)
class ReleaseView:
    """A release as an attacker holds it.

    Args:
        table: Its records, wherever they are: a location, a frame, `Published` or `Rows`.
        columns: Its columns, but numbers of persons, which are no values.
        quasi: Its quasi columns.
        sensitive: Its sensitive columns.
        recipes: The hierarchies of its columns, as far as they are known.
        job: The request that it was made by, if it is a release of shoal.
        codebook: What its columns and values are called, if the release was made in this process; else its file is
            asked.
        known_raw: The raw table, likewise.
        source: That table with the job, likewise.
        applied: Whether it was made by the rules of another release.
        known_state: The state of its series, if it was made in this process.
        private: What its steward keeps, if it is one of a series and that is at hand.
    """

    table: Any
    columns: tuple[str, ...]
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    recipes: Mapping[str, HierarchySpec]
    job: Job | None = None
    codebook: Codebook = field(default_factory=Codebook)
    known_raw: Table | None = None
    source: Source | None = None
    applied: bool = False
    known_state: SeriesState | None = None
    private: Path | None = None

    @classmethod
    def of(
        cls,
        release: Any,
        roles: "ReleaseView | None" = None,
        delimiter: str | None = None,
    ) -> "ReleaseView":
        """Take a release of shoal, in memory or as a folder, or any table with the roles of its columns."""
        if isinstance(release, Release):
            run = release.run
            made = cls._made(release.records, release.job)
            return replace(
                made,
                codebook=run.codebook,
                known_raw=run.raw,
                source=run.source,
                applied=run.applied is not None,
                known_state=None if run.series is None else run.series.state,
            )
        if made_here(release) or (roles is None and isinstance(release, str | Path) and Path(release).is_dir()):
            where, job = ReleaseFolder.of(Path(release)), job_of(release)
            if job is None:
                raise SpecError(
                    f"'{release}' is not a release: it has no {JOB_FILE}. Give the table itself, with --quasi."
                )
            return replace(
                cls._made(Delivery(job, where.public).records(), job),
                applied=is_applied(release),
                private=where.private if where.whole and job.series is not None else None,
            )
        location = frame_or_location(release, delimiter)
        if isinstance(location, FileLocation) and not location.path.exists():
            raise SpecError(f"There is no release '{release}': give the folder of a release, or the file of a table.")
        if roles is None or not roles.quasi:
            raise SpecError("No quasi column is named: name the columns that an attacker may know.")
        names = names_of(location)
        columns_to_load(names, (*roles.quasi, *roles.sensitive), "the release")
        return replace(roles, table=location, columns=tuple(names))

    @classmethod
    def _made(cls, table: Any, job: Job) -> "ReleaseView":
        recipes = {name: column.hierarchy for name, column in job.columns.items() if column.hierarchy is not None}
        told = tuple(name for name in names_of(table) if not job.columns[name].names_persons)
        return cls(
            table=table,
            columns=told,
            quasi=tuple(name for name in told if job.columns[name].role is Role.QUASI),
            sensitive=job.names(Role.SENSITIVE),
            recipes=recipes,
            job=job,
        )

    def rows(self, names: Sequence[str] | None = None) -> Rows:
        """Count its records by some columns; by the quasi and sensitive ones if left out. Nothing is counted twice."""
        wanted = tuple(dict.fromkeys((*self.quasi, *self.sensitive) if names is None else names))
        for known, rows in self._counted.items():
            if set(wanted) <= set(known):
                return rows if wanted == known else Rows.of(rows.frame, wanted, rows.counts)
        found = count_columns(self.table, wanted) if wanted else Rows.each(pl.DataFrame())
        self._counted[wanted] = found
        return found

    @cached_property
    def _counted(self) -> dict[tuple[str, ...], Rows]:
        return {}

    @property
    def n_records(self) -> int:
        """The number of its records."""
        return self.observed.groups.n_records

    @property
    def folder(self) -> Path:
        """Where the files of hierarchies are found."""
        return Path() if self.job is None else self.job.folder

    def fitted(self, table: pl.DataFrame) -> pl.DataFrame:
        """Return another table with its texts as the format of the release keeps them."""
        return table if self.job is None else Delivery(self.job, self.folder).kept_texts(table)

    @cached_property
    def raw(self) -> Location | Rows | None:
        """The table that it was made of, if that is at hand: where its job says, or as it was read from memory."""
        if self.job is not None and self.job.location.there():
            return self.job.location
        known = self.known_raw
        if known is None:
            return None
        frame = pl.DataFrame([column.texts(name) for name, column in known.columns.items()])
        return Rows.each(frame) if known.counts is None else Rows(frame, known.counts)

    @property
    def state(self) -> SeriesState | None:
        """The state of its series, if that is at hand."""
        return self.known_state if self.private is None else SeriesState.read(self.private)

    @cached_property
    def observed(self) -> Observed:
        """Its classes, with the hierarchies of sensitive columns whose files are at hand."""
        return Observed.of_rows(self.rows(), self.quasi, self.sensitive, self.hierarchies[0])

    @cached_property
    def hierarchies(self) -> tuple[dict[str, Hierarchy], dict[str, str]]:
        """The hierarchies of the sensitive columns, and why there is none where one was named."""
        built, reasons = {}, {}
        for name in self.sensitive:
            if name in self.recipes:
                values = self.rows().column(name).values
                try:
                    hierarchy = self.recipes[name].build(values, name, self.folder)
                    hierarchy.encode(values, name)
                    built[name] = hierarchy
                except SpecError as error:
                    reasons[name] = str(error)
        return built, reasons

    def categories(self, name: str, values: Sequence[str], said: Codebook) -> bool:
        """Tell whether values of a column are names, be they written in digits, by what the raw table's file says.

        What the release itself says is asked where that says nothing.
        """
        entry = said[name] if said[name].values else self._entry(name)
        return are_categories(values, entry, self.recipes.get(name), name, self.folder)

    def _entry(self, name: str) -> Entry:
        """Return what the release says of a column."""
        if isinstance(self.table, Location):
            return self.table.codebook(self.rows([name]).frame)[name]
        return self.codebook[name]

    @cached_property
    def nominal(self) -> frozenset[str]:
        """The sensitive columns whose values are names."""
        told = self.rows().select(self.sensitive).frame
        said = self.raw.codebook(told) if isinstance(self.raw, Location) and self.sensitive else Codebook()
        return frozenset(name for name in told.columns if self.categories(name, distinct_values(told[name]), said))

    @property
    def unchanged(self) -> tuple[str, ...]:
        """The columns that are published as they are."""
        return tuple(name for name in self.columns if name not in self.quasi)

    @property
    def k(self) -> int:
        """The k that it promises, or else reaches."""
        if self.job is not None:
            return max(promise.least_size for promise in self.job.require)
        return int(self.observed.groups.sizes.min(initial=self.n_records))

    @property
    def clusters(self) -> bool:
        """Whether it publishes the centres of clusters instead of cells."""
        return self.job is not None and self.job.objective is not None

    def matches(
        self,
        table: Rows,
        data: Any,
        joined: Joined,
        *,
        wildcard: bool,
        classes: NDArray[np.int64] | None = None,
    ) -> tuple[Matches, dict[str, int]]:
        """Match persons and classes; also tell how many cells of each column cover nobody.

        Args:
            table: The persons.
            data: The frame or location that they were read from.
            joined: The columns to join on.
            wildcard: Whether a missing value may be any value.
            classes: The classes to match; all if left out.
        """
        columns, covers, cells = self._covered(table, data, joined, wildcard=wildcard)
        chosen = slice(None) if classes is None else classes
        held = np.ascontiguousarray(cells[chosen])
        found = Matches.of(held, self.observed.groups.sizes[chosen], covers, columns, table.counts)
        return found, {name: cover.idle for name, cover in zip(joined, covers, strict=True)}

    def placed(self, table: Rows, data: Any, joined: Joined, *, wildcard: bool) -> tuple[ClassSets, NDArray[np.int32]]:
        """Return sets of classes, and the set that may hold each person; -1 if no class does. See `matches`."""
        columns, covers, cells = self._covered(table, data, joined, wildcard=wildcard)
        return placed(cells, self.observed.groups.sizes, covers, columns)

    def _covered(
        self, table: Rows, data: Any, joined: Joined, *, wildcard: bool
    ) -> tuple[list[Column], list[Cover], NDArray[np.int32]]:
        """Return the columns of persons to join on, what the cells cover of their values, and the cells of classes."""
        if self.clusters:
            raise SpecError(
                "The release publishes the centres of clusters. Centres do not cover the values of persons: a "
                "person may be in any cluster within whose radius they are. Joining by cells would find too few "
                "matches; leave out the attacks 'linkage' and 'composition'."
            )
        known = self._settled(table, data, joined)
        columns = [Column.of(known[name]) for name in joined]
        numbers = [self.quasi.index(name) for name in joined]
        covers = [
            cover_of(
                self.observed.published[j],
                column.values,
                self.quasi[j],
                self.recipes.get(self.quasi[j]),
                self.folder,
                wildcard=wildcard,
            )
            for j, column in zip(numbers, columns, strict=True)
        ]
        return columns, covers, np.ascontiguousarray(self.observed.cells[:, numbers])

    def printed(self, table: Rows, data: Any, joined: Joined, *, near: bool = False) -> list[Printed]:
        """Return what the cells of the joined columns print, as codes of the other table's values.

        Args:
            table: As for `matches`.
            data: As for `matches`.
            joined: As for `matches`.
            near: Whether an end of a range stands for all values in the cell of its grid.
        """
        known = self._settled(table, data, joined)
        read = near_ends if near else Printed.of
        return [
            read(
                self.observed.published[self.quasi.index(name)],
                Column.of(known[name]).values,
                name,
                self.recipes.get(name),
                self.folder,
            )
            for name in joined
        ]

    def isolation(self, counted: Rows | None = None) -> Isolation | None:
        """Measure whom a release of shoal singles out in the raw table, which is at hand; None if it takes too long.

        Args:
            counted: The raw table by its quasi columns and perhaps others, if it is counted already.
        """
        entity = () if self.job is None else self.job.names(Role.ENTITY)
        known = counted is not None and set(entity) <= set(counted.frame.columns)
        table = count_columns(counted if known else self.raw, [*self.quasi, *entity])
        settled = self._settled(table, self.raw, {name: name for name in self.quasi})
        columns = {name: Column.of(settled[name]) for name in self.quasi}
        persons = table.column(entity[0]).codes if entity else None
        observed = Observed.of_rows(self.rows(self.quasi), self.quasi)
        return raw_isolation(observed, self.quasi, columns, self.recipes, self.folder, persons, table.counts)

    def _settled(self, table: Rows, data: Any, joined: Joined) -> pl.DataFrame:
        """Return the columns to join on by their names here, with what is declared as missing as the job takes it."""
        found = self.fitted(pl.DataFrame([table.frame[theirs].alias(name) for name, theirs in joined.items()]))
        if self.job is None or not isinstance(data, Location):
            return found
        said = data.codebook(table.frame)
        codebook = Codebook({name: said[theirs] for name, theirs in joined.items()})
        return MissingCodes.of(self.job, found, codebook).settled(found)


def job_of(release: Any) -> Job | None:
    """Return the job of a release of shoal, in memory or as a folder, if it is one."""
    if isinstance(release, Release):
        return release.job
    path = _kept(release, JOB_FILE) if made_here(release) else None
    return None if path is None else Job.read(path)


def is_applied(release: Any) -> bool:
    """Tell whether a release of shoal was made by the rules of another, so that its job does not make it again."""
    if isinstance(release, Release):
        return release.run.applied is not None
    path = _kept(release, CERTIFICATE)
    return path is not None and "rules" in unsealed(read_bytes(path))


def _kept(release: Any, name: str) -> Path | None:
    """Return a file of the steward in the folder of a release, if it is there."""
    path = ReleaseFolder.of(Path(release)).private / name
    return path if path.is_file() else None


def made_here(release: Any) -> bool:
    """Tell whether this is a release of shoal, in memory or as a folder, which knows the roles of its columns."""
    if isinstance(release, Release):
        return True
    return isinstance(release, str | Path) and is_release_folder(Path(release))
