"""Proposal: a job for a table that nobody has described yet, with the reason of every choice."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from shoal.actions.hierarchy import read_groups
from shoal.actions.suggestions.blanks import Blanks
from shoal.actions.suggestions.job_text import job_text
from shoal.actions.suggestions.kinds import value_kind_of
from shoal.actions.suggestions.ladders import Ladder, ladder_of
from shoal.actions.suggestions.oddities import told_of_names, told_of_numbers
from shoal.actions.suggestions.paths import file_names
from shoal.actions.suggestions.profile import Profile, read_described
from shoal.actions.suggestions.promises import (
    Diversity,
    FittingSpread,
    beyond_persons,
    fitting_diversity,
    fitting_spread,
    most_classes,
    told_of_records,
)
from shoal.actions.suggestions.relations import Relations, relations_of
from shoal.actions.suggestions.roles import Suggestion, kind_by_name, suggest
from shoal.actions.suggestions.signs import sign_of
from shoal.actions.suggestions.whole_table import may_be_persons, settled, told_of_relations
from shoal.audits.risk.singling_out import shares_of_columns
from shoal.foundation.atomic_write import check_folder, write_folder
from shoal.foundation.errors import SpecError
from shoal.foundation.given import checked
from shoal.foundation.progress import Progress, silent
from shoal.foundation.shelf import did_you_mean
from shoal.foundation.wording import number_of
from shoal.jobs.given_table import frame_or_location
from shoal.jobs.job import JOB_FILE, Job
from shoal.tables.folder import FolderLocation
from shoal.tables.formats import format_of
from shoal.tables.hierarchies import Levels
from shoal.tables.hierarchies.numeric import decimal_text
from shoal.tables.hierarchies.rows import Rows, by_groups, rows_text
from shoal.tables.location import FileLocation, Location, TableLocation
from shoal.tables.store_location import StoreLocation
from shoal.tables.table import Role, without_values

FOLDER = "hierarchies"

_WORK = 100_000_000  # cells that are looked at to find which columns single people out
_MOST = 10_000  # different values above which a recipe is better than a file


@dataclass(frozen=True, eq=False)
class Proposal:
    """A job that could release a table: roles, hierarchies, promises, each with its reason.

    Args:
        columns: The role of each column, in the order of the table.
        location: Where the table is; None if it was given as a frame.
        k: The least size of a class.
        diversity: By sensitive column, the number of different values that each class must show, if a person gave one.
        groups: Groups of values given by a person, by column.
        blanks: The texts that stand for a missing value.
        context: Answers to questions about the context of the release, as keys of a job's table `context`.
        progress: Called with the current step.
        relations: Columns that are copies of others, or determined by them.
    """

    columns: tuple[Suggestion, ...]
    location: Location | None = None
    k: int = 5
    diversity: Mapping[str, int] = field(default_factory=dict)
    groups: Mapping[str, Rows] = field(default_factory=dict)
    blanks: Blanks = field(default_factory=Blanks)
    context: Mapping[str, str] = field(default_factory=dict)
    progress: Progress = silent
    relations: Relations = field(default_factory=Relations)

    @property
    def n_records(self) -> int:
        """The number of records."""
        return self.columns[0].profile.n_records

    def of_role(self, role: Role) -> list[Suggestion]:
        """Return the columns of one role."""
        return [column for column in self.columns if column.role is role]

    @property
    def undecided(self) -> list[Suggestion]:
        """The columns that no rule knows, and no person has confirmed."""
        return [column for column in self.columns if not column.decided and not column.by_person]

    def changed(
        self,
        roles: Mapping[str, str] | None = None,
        k: int | None = None,
        diversity: Mapping[str, int] | None = None,
    ) -> "Proposal":
        """Return the proposal with what a person chose.

        Args:
            roles: The role of some columns.
            k: The least size of a class.
            diversity: The number of different values that a class must show, by sensitive column; 1 asks nothing.
        """
        names = [column.name for column in self.columns]
        for name in (*(roles or {}), *(diversity or {})):
            if name not in names:
                raise SpecError(f"No column '{name}' in the table. {did_you_mean(name, names)}")
        given = {name: _role(role) for name, role in (roles or {}).items()}
        columns = tuple(c.given(given[c.name]) if c.name in given else c for c in self.columns)
        least = self.k if k is None else k
        if least < 1:
            raise SpecError(f"k is {least}: the smallest size of a class is at least 1.")
        return replace(self, columns=columns, k=least, diversity={**self.diversity, **(diversity or {})})

    @cached_property
    def diversities(self) -> dict[str, Diversity]:
        """The diversity of each sensitive column: as given, or as it fits the values; see `spreads` for numbers."""
        found = {}
        for column in self.of_role(Role.SENSITIVE):
            if column.name in self.spreads:
                continue
            counts = column.profile.counts[:-1]
            wished = self.diversity.get(column.name)
            found[column.name] = (
                fitting_diversity(counts, self.k) if wished is None else Diversity(wished, most_classes(counts, wished))
            )
        return found

    @cached_property
    def spreads(self) -> dict[str, FittingSpread]:
        """The range that each class must show of sensitive columns of many numbers; none if a diversity was given."""
        fitting = {
            column.name: fitting_spread(column.profile.values, column.profile.counts[:-1], column.profile.decimal)
            for column in self.of_role(Role.SENSITIVE)
            if column.name not in self.diversity
        }
        return {name: one for name, one in fitting.items() if one is not None}

    @cached_property
    def by_record(self) -> frozenset[str]:
        """The sensitive columns whose promise all persons together break, so that it counts records."""
        whose = next(iter(self.of_role(Role.ENTITY)), None)
        if whose is None:
            return frozenset()
        of = {column.name: column.profile.column for column in self.columns}
        l_of = {name: one.l for name, one in self.diversities.items()}
        return beyond_persons(self.spreads, l_of, of, whose.name)

    @cached_property
    def ladders(self) -> dict[str, Ladder]:
        """The levels of each quasi column."""
        return {column.name: self._ladder(column.profile) for column in self.of_role(Role.QUASI)}

    def _ladder(self, profile: Profile) -> Ladder:
        self.progress("making the hierarchies")
        if profile.name not in self.groups:
            return ladder_of(profile.by_value, kind_by_name(profile), _MOST)
        rows = by_groups(profile.values, self.groups[profile.name], f"groups of column '{profile.name}'")
        return Ladder(rows, None, "the groups that were given", "sets")

    @cached_property
    def telling(self) -> dict[str, Any]:
        """Which quasi columns single people out, alone and in pairs; see `shoal.singling_out`."""
        quasi = self.of_role(Role.QUASI)
        names = [column.name for column in quasi]
        return shares_of_columns([column.profile.column for column in quasi], names, _WORK, self.progress)

    @cached_property
    def files(self) -> dict[str, str]:
        """The name of the levels file of each quasi column that has one."""
        names = [name for name, ladder in self.ladders.items() if ladder.rows is not None]
        return {name: f"{FOLDER}/{file}" for name, file in file_names(names).items()}

    def toml(self, folder: str | Path = ".") -> str:
        """Return the commented job file, as it stands in a folder."""
        return job_text(self, self._input(Path(folder)))

    def _input(self, folder: Path) -> dict[str, str]:
        """Return where the table is, as keys of a job file that stands in a folder."""
        location = self.location
        if isinstance(location, TableLocation):
            return {"url": location.database.moved(folder), "table": location.table}
        if isinstance(location, StoreLocation):
            return {"url": location.url}
        if not isinstance(location, FileLocation | FolderLocation):
            return {"path": "table.csv"}
        path = Path(os.path.relpath(location.path.resolve(), folder.resolve())).as_posix()
        sheet = location.sheet if isinstance(location, FileLocation) else None
        given = {"path": path, "sheet": sheet, "delimiter": location.given}
        return {key: value for key, value in given.items() if value is not None}

    @property
    def _files(self) -> list[Path]:
        """The file that the table is in, which a frame or a table on a server has not."""
        if isinstance(self.location, TableLocation):
            return [file] if (file := self.location.database.file) is not None else []
        if isinstance(self.location, FolderLocation):
            return self.location.files
        return [self.location.path] if isinstance(self.location, FileLocation) else []

    @property
    def format(self) -> str:
        """The format of the release: that of the table, so that labels stay, or else CSV."""
        own = format_of(self._files[0]) if isinstance(self.location, FileLocation | FolderLocation) else None
        return own.name if own is not None and own.writes else "csv"

    @checked
    def write(self, folder: str | Path, *, force: bool = False) -> Path:
        """Write `job.toml` and the hierarchies into a new folder: all of it or nothing. Return the job's path.

        The files are read back before they get their place, and every value must be in its hierarchy. Of a frame, the
        job says that the table is `table.csv` beside it: save it there, or change the path.

        Args:
            folder: The folder to make.
            force: Whether an existing folder may be replaced.
        """
        target = Path(folder)
        check_folder(target, self._files, force=force)
        write_folder(target, lambda draft: self.fill(draft, target), force=force)
        return target / JOB_FILE

    def fill(self, draft: Path, target: Path) -> None:
        """Put `job.toml` and the hierarchies into a folder, as they are to stand in another, and read them back."""
        text, tables = self.toml(target), {name: self.ladders[name].rows or [] for name in self.files}
        if tables:
            (draft / FOLDER).mkdir()
        for name, rows in tables.items():
            (draft / self.files[name]).write_bytes(_bytes(rows_text(rows)))
        (draft / JOB_FILE).write_bytes(text.encode())
        self._read_back(draft)

    def _read_back(self, folder: Path) -> None:
        """Raise a SpecError unless the job is one, and its files hold every value."""
        self.progress("reading the job back")
        Job.read(folder / JOB_FILE)
        for name, file in self.files.items():
            profile = next(column.profile for column in self.columns if column.name == name)
            Levels(path=file).build([], name, folder).encode(profile.values, name)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON."""
        return {
            "records": self.n_records,
            "columns": [self._column(column) for column in self.columns],
            "undecided": [column.name for column in self.undecided],
            "k": self.k,
            "diversity": {name: one.l for name, one in self.diversities.items()},
            "spread": {name: {"k": one.k, "e": decimal_text(one.e)} for name, one in self.spreads.items()},
            "singling_out": self.telling,
            "missing_values": list(self.blanks.words),
            "relations": self.relations.as_dict(),
            "warnings": self.warnings,
        }

    def _column(self, column: Suggestion) -> dict[str, Any]:
        ladder = self.ladders.get(column.name)
        if ladder is None:
            return column.as_dict()
        steps = None if ladder.rows is None else len(ladder.rows[0]) - 1
        levels = {"file": self.files.get(column.name), "levels": steps, "words": ladder.words}
        return column.as_dict() | {"hierarchy": levels}

    @cached_property
    def warnings(self) -> list[str]:
        """What a person should know before the job is run."""
        found = told_of_names([column.name for column in self.columns])
        found += [words for column in self.columns for words in told_of_numbers(column.profile)]
        if 3 * sum(map(_is_data, self.columns)) >= len(self.columns):
            found.append("Names of columns look like data: does the table start with the names of its columns?")
        if self.n_records < self.k:
            found.append(
                f"The table has fewer than k = {self.k} records ({self.n_records}), so there is no such release. "
                "More records are needed, or a smaller k."
            )
        if self.blanks.words:
            cells = number_of(self.blanks.cells, "cell", "hold")
            found.append(
                f"{cells} {' or '.join(self.blanks.words)}, which is taken as missing; if one of these is a value, "
                "name the others (shoal init --missing-values)."
            )
        for name, words in self.blanks.doubtful.items():
            found.append(
                f"Does {' or '.join(words)} in '{name}' mean that the value is missing? Then say so: "
                f"shoal init --missing-values {','.join((*self.blanks.words, *words))}."
            )
        if not self.of_role(Role.ENTITY):
            found += [_shared(column) for column in self.of_role(Role.IDENTIFIER) if may_be_persons(column)]
        found += told_of_relations(self.columns, self.relations)
        found += told_of_records(self.by_record)
        for name, one in self.diversities.items():
            if one.l > 1 and self.n_records > 10 * self.k * max(one.classes, 1):
                found.append(
                    f"At most {one.classes} classes can show {one.l} values of '{name}', since all but the most "
                    "frequent are rare: classes will be large. Ask less of it, or another promise."
                )
        return found

    def __repr__(self) -> str:
        roles = ", ".join(f"{len(self.of_role(role))} {role}" for role in Role if self.of_role(role))
        return f"<Proposal: {self.n_records} records; {roles}; {len(self.undecided)} undecided; k {self.k}>"


