"""The search for the levels of columns at which few cells must be suppressed."""

from dataclasses import dataclass, field
from functools import partial
from math import inf
from operator import attrgetter

import numpy as np

from shoal.classes.grouping import Parts
from shoal.foundation.progress import Progress, silent
from shoal.kernels.clock import clock
from shoal.search.bounds.best import local_bound
from shoal.search.bounds.bounds import FULL, LIGHT
from shoal.search.lattice.descent import descend
from shoal.search.levels.at_levels import at_levels
from shoal.search.levels.level_bounds import LevelBounds, Levels, neighbours
from shoal.search.local.forms import forms_of
from shoal.search.local.partition import cell_measure, loss_of
from shoal.search.local.peeling import peeled
from shoal.search.local.sufficient_tests import sufficient_tests_of
from shoal.search.local.tight import seconds_until, tight_parts
from shoal.search.problem import Problem
from shoal.search.removal import Removal

_LISTED = 4_000  # choices of levels whose cost with the least stars is looked at
_VISITS = 4_000_000  # records that are made to classes, over all choices of levels,
_TRIED = (8, 40)  # of which at least and at most so many are tried
_BOUNDED = 24  # how often the bound of a choice is raised,
_EFFORTS = (LIGHT, FULL)  # first a little, then as far as can be
_ANNEALED = 3  # choices of levels whose classes are improved,
_LESS = 8  # all but the best with this part of the effort,
_SHARE = 0.15  # or of the time that is left


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The best classes that are known, the levels they are published at, and their loss."""

    loss: float
    levels: Levels
    parts: Parts


@dataclass(slots=True, eq=False)
class LevelSearch:
    """Finds levels of columns, and classes whose cells are a node of the level or a star.

    For given levels, quick classes are peeled: records that are alike in all columns, then those that are with a column
    starred, with two, and so on, the cheapest stars first. Levels are changed by one in one column as long as that
    loses less, from the values themselves and from a full-domain release. Then all other levels are tried whose nodes,
    with the least stars, cost less than the best that is known, those that cost least first. The classes of the best
    levels are annealed as by `tightest`.

    Args:
        problem: The problem.
        start: The records that must be suppressed.
        name: The name of the algorithm, for messages.
        deadline: When to be done, by the clock of searches.
        progress: Called with what is done.
    """

    problem: Problem
    start: Removal
    name: str
    deadline: float = inf
    progress: Progress = silent
    known: dict[Levels, Found] = field(default_factory=dict)
    floors: dict[Levels, float] = field(default_factory=dict)
    rest: float = 0.0

    def run(self, effort: int) -> Found:
        """Return the best classes; a bound on the loss of all levels is then known."""
        bounds = LevelBounds(self.problem, self.name)
        for levels in self._starts():
            self._descend(levels, bounds)
        self._list(bounds)
        least, most = _TRIED
        tries = min(max(_VISITS // max(self.problem.tally.n_records, 1), least), most)
        for levels in sorted(self.floors, key=self.floors.__getitem__)[:tries]:
            if self.floors[levels] >= self.best.loss or clock() >= self.deadline:
                break
            self._quick(levels)
        if not self.problem.unbounded:
            self._bound()
        return self._annealed(effort)

    @property
    def best(self) -> Found:
        """The best classes so far."""
        return min(self.known.values(), key=lambda found: (found.loss, found.levels))

    @property
    def bound(self) -> float:
        """A lower bound on the loss of every release at any levels."""
        return min(self.rest, min(self.floors.values(), default=inf))

    def _starts(self) -> list[Levels]:
        """Return the levels to begin with: the values themselves, and those of a full-domain release."""
        alike, quasi = descend(self.problem, {}), self.problem.tally.quasi
        values = (0,) * len(quasi)
        return [values] if alike is None else [values, tuple(alike.levels[column.name] for column in quasi)]

    def _descend(self, levels: Levels, bounds: LevelBounds) -> None:
        """Change one level after the other as long as that loses less."""
        now, heights = self._quick(levels), [column.hierarchy.height for column in self.problem.tally.quasi]
        while clock() < self.deadline:
            near = [other for other in neighbours(now.levels, heights) if bounds.values(other) < self.best.loss]
            better = min(map(self._quick, near), key=attrgetter("loss"), default=now)
            if better.loss >= now.loss:
                break
            now = better

    def _list(self, bounds: LevelBounds) -> None:
        """List the levels that may lose less than what is known."""
        self.rest = self.best.loss
        for number, (floor, levels) in enumerate(bounds.ascending()):
            if floor >= self.best.loss:
                break
            if number >= _LISTED or clock() >= self.deadline:
                self.rest = floor
                break
            self.floors[levels] = bounds.stars(levels)

    def _quick(self, levels: Levels) -> Found:
        """Return quick classes at some levels; they are found once."""
        if levels not in self.known:
            losing = partial(loss_of, at_levels(self.problem, levels, self.name))
            parts = min(self._peeled(levels), key=losing)
            self.known[levels] = Found(losing(parts), levels, parts)
            self.progress(f"trying the levels of columns: {len(self.known)} choices")
        return self.known[levels]

    def _peeled(self, levels: Levels) -> list[Parts]:
        """Return classes that keep the promises: of peeled records, or one of all where that cannot be tested."""
        inside, limit = at_levels(self.start.problem, levels, self.name), self.problem.limit
        tests = sufficient_tests_of(inside)
        peels = None if tests is None else peeled(inside, cell_measure(inside, self.name), tests)
        found = [] if peels is None else [parts for parts in (peels.some, peels.every) if parts is not None]
        found = [self.start.whole(parts) for parts in found]
        found = [parts for parts in found if int(parts.counts[parts.classes < 0].sum()) <= limit]
        if not found:
            points = np.arange(inside.tally.n_points, dtype=np.int32)
            found.append(self.start.whole(Parts(points, np.zeros_like(points), inside.tally.counts)))
        return found

    def _bound(self) -> None:
        """Raise the bounds of the levels that may lose least, as long as the least of all grows by that."""
        rounds: dict[Levels, int] = {}
        while self.floors and sum(rounds.values()) < _BOUNDED and clock() < self.deadline:
            levels = min(self.floors, key=self.floors.__getitem__)
            done = rounds.get(levels, 0)
            if done == len(_EFFORTS) or self.floors[levels] >= self.best.loss:
                return
            at = at_levels(self.problem, levels, self.name)
            forms, left = forms_of(at.tally.quasi, cell_measure(at, self.name)), seconds_until(self.deadline)
            found = local_bound(at, forms, effort=_EFFORTS[done], seconds=left)
            self.floors[levels], rounds[levels] = max(self.floors[levels], found.total), done + 1
            self.progress(f"bounding the loss at the levels of columns: {len(rounds)} choices")

    def _annealed(self, effort: int) -> Found:
        """Improve the classes of the best levels a little, and those of the best of these as much as is asked."""
        few = sorted(self.known.values(), key=lambda found: (found.loss, found.levels))[:_ANNEALED]
        for found in few if len(few) > 1 else []:
            if self.floors.get(found.levels, -inf) < self.best.loss:
                self._improve(found, effort // _LESS, _SHARE)
        self._improve(self.best, effort, 1.0)
        return self.best

    def _improve(self, found: Found, effort: int, share: float) -> None:
        """Anneal classes at the same levels, if there is time; the better ones are known then."""
        now = clock()
        if now >= self.deadline:
            return
        end = inf if self.deadline == inf else now + (self.deadline - now) * share
        at = at_levels(self.problem, found.levels, self.name)
        forms = forms_of(at.tally.quasi, cell_measure(at, self.name))
        start = None if sufficient_tests_of(at) is None else found.parts
        tight = tight_parts(at, forms, self.name, effort=effort, deadline=end, progress=self.progress, start=start)
        loss = loss_of(at, tight.parts)
        if loss < found.loss:
            self.known[found.levels] = Found(loss, found.levels, tight.parts)
