"""Placing: the records of another table in the classes of rules."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping, Parts
from shoal.classes.recoding import Recoding
from shoal.classes.records import Records
from shoal.classes.tally import Tally
from shoal.foundation.progress import Progress, silent
from shoal.kernels.rules.filling import Assignment, covered_points, fill, linked
from shoal.kernels.rules.mending import mend, send_on, settle, shed
from shoal.kernels.sufficient_tests import SufficientTests
from shoal.releases.rules.finding import Combined, Finder
from shoal.search.local.sufficient_tests import no_sufficient_tests, sufficient_tests_of
from shoal.search.problem import Problem

_OPTIONS = 16  # classes that are known for a point at a time
_BLOCK = 131_072  # points that are looked up between two words on how far it is
_FOUND = 0.5  # of the work is done when all are looked up, about
_DONORS = 2_000  # classes that are looked at for a record that one lacks
_TRIES = 2_000  # records that are looked at for what would mend a class
_NEAR = 300  # classes that are looked at for one that gives or takes it
_BUDGET = 2_000_000_000  # values that are looked at for that in all, about
_SAVING = 20  # rounds in which classes may be saved by a few records: so it comes to an end
_STEP = "placing the records"


@dataclass(frozen=True, slots=True, eq=False)
class AssignedRecords:
    """Where the records of a table went.

    Args:
        first: The class that each point would go to by the rules alone, or -1 if none covers it.
        parts: The records of each class among those that keep all promises; -1 for those in none.
    """

    first: NDArray[np.int32]
    parts: Parts

    def outside(self, tally: Tally) -> int:
        """Return the number of records that no class covers."""
        return int(tally.counts[self.first < 0].sum())

    def failing(self, tally: Tally) -> int:
        """Return the number of records that some class covers, and none that keeps its promises."""
        return int(self.parts.counts[self.parts.classes < 0].sum()) - self.outside(tally)


def assign_records(problem: Problem, finder: Finder, progress: Progress = silent) -> AssignedRecords:
    """Put the records into classes that cover them and keep all promises.

    Each point goes to the class that covers it best. Where that leaves a class with too few records, or with such that
    break a promise, others that it covers too come from classes that can spare them. A class that cannot be helped is
    given up, those first whose records others cover, and its records go on to the next. It ends when all classes that
    have records keep their promises, since after some rounds each gives up one at least.

    Args:
        problem: What is asked.
        finder: The classes.
        progress: Where to tell how far it is.
    """
    if isinstance(finder, Combined):
        return _alone(problem, finder)
    records = Records.of(problem.tally)
    sharing = _Sharing(problem, finder, records, progress)
    first = np.full(problem.tally.n_points, -1, dtype=np.int32)
    first[records.origin] = sharing.places.options[records.point, 0]
    sharing.share_out(progress)
    return AssignedRecords(first, records.parts(sharing.places.label))


def _alone(problem: Problem, finder: Combined) -> AssignedRecords:
    """Place points that one class covers at most: those of classes that fail are in none."""
    tally = problem.tally
    first = finder.find(np.arange(tally.n_points), np.ones(finder.recoding.n_classes, dtype=np.bool_), 1)[:, 0]
    groups, recoding, used = grouped(tally, finder.recoding, Parts.whole(tally, first))
    kept = np.zeros(finder.recoding.n_classes + 1, dtype=np.bool_)
    kept[used] = problem.released(groups, recoding)
    return AssignedRecords(first, Parts.whole(tally, np.where(kept[first], first, np.int32(-1))))


class _Sharing:
    """Records on their way to their classes.

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
        self.places = self._begun(options, alive)

    def _begun(self, options: NDArray[np.int32], alive: NDArray[np.bool_]) -> Assignment:
        """Return each record in the first class that covers it."""
        records, n_classes = self.records, len(alive)
        label = options[records.point, 0].astype(np.int64)
        around = covered_points(options, n_classes)
        return Assignment(
            records.firsts, records.point, records.profile, options, *around, alive, label, *linked(label, n_classes)
        )

    def share_out(self, progress: Progress) -> None:
        """Move records until every class that has some keeps all promises.

        Where promises ask for more than a number of records, there are two ways: classes are filled first, or not.
        Neither is always the better one, so that both are tried if the first leaves records over.
        """
        least, begun = _left(self.places), self.places.options
        tested = len(self._sufficient_tests().tests) > 0
        self._share_out(progress, filling=not tested)
        if tested and _left(self.places) > least:
            found = self.places
            self.places = self._begun(begun, np.ones_like(found.alive))
            self._share_out(silent, filling=True)
            self.places = min(found, self.places, key=_left)

    def _share_out(self, progress: Progress, *, filling: bool) -> None:
        share, most, rounds = _FOUND, 0, 0
        failing = self._failing()
        while len(failing):
            most, rounds = max(most, len(failing)), rounds + 1
            share = max(share, 1 - (1 - _FOUND) * len(failing) / most)
            progress(_STEP, share)
            if filling:
                fill(self.places, failing, self.problem.k, _DONORS)
                failing = self._failing()
            sufficient_tests = self._sufficient_tests()
            if len(sufficient_tests.tests) and len(failing):
                chains = _BUDGET // (sufficient_tests.counts.shape[1] * _NEAR)
                mend(self.places, sufficient_tests, failing, self.problem.k, _TRIES, _NEAR, chains)
                failing = self._failing()
            if len(failing):
                self._give_up(failing, saving=rounds <= _SAVING)
                failing = self._failing()
        self._settle()

    def _sufficient_tests(self) -> SufficientTests:
        """Return the tests of the promises among the records that are in classes."""
        problem = self.problem
        if any(model.relative for model in problem.models) and not problem.stars:
            placed = self.places.label >= 0
            tally, profiles = problem.tally, self.records.profile[placed]
            counted = replace(tally, profiles=profiles, counts=np.ones(len(profiles), dtype=np.int64))
            problem = replace(problem, tally=counted)
        tests = sufficient_tests_of(problem)
        if tests is None or tests.counts.shape[1] * len(self.places.sizes) > _BUDGET:
            return no_sufficient_tests(problem)  # then a promise is seen only when all classes are judged
        return tests

    def _settle(self) -> None:
        """Let records go back to better classes, if all promises hold then too."""
        kept = self.places.label.copy()
        sufficient_tests = self._sufficient_tests()
        settle(self.places, sufficient_tests, self.problem.k, _BUDGET // sufficient_tests.counts.shape[1])
        if len(self._failing()):
            self.places.label[:] = kept

    def _failing(self) -> NDArray[np.int64]:
        """Return the classes that have records and break a promise among all that have some."""
        if (self.places.label < 0).all():
            return np.zeros(0, dtype=np.int64)
        parts = self.records.parts(self.places.label)
        groups, recoding, used = grouped(self.problem.tally, self.finder.recoding, parts)
        if self.problem.stars:
            groups = replace(groups, totals=self.problem.tally.totals)
        return used[~self.problem.passing(groups, recoding)]

    def _give_up(self, failing: NDArray[np.int64], *, saving: bool) -> None:
        """Give up half of some classes: those that leave the fewest records without any. All if none has a next one.

        Args:
            failing: The classes.
            saving: Whether those stay that need to lose fewer records than their end would leave over.
        """
        places = self.places
        members = np.flatnonzero(np.isin(places.label, failing))
        own, options = places.label[members], places.options[places.point[members]]
        others = ((options >= 0) & places.alive[options] & (options != own[:, None])).any(axis=1)
        stranded = np.bincount(own[~others], minlength=len(places.sizes))[failing]
        if others.any():
            order = np.lexsort((failing, places.sizes[failing], stranded))[: (len(failing) + 1) // 2]
            failing, stranded = failing[order], stranded[order]
        if saving:
            failing = failing[~shed(places, self._sufficient_tests(), failing, stranded, self.problem.k)]
        places.alive[failing] = False
        leaving = np.flatnonzero((places.label >= 0) & ~places.alive[places.label])
        self._look_again(leaving)
        send_on(self.places, self._sufficient_tests(), leaving, self.problem.k)

    def _look_again(self, leaving: NDArray[np.int64]) -> None:
        """Find more classes for the points of records that know no living one, if there may be more."""
        places = self.places
        points = np.unique(places.point[leaving])
        full = places.options[points, -1] >= 0
        dead = ~(places.alive[places.options[points]]).any(axis=1)
        again = points[full & dead]
        if len(again):
            options = places.options.copy()
            options[again] = self.finder.find(self._examples[again], places.alive, _OPTIONS)
            begins, covered = covered_points(options, len(places.sizes))
            self.places = places._replace(options=options, begins=begins, covered=covered)


def _left(places: Assignment) -> int:
    """Return the number of records that are in no class."""
    return int((places.label < 0).sum())


def grouped(tally: Tally, recoding: Recoding, parts: Parts) -> tuple[Grouping, Recoding, NDArray[np.int64]]:
    """Return the classes that have records, what they are published as, and which of all they are.

    Args:
        tally: The table.
        recoding: What each class is published as.
        parts: The records of each.
    """
    used = np.unique(parts.classes[(parts.classes >= 0) & (parts.counts > 0)]).astype(np.int64)
    own = replace(parts, classes=renumbered(used, recoding.n_classes)[parts.classes])
    return grouping_of(tally, own, len(used)), replace(recoding, cells=recoding.cells[used]), used


def grouping_of(tally: Tally, parts: Parts, n_classes: int) -> Grouping:
    """Return classes as the promises see them; outside tables count by points, which then are whole."""
    if tally.populations:
        return Grouping.of(tally, parts.classes, n_classes)
    return Grouping.of_parts(tally, parts, n_classes)


def renumbered(used: NDArray[np.int64], n_classes: int) -> NDArray[np.int32]:
    """Return the number that each class has among those in use, -1 for the others and for none."""
    number = np.full(n_classes + 1, -1, dtype=np.int32)
    number[used] = np.arange(len(used), dtype=np.int32)
    return number
