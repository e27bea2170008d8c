"""The attacker: who holds a release, perhaps a public table or another release, and tries what can be learned."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.audits.attacks import NAMES, Attacks, Finding, against_column
from shoal.audits.composition import Composition, Side, composition
from shoal.audits.covers import cover_of
from shoal.audits.linkage import Linkage, linkage
from shoal.audits.matches import Matches
from shoal.audits.profiles import Entries, classes_of, profiles_of
from shoal.audits.similarity import Similarity
from shoal.audits.truth import Names, Own, own_by_name, own_by_table
from shoal.errors import SpecError
from shoal.formats import format_of
from shoal.hierarchies import Hierarchy, HierarchySpec
from shoal.job import Job
from shoal.observed import Observed
from shoal.progress import Progress, silent
from shoal.release import Release
from shoal.shelf import did_you_mean
from shoal.source import columns_of, names_of
from shoal.table import Column, Role

Joined = Mapping[str, str]  # a column of the release, and what the public table calls it


@dataclass(frozen=True, eq=False)
class Held:
    """A release as an attacker holds it.

    Args:
        frame: Its columns as text.
        quasi: Its quasi columns.
        sensitive: Its sensitive columns.
        recipes: The hierarchies of its columns, as far as they are known.
        folder: Where their files are found.
        promised: The k that it promises; None is what it reaches.
        raw: The table that it was made of, if that is at hand.
        centres: Whether its cells are those of the centres of clusters.
    """

    frame: pl.DataFrame
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    recipes: Mapping[str, HierarchySpec]
    folder: Path = Path()
    promised: int | None = None
    raw: Path | None = None
    centres: bool = False

    @classmethod
    def of(cls, release: Any, roles: "Held | None" = None, delimiter: str | None = None) -> "Held":
        """Take a release of shoal, in memory or as a folder, or any table with the roles of its columns."""
        if isinstance(release, Release):
            return cls._made(release.frame, release.job)
        if isinstance(release, str | Path) and not Path(release).exists():
            raise SpecError(f"There is no release '{release}': the folder of one, or the file of a table, is needed.")
        if made_here(release):
            folder = Path(release)
            if not (folder / "job.toml").is_file():
                raise SpecError(
                    f"'{folder}' is not a release: it has no job.toml. Give the table itself, with --quasi."
                )
            job = Job.read(folder / "job.toml")
            file = folder / f"data.{job.release.format}"
            return cls._made(format_of(file).read(file, delimiter=job.input.delimiter or ","), job)
        if roles is None or not roles.quasi:
            raise SpecError("No quasi column is named: name the columns that an attacker may know.")
        names = names_of(release, delimiter)
        for name in (*roles.quasi, *roles.sensitive):
            if name not in names:
                raise SpecError(f"The release has no column '{name}'. {did_you_mean(name, names)}")
        return replace(roles, frame=columns_of(release, names, delimiter))

    @classmethod
    def _made(cls, frame: pl.DataFrame, job: Job) -> "Held":
        recipes = {name: column.hierarchy for name, column in job.columns.items() if column.hierarchy is not None}
        return cls(
            frame=frame,
            quasi=tuple(name for name in frame.columns if job.columns[name].role is Role.QUASI),
            sensitive=job.names(Role.SENSITIVE),
            recipes=recipes,
            folder=job.folder,
            promised=max(promise.least_size for promise in job.require),
            raw=job.input_path if job.input_path.is_file() else None,
            centres=job.objective is not None,
        )

    @cached_property
    def observed(self) -> Observed:
        """Its classes, with the hierarchies of sensitive columns whose files are at hand."""
        return Observed.of(self.frame, self.quasi, self.sensitive, self.hierarchies[0])

    @cached_property
    def hierarchies(self) -> tuple[dict[str, Hierarchy], dict[str, str]]:
        """The hierarchies of the sensitive columns, and why there is none where one was named."""
        built, reasons = {}, {}
        for name in self.sensitive:
            if name in self.recipes:
                values = Column.of(self.frame[name]).values
                try:
                    hierarchy = self.recipes[name].build(values, name, self.folder)
                    hierarchy.encode(values, name)
                    built[name] = hierarchy
                except SpecError as error:
                    reasons[name] = str(error)
        return built, reasons

    @property
    def unchanged(self) -> tuple[str, ...]:
        """The columns that are published as they are."""
        return tuple(name for name in self.frame.columns if name not in self.quasi)

    @property
    def k(self) -> int:
        """The k that it promises, or else reaches."""
        return self.promised or int(self.observed.groups.sizes.min(initial=self.frame.height))

    def matches(self, table: pl.DataFrame, joined: Joined, *, wildcard: bool) -> tuple[Matches, dict[str, int]]:
        """Match persons and classes; also tell how many cells of each column cover nobody."""
        if self.centres:
            raise SpecError(
                "The release publishes the centres of clusters. These cover nobody by their values: a person may be in "
                "any cluster within whose radius they are. Joining by cells would find too few; leave out the attacks "
                "'linkage' and 'composition'."
            )
        columns = [Column.of(table[name]) for name in joined.values()]
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
        cells = np.ascontiguousarray(self.observed.cells[:, numbers])
        found = Matches.of(cells, self.observed.groups.sizes, covers, columns)
        return found, {name: cover.idle for name, cover in zip(joined, covers, strict=True)}


@dataclass(frozen=True, eq=False)
class Attacker:
    """Who tries what a release gives away, and what they hold beside it.

    Args:
        held: The release.
        public: A table of persons.
        truth: The columns that name persons in it, and in the release or in the raw table.
        raw: The table that the release was made of, to tell who is in it; that of its job if left out.
        other: Another release of the same table.
        on: The columns to join on, by the names in the release and in the public table; all that both have if empty.
        attacks: The attacks to run; all that what is held allows if empty.
        wildcard: Whether a missing value may be any value; else it is a value like any other.
        rule_out: The largest number of values that are ruled out.
        gain: The gain from which a class counts as exposed by skewness.
        width: The share of the whole range within which a class counts as exposed by similarity.
        others_known: Whether the other sensitive columns of a person are known.
        delimiter: What separates the fields of the files that are tables; found out if not given.
    """

    held: Held
    public: Any = None
    truth: tuple[str, ...] = ()
    raw: Any = None
    other: Held | None = None
    on: Joined | None = None
    attacks: tuple[str, ...] = ()
    wildcard: bool = True
    rule_out: int = 2
    gain: Fraction = Fraction(1, 2)
    width: Fraction = Fraction(1, 10)
    others_known: bool = False
    delimiter: str | None = None

    def run(self, progress: Progress = silent) -> Attacks:
        """Run the attacks one after the other."""
        self._check()
        findings: list[Finding] = []
        not_run: dict[str, str] = {}
        if self._wanted("linkage") and self.public is not None:
            progress("joining the public table")
            findings.append(self._linkage())
        for column in self.held.sensitive:
            progress(f"attacking {column}")
            findings += self._column(column, not_run)
        if self._wanted("composition") and self.other is not None:
            progress("joining the two releases")
            findings.append(self._composition(self.other))
        return Attacks(tuple(findings), not_run)

    def _wanted(self, name: str) -> bool:
        return not self.attacks or name in self.attacks

    def _check(self) -> None:
        for name in self.attacks:
            if name not in NAMES:
                raise SpecError(f"Unknown attack '{name}'. {did_you_mean(name, list(NAMES))}")
        if "linkage" in self.attacks and self.public is None:
            raise SpecError("The attack 'linkage' needs a public table (--public).")
        if "composition" in self.attacks and self.other is None:
            raise SpecError("The attack 'composition' needs another release of the same table (--other).")
        if self.truth and self.public is None:
            raise SpecError("The truth names persons of a public table, and none is given (--public).")
        if self.rule_out < 0:
            raise SpecError(f"{self.rule_out} values cannot be ruled out: give 0 or more.")
        if not self.held.sensitive and self.public is None and self.other is None:
            raise SpecError("There is nothing to attack: name a sensitive column, a public table or another release.")

    def _column(self, column: str, not_run: dict[str, str]) -> list[Finding]:
        """Run the attacks on one sensitive column."""
        found, reason = against_column(
            self.held.observed,
            self.held.quasi,
            column,
            wanted=self.attacks,
            rule_out=self.rule_out,
            gain=self.gain,
            width=self.width,
            others_known=self.others_known,
        )
        if self._wanted(Similarity.name):
            reason = self.held.hierarchies[1].get(column) or reason
            if reason is not None:
                not_run[f"{Similarity.name} ({column})"] = reason
        return found

    def _linkage(self) -> Linkage:
        joined = _joined(self.held, names_of(self.public, self.delimiter), self.on)
        persons = columns_of(self.public, [*dict.fromkeys([*joined.values(), *self.truth])], self.delimiter)
        matches, idle = self.held.matches(persons, joined, wildcard=self.wildcard)
        found = linkage(self.held.observed, self.held.quasi, matches, tuple(joined), idle)
        return found.with_truth(matches, *self._own(persons, matches)) if self.truth else found

    def _own(self, persons: pl.DataFrame, matches: Matches) -> Own:
        """Tell whose records are whose, by the release itself if it names persons, else by the raw table."""
        held = self.held
        if self.raw is None and all(name in held.frame.columns for name in self.truth):
            names = _names(persons, held.frame, self.truth)
            return own_by_name(matches, classes_of(held.frame, held.quasi), names)
        raw = self.raw if self.raw is not None else held.raw
        if raw is None:
            raise SpecError(
                f"The release has not all of the columns that tell the truth ({', '.join(self.truth)}), and the table "
                "that it was made of is not at hand. Give that table (--raw)."
            )
        has = names_of(raw, self.delimiter)
        unchanged = [name for name in held.unchanged if name in has]
        table = columns_of(raw, [*dict.fromkeys([*self.truth, *held.quasi, *unchanged])], self.delimiter)
        made = (
            held.promised is not None
        )  # then a missing cell was missing; other tools may mean that they suppressed it
        known, _ = held.matches(table, {name: name for name in held.quasi}, wildcard=not made)
        (shown, profiles), n_profiles = profiles_of([held.frame, table], unchanged)
        classes = classes_of(held.frame, held.quasi)
        entries = Entries.of(classes, shown, held.observed.groups.n_classes, n_profiles)
        return own_by_table(matches, known, entries, profiles, _names(persons, table, self.truth))

    def _composition(self, other: Held) -> Composition:
        """Put the releases together for the persons of the public table, or else of the raw one."""
        people = next((one for one in (self.public, self.raw, self.held.raw, other.raw) if one is not None), None)
        if people is None:
            raise SpecError(
                "Two releases are put together for persons whose quasi values are known, and neither a public table "
                "nor the table that the releases were made of is at hand. Give one of them (--public, --raw)."
            )
        names = names_of(people, self.delimiter)
        on = self.on if people is self.public else None
        joins = [_joined(held, names, on) for held in (self.held, other)]
        persons = columns_of(people, [*dict.fromkeys(name for join in joins for name in join.values())], self.delimiter)
        first, second = (
            Side(
                frame=held.frame,
                quasi=held.quasi,
                observed=held.observed,
                matches=held.matches(persons, join, wildcard=self.wildcard)[0],
                k=held.k,
            )
            for held, join in zip((self.held, other), joins, strict=True)
        )
        unchanged = [name for name in self.held.unchanged if name in other.unchanged]
        sensitive = [name for name in self.held.sensitive if name in unchanged]
        return composition(first, second, sensitive, unchanged)


def _joined(held: Held, names: Sequence[str], on: Joined | None) -> dict[str, str]:
    """Return the columns to join on: those that are asked for, or all quasi columns that the other table has."""
    if on:
        for name in on:
            if name not in held.quasi:
                raise SpecError(f"'{name}' is no quasi column of the release. {did_you_mean(name, list(held.quasi))}")
        return dict(on)
    both = {name: name for name in held.quasi if name in names}
    if not both:
        raise SpecError(
            f"The public table has none of the quasi columns of the release ({', '.join(held.quasi)}). Say which "
            "columns belong together (--on release_name=public_name)."
        )
    return both


def _names(persons: pl.DataFrame, records: pl.DataFrame, truth: Sequence[str]) -> Names:
    """Code the names of persons alike in both tables; where one is missing, it is nobody's."""
    (people, others), _ = profiles_of([persons, records], truth)
    named = [
        ~np.logical_or.reduce([table[name].is_null().to_numpy() for name in truth]) for table in (persons, records)
    ]
    known = people[named[0]]
    if len(np.unique(known)) < len(known):
        raise SpecError(
            f"The columns that tell the truth ({', '.join(truth)}) name {len(known) - len(np.unique(known))} persons "
            "of the public table more than once. Name columns that tell all persons apart."
        )
    return Names(*(np.where(there, codes, -1) for there, codes in zip(named, (people, others), strict=True)))


def made_here(release: Any) -> bool:
    """Tell whether this is a release of shoal, in memory or as a folder, which knows the roles of its columns."""
    return isinstance(release, Release) or (isinstance(release, str | Path) and Path(release).is_dir())
