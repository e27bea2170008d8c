"""Usefulness of a release: whether its columns say something, and which changes of the job would help, by trying them.

What is tried does not depend on a clock, so that reports are repeatable: a fixed number of tries, each by an algorithm
that takes a fraction of what the run itself takes (it looks for no bound, publishes nothing and writes no file).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import polars as pl

from shoal.audits.utility.usefulness import MOST_SUPPRESSED, Change, Usefulness
from shoal.foundation.errors import ShoalError
from shoal.foundation.wording import series
from shoal.jobs.job import Job
from shoal.jobs.posing import problem_of
from shoal.models.k_anonymity import KAnonymity
from shoal.releases.run import Run
from shoal.search.problem import Problem, Solution
from shoal.tables.hierarchies.hierarchy import STAR
from shoal.tables.rows import Rows

SILENT = Fraction(19, 20)
"""A column says nothing if at least this share of the released records has a cell that covers all of its values."""

_SHOWN = 3  # changes that are told
_COLUMNS = 4  # columns that are left out, one at a time
_NAMED = 3  # columns that the name of a folder names, at most; a longer one is longer than file systems take
_KS = (2, 3, 5, 10, 20, 50, 100)  # usual values of k
_LIMITS = (Fraction(2, 100), Fraction(5, 100), Fraction(1, MOST_SUPPRESSED))  # usual limits of suppression
_CELLS = 1_000_000  # cells of different records from which on one change of each kind is tried,
_MANY_CELLS = 10_000_000  # and from which on a single one
_LEAST = 0.0005  # a change that lowers the loss by less does not help

Quick = Callable[[Problem], Solution | None]


def usefulness_of(run: Run, certificate: Mapping[str, Any]) -> Usefulness:
    """Judge a release by its certificate; nothing is tried."""
    return Usefulness.of(certificate, silent_columns(run))


def public_usefulness(run: Run, certificate: Mapping[str, Any]) -> Usefulness:
    """Judge a release by the certificate that is passed on, and by what its cells print: stars alone.

    That a cell of other words covers all values would tell of the values of suppressed records.
    """
    return Usefulness.of(certificate, [name for name in run.evidence.quasi if _starred(run.released.rows([name]))])


def silent_columns(run: Run) -> tuple[str, ...]:
    """Return the quasi columns that say nothing any more, though the raw ones did."""
    if run.regional or run.gathered is not None:
        return tuple(name for name in run.evidence.quasi if _told_alike(run, name))
    return silent_in(run.solution)


def _told_alike(run: Run, name: str) -> bool:
    """Tell by its cells whether a column says nothing: all are alike, or nearly all are stars."""
    rows = run.released.rows([name])
    return len(run.raw.columns[name].values) > 1 and (rows.frame.height == 1 or _starred(rows))


def _starred(rows: Rows) -> bool:
    """Tell whether nearly all records have a star in the only column."""
    cells = rows.frame.to_series().alias("")  # its name may be a pattern to polars
    stars = (cells.cast(pl.String) == STAR).fill_null(value=False).to_numpy()
    return int(rows.counts[stars].sum()) >= SILENT * rows.n_records


def silent_in(solution: Solution) -> tuple[str, ...]:
    """Return the columns of cells that say nothing any more."""
    found, recoding, sizes = [], solution.recoding, solution.groups.sizes
    for number, column in enumerate(recoding.columns):
        cells, n_leaves = recoding.cells[:, number], column.hierarchy.n_leaves
        covering = recoding.shown[number].leaves(column.hierarchy) == n_leaves
        n_silent = int(sizes[covering[cells]].sum())
        alike = len(np.unique(cells)) == 1
        varied = int((column.leaf_counts > 0).sum()) > 1
        if varied and (alike or n_silent >= SILENT * int(sizes.sum())):
            found.append(column.name)
    return tuple(found)


def with_changes(run: Run, found: Usefulness) -> Usefulness:
    """Return the same with the changes that would help; those of a release that is of use are not looked for."""
    return found if found else with_alternatives(run, found)


def with_alternatives(run: Run, found: Usefulness) -> Usefulness:
    """Return the same with the changes that would lose less, whether the release is of use or not."""
    why = _untried(run)
    if why:
        return replace(found, untried=why)
    tally = run.engine.count(run.job.counted()).tally
    return _Trial(run, replace(problem_of(run.job, tally), unbounded=True, time_limit=None)).told(found)


def _untried(run: Run) -> str:
    """Say why changes of a job cannot be tried quickly, if that is so."""
    if run.applied is not None:
        return "the release was made by the rules of an earlier one; search anew for this table"
    if run.regional:
        return "the table was solved in regions, and takes too long to solve again"
    if run.gathered is not None:
        return "the release publishes clusters; compare settings with shoal compare"
    if run.series is not None:
        return "the release is one of a series, whose classes keep what earlier ones promised"
    return "the release is blind; compare settings with shoal compare" if run.job.search.blind else ""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A change to try: its kind, the problem that it makes, and what solves it quickly."""

    kind: str
    change: Change
    problem: Problem
    quick: Quick


