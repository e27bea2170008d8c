"""Record assignment: the records of another table are assigned to the classes of rules."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping, Parts
from shoal.classes.recoding import Recoding
from shoal.classes.records import Records
from shoal.classes.tally import Tally
from shoal.foundation.progress import Progress, silent
from shoal.kernels.rules.filling import Assignment, covered_points, fill_assignment, linked_lists
from shoal.kernels.rules.mending import improve_assignment, mend, reassign, shed
from shoal.kernels.rules.swapping import swap
from shoal.kernels.sufficient_tests import SufficientTests
from shoal.releases.rules.finding import Combined, Finder
from shoal.search.local.sufficient_tests import no_sufficient_tests, sufficient_tests_of
from shoal.search.problem import Problem

_OPTIONS = 16  # classes that are looked up for a point at a time
_BLOCK = 131_072  # points that are looked up between two progress reports
_FOUND = 0.5  # approximate share of the work that the look-up takes
_DONORS = 2_000  # most classes that are searched for a record that another class lacks
_TRIES = 2_000  # most records that are tried to repair a class
_NEAR = 300  # most classes that are tried to give or take a record
_BUDGET = 2_000_000_000  # approximate limit of the values that are examined for that in total
_AGAIN = 5_000_000  # records that are gone through, at most, for those that are in no class in the end
_AT_ONCE = 2_000_000  # the more records there are below this, the fewer classes are given up at a time
_SAVING = 20  # most rounds that save classes by a few records; it guarantees termination
_STEP = "placing the records"


@dataclass(frozen=True, slots=True, eq=False)
class AssignedRecords:
    """The assignment of the records of a table to classes.

    Args:
        first: The class of each point by the rules alone, or -1 if none covers it.
        parts: The final assignment, in which every class keeps all promises; -1 for records in no class.
    """

    first: NDArray[np.int32]
    parts: Parts

    def outside(self, tally: Tally) -> int:
        """Return the number of records that no class covers."""
        return int(tally.counts[self.first < 0].sum())

    def failing(self, tally: Tally) -> int:
        """Return the number of records that some class covers, but that are in no class that keeps the promises."""
        return int(self.parts.counts[self.parts.classes < 0].sum()) - self.outside(tally)


def assign_records(problem: Problem, finder: Finder, progress: Progress = silent) -> AssignedRecords:
    """Assign the records to classes that cover them, so that all classes keep the promises.

    Each point first goes to the class that covers it best. If a class then has too few records, or breaks a promise, it
    takes records that it covers from classes that can spare them. A class that cannot be repaired is given up, first
    those whose records other classes cover, and its records go to their next class. It ends when all classes with
    records keep the promises; this happens, since after some rounds each round gives up at least one class.

    Args:
        problem: The problem.
        finder: The classes.
        progress: Called with the share that is done.
    """
    if isinstance(finder, Combined):
        return _alone(problem, finder)
    records = Records.of(problem.tally)
    sharing = _Sharing(problem, finder, records, progress)
    first = np.full(problem.tally.n_points, -1, dtype=np.int32)
    first[records.origin] = sharing.assignment.options[records.point, 0]
    sharing.share_out(progress)
    return AssignedRecords(first, records.parts(sharing.assignment.label))


def _alone(problem: Problem, finder: Combined) -> AssignedRecords:
    """Assign points that at most one class covers; the points of failing classes are left out."""
    tally = problem.tally
    first = finder.find(np.arange(tally.n_points), np.ones(finder.recoding.n_classes, dtype=np.bool_), 1)[:, 0]
    groups, recoding, used = grouped(tally, finder.recoding, Parts.whole(tally, first))
    kept = np.zeros(finder.recoding.n_classes + 1, dtype=np.bool_)
    kept[used] = problem.released(groups, recoding)
    return AssignedRecords(first, Parts.whole(tally, np.where(kept[first], first, np.int32(-1))))


class _Sharing:
    """The state of an assignment that is being repaired.

    Args:
        problem: What is asked.
        finder: The classes.
        records: The records.
        progress: Where to tell how far it is.
    """

    def __init__(self, problem: Problem, finder: Finder, records: Records, progress: Progress) -> None:
        self.problem, self.finder, self.records = problem, finder, records
        self._examples = records.origin[records.firsts[:-1]].astype(np.int64)
        n_points, n_classes = len(self._examples), finder.recoding.n_classes
        alive = np.ones(n_classes, dtype=np.bool_)
        options = np.full((n_points, _OPTIONS), -1, dtype=np.int32)
        for begin in range(0, n_points, _BLOCK):
            block = slice(begin, begin + _BLOCK)
            progress(_STEP, _FOUND * begin / n_points)
            options[block] = finder.find(self._examples[block], alive, _OPTIONS)
        self.assignment = self._begun(options, alive)
        self._rounds = min(max(_AT_ONCE // max(len(records.point), 1), 2), 64)

    def _begun(self, options: NDArray[np.int32], alive: NDArray[np.bool_]) -> Assignment:
        """Return the initial assignment: each record in the first class that covers it."""
        records, n_classes = self.records, len(alive)
        label = options[records.point, 0].astype(np.int64)
        around = covered_points(options, n_classes)
        return Assignment(
            records.firsts,
            records.point,
            records.profile,
            options,
            *around,
            alive,
            label,
            *linked_lists(label, n_classes),
        )

    def share_out(self, progress: Progress) -> None:
        """Move records until every class with records keeps all promises.

        If promises require more than a number of records, classes may be filled first or not. Neither is always better,
        so both are tried if the first leaves records out.
        """
        least, begun = _left(self.assignment), self.assignment.options
        tested = len(self._sufficient_tests().tests) > 0
        self._share_out(progress, filling=not tested)
        if tested and _left(self.assignment) > least:
            found = self.assignment
            self.assignment = self._begun(begun, np.ones_like(found.alive))
            self._share_out(silent, filling=True)
            self.assignment = min(found, self.assignment, key=_left)

    def _share_out(self, progress: Progress, *, filling: bool) -> None:
        share, most, rounds = _FOUND, 0, 0
        failing = self._failing()
        while len(failing):
            most, rounds = max(most, len(failing)), rounds + 1
            share = max(share, 1 - (1 - _FOUND) * len(failing) / most)
            progress(_STEP, share)
            if filling:
                fill_assignment(self.assignment, failing, self.problem.k, _DONORS)
                failing = self._failing()
            sufficient_tests = self._sufficient_tests()
            if len(sufficient_tests.tests) and len(failing):
                self._mend(sufficient_tests, failing)
                failing = self._failing()
            if len(failing):
                self._give_up(failing, saving=rounds <= _SAVING)
                failing = self._failing()
        self._readmit()
        self._settle()

    def _mend(self, sufficient_tests: SufficientTests, failing: NDArray[np.int64]) -> None:
        """Let failing classes take and give single records, and swap two, as long as a swap helps."""
        chains = _BUDGET // (sufficient_tests.counts.shape[1] * _NEAR)
        limits = (self.problem.k, _TRIES, _NEAR, chains)
        mend(self.assignment, sufficient_tests, failing, *limits)
        for _ in range(_SAVING):
            if not swap(self.assignment, sufficient_tests, failing, *limits):
                return
            mend(self.assignment, sufficient_tests, failing, *limits)

    def _sufficient_tests(self) -> SufficientTests:
        """Return the sufficient tests of the promises, for the records that are in classes."""
        problem = self.problem
        if any(model.relative for model in problem.models) and not problem.stars:
            placed = self.assignment.label >= 0
            tally, profiles = problem.tally, self.records.profile[placed]
            counted = replace(tally, profiles=profiles, counts=np.ones(len(profiles), dtype=np.int64))
            problem = replace(problem, tally=counted)
        tests = sufficient_tests_of(problem)
        if tests is None or tests.counts.shape[1] * len(self.assignment.sizes) > _BUDGET:
            return no_sufficient_tests(problem)  # then a promise is checked only when all classes are
        return tests

    def _readmit(self) -> None:
        """Let each record in no class join one that covers it, which is then mended; kept if all promises hold."""
        tries = _AGAIN // max(len(self.records.point), 1)
        for record in np.flatnonzero(self.assignment.label < 0).tolist():
            for c in self.assignment.options[self.records.point[record]].tolist():
                if c >= 0 and tries > 0 and self.assignment.label[record] < 0:
                    tries -= 1
                    self._join(record, c)

    def _join(self, record: int, c: int) -> None:
        """Let a record join a class, unless a promise fails then that cannot be mended."""
        before = self.assignment
        label, alive = before.label.copy(), before.alive.copy()
        label[record], alive[c] = c, True
        sizes, heads, after, previous = linked_lists(label, len(alive))
        self.assignment = before._replace(
            label=label, alive=alive, sizes=sizes, heads=heads, after=after, before=previous
        )
        self._mend(self._sufficient_tests(), np.array([c]))
        if len(self._failing()):
            self.assignment = before

    def _settle(self) -> None:
        """Move records back to better classes, if all promises still hold."""
        kept = self.assignment.label.copy()
        sufficient_tests = self._sufficient_tests()
        improve_assignment(
            self.assignment, sufficient_tests, self.problem.k, _BUDGET // sufficient_tests.counts.shape[1]
        )
        if len(self._failing()):
            self.assignment.label[:] = kept

    def _failing(self) -> NDArray[np.int64]:
        """Return the classes that break a promise, among the classes with records."""
        if (self.assignment.label < 0).all():
            return np.zeros(0, dtype=np.int64)
        parts = self.records.parts(self.assignment.label)
        groups, recoding, used = grouped(self.problem.tally, self.finder.recoding, parts)
        if self.problem.stars:
            groups = replace(groups, totals=self.problem.tally.totals)
        return used[~self.problem.passing(groups, recoding)]

    def _give_up(self, failing: NDArray[np.int64], *, saving: bool) -> None:
        """Give up some of the failing classes, those that strand the fewest records; all if no record has a next one.

        The fewer at a time, the more of the others are helped by the records that leave; half of them at least where
        a round is dear.

        Args:
            failing: The classes.
            saving: Whether to keep a class that would lose fewer records than giving it up would leave out.
        """
        assignment = self.assignment
        members = np.flatnonzero(np.isin(assignment.label, failing))
        own, options = assignment.label[members], assignment.options[assignment.point[members]]
        others = ((options >= 0) & assignment.alive[options] & (options != own[:, None])).any(axis=1)
        stranded = np.bincount(own[~others], minlength=len(assignment.sizes))[failing]
        if others.any():
            order = np.lexsort((failing, assignment.sizes[failing], stranded))[: -(-len(failing) // self._rounds)]
            failing, stranded = failing[order], stranded[order]
        if saving:
            failing = failing[~shed(assignment, self._sufficient_tests(), failing, stranded, self.problem.k)]
        assignment.alive[failing] = False
        leaving = np.flatnonzero((assignment.label >= 0) & ~assignment.alive[assignment.label])
        self._look_again(leaving)
        reassign(self.assignment, self._sufficient_tests(), leaving, self.problem.k)

    def _look_again(self, leaving: NDArray[np.int64]) -> None:
        """Look up further classes for points whose known classes are all given up."""
        assignment = self.assignment
        points = np.unique(assignment.point[leaving])
        full = assignment.options[points, -1] >= 0
        dead = ~(assignment.alive[assignment.options[points]]).any(axis=1)
        again = points[full & dead]
        if len(again):
            options = assignment.options.copy()
            options[again] = self.finder.find(self._examples[again], assignment.alive, _OPTIONS)
            begins, covered = covered_points(options, len(assignment.sizes))
            self.assignment = assignment._replace(options=options, begins=begins, covered=covered)


def _left(assignment: Assignment) -> int:
    """Return the number of records in no class."""
    return int((assignment.label < 0).sum())


def grouped(tally: Tally, recoding: Recoding, parts: Parts) -> tuple[Grouping, Recoding, NDArray[np.int64]]:
    """Return the classes with records, their recoding, and their numbers among all classes.

    Args:
        tally: The table.
        recoding: The published cells of each class.
        parts: The records of each.
    """
    used = np.unique(parts.classes[(parts.classes >= 0) & (parts.counts > 0)]).astype(np.int64)
    own = replace(parts, classes=renumbered(used, recoding.n_classes)[parts.classes])
    return grouping_of(tally, own, len(used)), replace(recoding, cells=recoding.cells[used]), used


def grouping_of(tally: Tally, parts: Parts, n_classes: int) -> Grouping:
    """Return the classes for the promises; with outside tables, which count whole points, points are not split."""
    if tally.populations:
        return Grouping.of(tally, parts.classes, n_classes)
    return Grouping.of_parts(tally, parts, n_classes)


def renumbered(used: NDArray[np.int64], n_classes: int) -> NDArray[np.int32]:
    """Return the new number of each class in use, -1 for the others; the last entry, for no class, is -1."""
    number = np.full(n_classes + 1, -1, dtype=np.int32)
    number[used] = np.arange(len(used), dtype=np.int32)
    return number
