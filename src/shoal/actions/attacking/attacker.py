"""Attacker: who tries what a release gives away, and what they hold beside it."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.actions.attacking.joining import PUBLIC, joined_on
from shoal.actions.truths.told_truth import ToldTruth
from shoal.audits.attacks import NAMES
from shoal.audits.attacks.attacks import AttackFinding, Attacks
from shoal.audits.attacks.composition import Composition, Side, composition
from shoal.audits.attacks.drawn_sample import DrawnSample, drawn_classes
from shoal.audits.attacks.isolation import Isolation, isolation
from shoal.audits.attacks.linkage import Linkage, linkage
from shoal.audits.attacks.presence import Presence, presence
from shoal.audits.attacks.release_alone import against_column
from shoal.audits.attacks.replay import Replay
from shoal.audits.attacks.similarity import Similarity
from shoal.foundation.errors import SpecError
from shoal.foundation.progress import Progress, silent
from shoal.foundation.shelf import did_you_mean
from shoal.jobs.given_table import check_single, count_columns, count_single, names_of, read_columns, single_records
from shoal.jobs.source import read
from shoal.releases.release_view import Joined, ReleaseView
from shoal.tables.rows import Rows
from shoal.tables.table import Role

_MOST_RULED_OUT = 10_000  # values


@dataclass(frozen=True, eq=False)
class Attacker:
    """Who tries what a release gives away, and what they hold beside it.

    Args:
        view: The release.
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
        swaps: The number of swapped tables that are released again.
        sample: The most records, or persons, of which all are looked at; 0 is without limit.
        seed: What samples and swapped tables are drawn by.
    """

    view: ReleaseView
    public: Any = None
    truth: tuple[str, ...] = ()
    raw: Any = None
    other: ReleaseView | None = None
    on: Joined | None = None
    attacks: tuple[str, ...] = ()
    wildcard: bool = True
    rule_out: int = 2
    gain: Fraction = Fraction(1, 2)
    width: Fraction = Fraction(1, 10)
    others_known: bool = False
    swaps: int = 100
    sample: int = 0
    seed: int = 0

    def run(self, progress: Progress = silent) -> Attacks:
        """Run the attacks one after the other."""
        self._check()
        findings: list[AttackFinding] = []
        not_run: dict[str, str] = {}
        if self._wanted("linkage"):
            progress("joining the public table")
            findings.append(self._linkage())
        if self._wanted("presence"):
            progress("looking for who is in the table")
            findings.append(self._presence())
        if self._wanted("singling-out"):
            progress("looking for who is singled out")
            findings.append(self._singling_out())
        for column in self.view.sensitive:
            progress(f"attacking {column}")
            findings += self._column(column, not_run)
        if self._wanted("composition") and self.other is not None:
            progress("joining the two releases")
            findings.append(self._composition(self.other))
        if "replay" in self.attacks:
            findings.append(self._replay(progress))
        return Attacks(tuple(findings), not_run)

    def _wanted(self, name: str) -> bool:
        return name in self.attacks or (not self.attacks and self._lacking(name) is None)

    def _check(self) -> None:
        for name in self.attacks:
            if name not in NAMES:
                raise SpecError(f"Unknown attack '{name}'. {did_you_mean(name, list(NAMES))}")
            if (lacking := self._lacking(name)) is not None:
                raise SpecError(f"The attack '{name}' needs {lacking}.")
        if self.truth and self.public is None:
            raise SpecError("The truth identifies persons of a public table, but none is given (--public).")
        if self.swaps < 1 or self.seed < 0:
            raise SpecError(f"'swaps' is {self.swaps} and 'seed' is {self.seed}: give 1 or more, and 0 or more.")
        if self.sample < 0:
            raise SpecError(f"'sample' is {self.sample}: give 0 or more.")
        if not 0 <= self.rule_out <= _MOST_RULED_OUT:
            raise SpecError(f"{self.rule_out} values cannot be ruled out: give 0 or more, at most {_MOST_RULED_OUT:,}.")
        if not self.view.sensitive and all(one is None for one in (self.public, self.other, self.raw_table)):
            raise SpecError(
                "There is nothing to attack: name a sensitive column, a public table, the raw table or another release."
            )

    @property
    def raw_table(self) -> Any:
        """The table that the release was made of, if it is given or at hand."""
        return self.raw if self.raw is not None else self.view.raw

    @property
    def _told(self) -> ToldTruth:
        """Who is who, by the columns that name persons."""
        return ToldTruth(self.truth, self.view, self.raw)

    def _lacking(self, attack: str) -> str | None:
        """Return what an attack needs and is not there; None if it can be run."""
        if attack == "linkage" and self.public is None:
            return "a public table (--public)"
        if attack == "presence" and (self.public is None or not self.truth):
            return "a public table (--public), and columns that tell who of it is in the raw table (--truth)"
        if attack == "singling-out" and self.view.clusters:
            return "cells, and the release publishes the centres of clusters"
        if attack == "singling-out" and self.raw_table is None:
            return "the table that the release was made of (--raw)"
        if attack == "composition" and self.other is None:
            return "another release of the same table (--other)"
        if attack == "series":
            return "several releases, in the order in which they were made"
        return self._unrepeatable() if attack == "replay" else None

    def _unrepeatable(self) -> str | None:
        """Return what is needed to run the job of the release again and is not there."""
        if self.view.job is None:
            return "a release of shoal with its job, which is run again"
        if self.view.applied:
            return "a release that was searched for; this one was made by the rules of another"
        if self.raw is None and self.view.source is None and self.view.raw is None:
            return "the table that the release was made of (--raw)"
        if not self.view.sensitive:
            return "a sensitive column, whose values are swapped"
        return None

    def _column(self, column: str, not_run: dict[str, str]) -> list[AttackFinding]:
        """Run the attacks on one sensitive column."""
        found, reason = against_column(
            self.view.observed,
            self.view.quasi,
            column,
            wanted=self.attacks,
            rule_out=self.rule_out,
            gain=self.gain,
            width=self.width,
            others_known=self.others_known,
            categories=column in self.view.nominal,
        )
        if self._wanted(Similarity.name):
            reason = self.view.hierarchies[1].get(column) or reason
            if reason is not None:
                not_run[f"{Similarity.name} ({column})"] = reason
        return list(found)

    def _linkage(self) -> Linkage:
        joined = joined_on(self.view, names_of(self.public), self.on)
        persons = self._persons(joined)
        matches, idle = self.view.matches(persons, self.public, joined, wildcard=self.wildcard)
        found = linkage(self.view.observed, self.view.quasi, matches, tuple(joined), idle)
        return found.with_truth(matches, *self._told.own(persons, matches)) if self.truth else found

    def _persons(self, joined: Joined) -> Rows:
        """Return the persons of the public table."""
        names = [*dict.fromkeys([*joined.values(), *self.truth])]
        if self.truth:
            return Rows.each(single_records(self.public, names, *PUBLIC))
        return count_single(self.public, names, *PUBLIC)

    def _presence(self) -> Presence:
        joined = joined_on(self.view, names_of(self.public), self.on)
        persons = self._persons(joined)
        matches, _ = self.view.matches(persons, self.public, joined, wildcard=self.wildcard)
        printed, near = (self.view.printed(persons, self.public, joined, near=near) for near in (False, True))
        present = self._told.members(persons)
        return presence(self.view.observed, self.view.quasi, matches, tuple(joined), printed, near, present)

    def _singling_out(self) -> Isolation:
        """Look for descriptions that fit exactly one record of the raw table."""
        view, raw = self.view, self.raw_table
        joined = {name: name for name in view.quasi}
        entity = () if view.job is None else view.job.names(Role.ENTITY)
        table = count_columns(raw, [*view.quasi, *entity])
        classes, sample = self._drawn_classes()
        matches, _ = view.matches(table, raw, joined, wildcard=view.job is None, classes=classes)
        persons = table.column(entity[0]).codes if entity else None
        printed = view.printed(table, raw, joined)
        return isolation(view.observed, view.quasi, matches, printed, persons, classes, sample)

    def _drawn_classes(self) -> tuple[NDArray[np.int64] | None, DrawnSample | None]:
        """Draw the classes of a large release that are looked at; none if all are."""
        groups = self.view.observed.groups
        if not self.sample or groups.n_records <= self.sample:
            return None, None
        classes = drawn_classes(groups.sizes, self.sample, self.seed)
        return classes, DrawnSample("classes", len(classes), groups.n_classes, self.seed)

    def _replay(self, progress: Progress) -> Replay:
        """Run the job again on tables whose records have swapped what they have, inside of each class."""
        from shoal.actions.replays.replaying import replayed  # it loads the searches

        view, raw = self.view, self.raw
        check_single(view.n_records, "The release", "a replay deals the values of each record anew")
        source = view.source if raw is None else None
        if source is None:
            progress("reading the raw table")
            assert view.job is not None  # noqa: S101  (checked)
            source = read(view.job.with_engine("local"), None if raw is None else read_columns(raw, names_of(raw)))
        return replayed(source.single(), view.rows(view.columns), self.swaps, self.seed, progress)

    def _composition(self, other: ReleaseView) -> Composition:
        """Put the releases together for the persons of the public table, or else of the raw one."""
        people = next((one for one in (self.public, self.raw, self.view.raw, other.raw) if one is not None), None)
        if people is None:
            raise SpecError(
                "To combine two releases, the quasi values of persons are needed, but neither a public table nor "
                "the raw table of the releases is available. Give one of them (--public, --raw)."
            )
        names = names_of(people)
        on = self.on if people is self.public else None
        joins = [joined_on(view, names, on) for view in (self.view, other)]
        wanted = [*dict.fromkeys(name for join in joins for name in join.values())]
        public = people is self.public
        everybody = count_single(people, wanted, *PUBLIC) if public else count_columns(people, wanted)
        persons = everybody.drawn(self.sample or everybody.n_records, np.random.default_rng(self.seed))
        drawn, of = persons.n_records, everybody.n_records
        sample = None if drawn == of else DrawnSample("persons", drawn, of, self.seed)
        unchanged = [name for name in self.view.unchanged if name in other.unchanged]
        first, second = (
            Side(
                rows=view.rows([*view.quasi, *unchanged]),
                quasi=view.quasi,
                observed=view.observed,
                matches=view.matches(persons, people, join, wildcard=self.wildcard)[0],
                k=view.k,
            )
            for view, join in zip((self.view, other), joins, strict=True)
        )
        sensitive = [name for name in self.view.sensitive if name in unchanged]
        return composition(first, second, sensitive, unchanged, sample)