@checked
def init(
    data: Any,
    *,
    roles: Mapping[str, str] | None = None,
    k: int = 5,
    groups: Mapping[str, str | Path] | None = None,
    delimiter: str | None = None,
    missing_values: Sequence[str] | None = None,
    progress: Progress = silent,
) -> Proposal:
    """Examine a table and propose a job: roles with reasons, hierarchies, promises. It needs no network.

    Args:
        data: The path of a table, a `shoal.table`, or a frame of polars, pandas or pyarrow.
        roles: Roles that you already know, by column.
        k: The least size of a class.
        groups: Files with groups of values, by column: rows `value;group`.
        delimiter: The field separator of a CSV file; detected by default.
        missing_values: The texts that stand for a missing value, such as `NA`; detected by default.
        progress: Called with the current step.
    """
    progress("reading the table")
    location = frame_or_location(data, delimiter)
    frame, codebook = read_described(location)
    if frame.height == 0 or frame.width == 0:
        raise SpecError("The table has no records, so nothing can be said about its columns.")
    blanks = Blanks.of(frame, missing_values)
    frame = without_values(frame, blanks.words)
    columns = []
    for number, name in enumerate(frame.columns):
        progress("looking at the columns", number / frame.width)
        columns.append(suggest(Profile.of(frame.get_column(name), codebook[name]), frame.columns))
    given = {name: read_groups(Path(file), name) for name, file in (groups or {}).items()}
    known = location if isinstance(location, Location) else None
    relations = relations_of([column.profile for column in columns])
    roled = settled(columns, relations)
    proposal = Proposal(roled, known, k, groups=given, blanks=blanks, progress=progress, relations=relations)
    proposal = proposal.changed({**dict.fromkeys(given, "quasi"), **(roles or {})}, k)
    return proposal if proposal.of_role(Role.QUASI) else _with_quasi(proposal)