@dataclass(frozen=True, slots=True, eq=False)
class _Trial:
    """The changes of a job that are tried.

    Args:
        run: How the release was made.
        problem: What its job asks, without a bound and without a clock.
    """

    run: Run
    problem: Problem

    def told(self, found: Usefulness) -> Usefulness:
        """Return the changes that help most."""
        base = self.run.solution if self._tried_already else _price(self.problem, self._own)
        if base is None:
            return replace(found, untried="the quick algorithm refuses this job; compare settings with shoal compare")
        tried = [(one, made) for one in self._candidates(found) if (made := _price(one.problem, one.quick)) is not None]
        helping = [(one, _change(one, made)) for one, made in tried if self._helps(one, made, base, found)]
        chosen = _chosen(helping)
        words = "the quick algorithm mondrian" if self._local else "a quick descent through the levels"
        return replace(found, changes=chosen, algorithm=words, alike=base.loss.share)

    @property
    def _local(self) -> bool:
        """Whether each class was recoded for itself."""
        return not self.run.solution.levels and not self.run.solution.alike

    @property
    def _tried_already(self) -> bool:
        """Whether the run itself is what the quick algorithm would find."""
        asked = self.run.job.search
        if not self._local or asked.algorithm is None or asked.time_limit is not None:
            return False
        from shoal.search.algorithms.mondrian import Mondrian

        return asked.algorithm == Mondrian()

    def _own(self, problem: Problem) -> Solution | None:
        """Solve a problem quickly by a recoding of the run's kind."""
        if self._local:
            return _mondrian(problem)
        from shoal.search.lattice.descent import descend

        algorithm = self.run.job.search.algorithm
        return descend(problem, self.run.solution.levels, whole=algorithm is not None and algorithm.whole)

    def _all_levels(self, problem: Problem) -> Solution | None:
        from shoal.search.lattice.descent import descend

        return descend(problem, self.run.solution.levels)

    def _helps(self, one: _Candidate, made: Solution, base: Solution, found: Usefulness) -> bool:
        """Tell whether less is lost, or a column speaks again, or fewer records are suppressed, if that is asked."""
        if made.loss.share < base.loss.share - _LEAST:
            return True
        if found.much_suppressed and MOST_SUPPRESSED * made.suppressed <= found.records:
            return True
        return bool(set(silent_in(base)) - set(silent_in(made)) - set(one.change.omitted))

    def _candidates(self, found: Usefulness) -> Iterator[_Candidate]:
        """Yield what is tried: of a large table the first of each kind, or one alone; a try takes half of a run."""
        cells = self.problem.tally.codes.size
        kinds = (self._recoded(), self._lower_k(), self._suppressing(found), self._leaving_out(found))
        for kind in kinds if cells <= _MANY_CELLS else kinds[-1:]:
            yield from islice(kind, 1 if cells > _CELLS else None)

    def _recoded(self) -> Iterator[_Candidate]:
        if self._local:
            return
        from shoal.search.algorithms import auto

        if auto.choices(self.problem)[-1].algorithm.local:
            words = "recode each class separately; the rules then fit this table only"
            yield self._by("auto", "recode", words, "local", _mondrian)
        if self.run.solution.levels and self.run.algorithm != "optimal":
            words = "search all levels for the lowest loss"
            yield self._by("optimal", "levels", words, "optimal", self._all_levels)

    def _by(self, name: str, kind: str, words: str, folder: str, quick: Quick) -> _Candidate:
        """Return the same request to another algorithm."""
        change = Change(words, ("--algorithm", name), {"algorithm": name}, folder)
        return _Candidate(kind, change, self.problem, quick)

    def _lower_k(self) -> Iterator[_Candidate]:
        job = self.run.job
        own = [promise.k for promise in job.require if isinstance(promise, KAnonymity)]
        k = lower_k(own[0]) if own else None
        if k is None:
            return
        require = [replace(one, k=k) if isinstance(one, KAnonymity) else one for one in job.require]
        asked = self._asked(job.model_copy(update={"require": require}))
        words = f"k = {k} instead of {own[0]}, which protects less: a person is found with a probability of 1 in {k}"
        yield _Candidate("k", Change(words, ("--k", str(k)), {"k": k}, f"k{k}"), asked, self._own)

    def _suppressing(self, found: Usefulness) -> Iterator[_Candidate]:
        """Try the next two limits; where too many are suppressed, the highest that is usual."""
        job = self.run.job
        now = Fraction(job.search.max_suppressed)
        for limit in _LIMITS[-1:] if found.much_suppressed else [one for one in _LIMITS if one > now][:2]:
            asked = self._asked(
                job.model_copy(update={"search": job.search.model_copy(update={"max_suppressed": limit})})
            )
            share, percent = f"{float(limit):g}", f"{float(100 * limit):g}"
            words = f"allow {percent}% suppressed instead of {float(100 * now):g}%"
            flags, arguments = ("--max-suppressed", share), {"max_suppressed": float(limit)}
            yield _Candidate("suppress", Change(words, flags, arguments, f"suppressed-{percent}"), asked, self._own)

    def _leaving_out(self, found: Usefulness) -> Iterator[_Candidate]:
        """Leave out all columns that say nothing, then the one that loses most, and so on."""
        names = [column.name for column in self.problem.tally.quasi]
        lost = self.run.solution.loss.columns
        costly = sorted(names, key=lambda name: (name not in found.silent, -lost.get(name, 0.0), names.index(name)))
        several = [found.silent] if len(found.silent) > 1 else []
        for left_out in [*several, *((name,) for name in costly[:_COLUMNS])]:
            if set(left_out) == set(names) or any("," in name or name != name.strip() for name in left_out):
                continue  # a flag takes no such names
            change = Change(
                words=f"leave out {series(left_out)}",
                flags=("--omit", ",".join(left_out)),
                arguments={"omit": list(left_out)},
                folder=folder_without(left_out, names),
                omitted=left_out,
            )
            less = replace(self.problem, tally=self.problem.tally.without(left_out))
            yield _Candidate("omit", change, less, self._own)

    def _asked(self, job: Job) -> Problem:
        return replace(problem_of(job, self.problem.tally), unbounded=True, time_limit=None)


def lower_k(k: int) -> int | None:
    """Return the largest usual k that is at most three fifths of another, or 2; None if there is no lower one."""
    return next((lower for lower in reversed(_KS) if 5 * lower <= 3 * k or lower == 2 < k), None)


def folder_without(left_out: Sequence[str], names: list[str]) -> str:
    """Return what a folder without some columns is called: by their names if they are few."""
    if len(left_out) > _NAMED:
        return f"without-{len(left_out)}-columns"
    return f"without-{'-'.join(_plain(name, names) for name in left_out)}"


def _plain(name: str, names: list[str]) -> str:
    """Return a name that every file system takes: that of the column, or its number."""
    return name if name.isascii() and name.replace("_", "").isalnum() else str(names.index(name) + 1)


def _mondrian(problem: Problem) -> Solution:
    from shoal.search.algorithms.mondrian import Mondrian  # loads where something is tried

    return Mondrian().answer(problem)


def _price(problem: Problem, quick: Quick) -> Solution | None:
    """Return what a quick search finds; None if it refuses the problem, or finds no allowed release."""
    try:
        return quick(problem)
    except ShoalError:
        return None


def _change(one: _Candidate, made: Solution) -> Change:
    suppressed = made.suppressed / max(made.suppressed + made.groups.n_records, 1)
    return replace(one.change, loss=made.loss.share, suppressed=suppressed, silent=silent_in(made))


def _chosen(helping: list[tuple[_Candidate, Change]]) -> tuple[Change, ...]:
    """Return the best of each kind first, and of these the best; others fill up what is left."""
    ordered = sorted(helping, key=lambda pair: pair[1].loss)
    kinds: dict[str, Change] = {}
    for candidate, change in ordered:
        kinds.setdefault(candidate.kind, change)
    firsts = list(kinds.values())
    rest = [change for _, change in ordered if change not in firsts]
    return tuple(sorted([*firsts, *rest][:_SHOWN], key=lambda change: change.loss))