def _with_quasi(proposal: Proposal) -> Proposal:
    """Take a column as known to an attacker, since a job needs one; never one that surely names somebody."""
    free = [one for one in proposal.columns if not one.by_person and (one.role.leaves or not one.decided)]
    free = [one for one in free if one.role is not Role.ENTITY]
    if not free:
        return proposal
    order = (Role.INSENSITIVE, Role.SENSITIVE, Role.OMITTED, Role.IDENTIFIER)
    chosen = min(free, key=lambda column: (order.index(column.role), column.profile.distinct))
    reason = (
        f"no column looks like something that an attacker knows, and a job needs one: this is taken, though suggested "
        f"was {chosen.role} ({chosen.reason})"
    )
    taken = replace(chosen, role=Role.QUASI, reason=reason, certainty="undecided")
    return replace(proposal, columns=tuple(taken if column is chosen else column for column in proposal.columns))


def _shared(column: Suggestion) -> str:
    missing = f" It misses a value in {number_of(column.profile.missing, 'record')}, which must be filled first."
    return (
        f"Several records share a value of '{column.name}': if these are records of one person, give it the role "
        f"'entity', and k counts persons; else k counts records.{missing if column.profile.missing else ''}"
    )


def _is_data(column: Suggestion) -> bool:
    """Tell whether the name of a column looks like a value: a number, a date, an address."""
    return value_kind_of([column.name]).name in ("number", "date") or sign_of([column.name]) is not None


def _role(text: str) -> Role:
    if text not in list(Role):
        raise SpecError(f"Unknown role '{text}'. {did_you_mean(text, list(Role))}")
    return Role(text)


def _bytes(text: str) -> bytes:
    """Return UTF-8; a byte order mark that is part of the first value is kept by another before it."""
    return text.encode("utf-8-sig" if text.startswith("\ufeff") else "utf-8")


def roles_given(by_role: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the role of each column, from the columns of each role; a SpecError names one with two."""
    found: dict[str, str] = {}
    for role, names in by_role.items():
        for name in names:
            if found.setdefault(name, role) != role:
                raise SpecError(f"Column '{name}' is given two roles: '{found[name]}' and '{role}'.")
    return found
