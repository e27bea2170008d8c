"""Replaying: a job is run again on tables in which the records of each released class have exchanged their values."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.actions.anonymize import counted_of, solved, solved_blindly
from shoal.audits.attacks.replay import Replay
from shoal.classes.grouping import Parts
from shoal.classes.recoding import Recoding
from shoal.classes.tally import Tally
from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.foundation.progress import Progress, silent
from shoal.jobs.blindness import is_blind
from shoal.jobs.job import Job
from shoal.jobs.posing import problem_of
from shoal.jobs.source import Source
from shoal.search.engines import Counted
from shoal.search.problem import Problem, Solution
from shoal.tables.hierarchies.hierarchy import STAR, Label
from shoal.tables.rows import Rows
from shoal.tables.table import Column, Role

Cells = tuple[Label, ...]
_LESS = 1 - 1e-9  # of a loss: what is below it is less whatever order its prices were added in


def replayed(source: Source, released: Rows, swaps: int, seed: int, progress: Progress = silent) -> Replay:
    """Run the job of a release again on swapped tables, and count how often it gives the same release.

    What is compared is the published file, the order of its records aside: which cells there are, and how often each of
    the values that the search reads stands beside them. Other columns go with their record and decide nothing.

    Args:
        source: The raw table, with the job.
        released: The rows of the release.
        swaps: The number of swapped tables.
        seed: What they are drawn by.
        progress: Called with the share that is done.
    """
    job, replays = source.job, _Replays()
    first = replays.outcome(source)
    published = None if first is None else _Published(first)
    if published is None or published.rows(job) != _rows(released, job):
        raise SpecError(
            "The job of the release does not reproduce it from this table, so it cannot be replayed. Give "
            "the table from which it was made (--raw); a search that was stopped by a time limit cannot be "
            "repeated."
        )
    rng = np.random.default_rng(seed)
    moved = [name for name in source.table.columns if source.table.roles[name] is not Role.QUASI]
    swaps_of = Swaps(source, moved, published.class_of_records())
    equal = refused = unchanged = 0
    for number in range(swaps):
        progress("releasing swapped tables", number / swaps)
        again = replays.outcome(swaps_of.drawn(rng), first)
        equal += again is not None and published.same(again)
        refused += again is None
        unchanged += replays.unchanged
    return Replay(tuple(moved), is_blind(job), swaps, equal, refused, unchanged)


def _rows(released: Rows, job: Job) -> Counter[Cells]:
    """Return how often each row of a release occurs, by its cells and by the values that the search reads."""
    rows = Rows.of(released.frame, _compared(job), released.counts)
    cells = pl.DataFrame([column.cast(pl.String) for column in rows.frame]).rows()
    return Counter(dict(zip(cells, rows.counts.tolist(), strict=True)))


def _compared(job: Job) -> list[str]:
    """Return the quasi columns and those that the search reads; persons leave as other numbers."""
    return [*job.names(Role.QUASI), *(name for name in job.watched() if name not in job.names(Role.ENTITY))]


class Swaps:
    """Deals some columns of a table, as whole rows, anew to the records of each class.

    Args:
        source: The table.
        names: The columns.
        class_of: The class of each record; what is in none, -1, stays as it is.
    """

    def __init__(self, source: Source, names: list[str], class_of: NDArray[np.int64]) -> None:
        self._source, self._names = source, names
        inside = np.flatnonzero(class_of >= 0)
        self._places = inside[np.argsort(class_of[inside], kind="stable")]
        self._classes = class_of[self._places].astype(np.uint64) << np.uint64(32)

    def drawn(self, rng: np.random.Generator) -> Source:
        """Return the table with another order of these rows inside of each class."""
        lots = rng.integers(0, 2**32, len(self._places), dtype=np.uint64)
        taken = np.arange(self._source.table.n_rows)
        taken[self._places] = self._places[np.argsort(self._classes | lots)]
        columns = {
            name: Column(column.values, column.codes[taken]) if name in self._names else column
            for name, column in self._source.table.columns.items()
        }
        return replace(self._source, table=replace(self._source.table, columns=columns))


@dataclass(frozen=True, slots=True, eq=False)
class _Outcome:
    """A release before its records are put into order: how many of which values stand beside which cells.

    Args:
        counted: The table.
        classes: The class of each record in the search's own numbers, or -1.
        parts: How many records of each point are in each class.
        recoding: What each class is published as.
        stars: Whether suppressed records are published as stars.
        loss: What the search minimizes.
    """

    counted: Counted[Any]
    classes: NDArray[np.int32]
    parts: Parts
    recoding: Recoding
    stars: bool
    loss: float

    def histogram(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many records show the cells of each place and each sensitive tuple.

        Args:
            places: The place of the cells of each class, and at last that of the stars, which is the largest.
        """
        tally = self.counted.tally
        shown = self.parts.classes >= 0 if not self.stars else np.ones(len(self.parts.classes), dtype=np.bool_)
        owners, points = places[self.parts.classes[shown]], self.parts.points[shown]
        size = (int(places[-1]) + 1) * len(tally.profile_codes)
        keys = owners * len(tally.profile_codes) + tally.profiles[points]
        return np.bincount(keys, self.parts.counts[shown], size).astype(np.int64)


class _Published:
    """What a release shows: its different cells, and how often each sensitive tuple stands beside them."""

    def __init__(self, first: _Outcome) -> None:
        self._first = first
        self._codes: list[dict[Label, int]] = [{} for _ in first.recoding.columns]
        rows = self._rows(first.recoding, grow=True)
        self._places = {row: place for place, row in enumerate(dict.fromkeys(rows))}
        self._own = self._of_classes(rows)
        self._shown = first.histogram(self._own)

    def _rows(self, recoding: Recoding, *, grow: bool = False) -> list[bytes]:
        """Return the cells of each class, and at last those of suppressed records, as codes of the texts."""
        columns = []
        for j, known in enumerate(self._codes):
            labels, places = recoding.published(j)
            if grow:
                known.update({label: code for code, label in enumerate(dict.fromkeys([*labels, STAR]))})
            code_of = np.array([known.get(label, -1) for label in [*labels, STAR]], dtype=np.int32)
            columns.append(code_of[np.append(places, len(labels))])
        rows = np.ascontiguousarray(np.column_stack(columns))
        text, width = rows.tobytes(), rows.itemsize * rows.shape[1]
        return [text[start : start + width] for start in range(0, len(text), width)]

    def _of_classes(self, rows: list[bytes]) -> NDArray[np.int64]:
        """Return the place of each class's cells; the stars have one of their own, the last."""
        return np.array([*(self._places[row] for row in rows[:-1]), len(self._places)], dtype=np.int64)

    def class_of_records(self) -> NDArray[np.int64]:
        """Return the published class of each record, or -1 if it is suppressed; classes published alike are one."""
        return np.append(self._own[:-1], -1)[self._first.classes]

    def same(self, other: _Outcome) -> bool:
        """Tell whether another table is published with the same cells and the same values beside them, as often."""
        rows = self._rows(other.recoding)
        if any(row not in self._places for row in rows[:-1]):
            return False
        return bool(np.array_equal(other.histogram(self._of_classes(rows)), self._shown))

    def rows(self, job: Job) -> Counter[Cells]:
        """Return how often each row occurs, as text, by the columns that are compared."""
        recoding, tally, names = self._first.recoding, self._first.counted.tally, _compared(job)
        quasi = [column.name for column in recoding.columns]
        texts: dict[int, Cells] = {int(self._own[-1]): (STAR,) * len(quasi)}
        for place, cells in zip(self._own.tolist(), recoding.cells.tolist(), strict=False):
            texts[place] = tuple(shown.labels[cell] for shown, cell in zip(recoding.shown, cells, strict=True))
        counts = self._shown.reshape(-1, len(tally.profile_codes))
        found: Counter[Cells] = Counter()
        for place, profile in np.argwhere(counts).tolist():
            told = dict(zip(quasi, texts[place], strict=True))
            for column, code in zip(tally.sensitive, tally.profile_codes[profile].tolist(), strict=True):
                told[column.name] = column.values[code]
            found[tuple(told[name] for name in names)] += int(counts[place, profile])
        return found


class _Replays:
    """Runs of one job on tables that differ in who has which values.

    A search is repeated only if it would see something else than before: equal tallies have equal solutions. No bound
    on the loss is looked for, which no class depends on. The first release has the same loss in every swapped table,
    for its classes have the same records; so a search for the least loss may stop when it has found less: its release
    is another one.
    """

    def __init__(self) -> None:
        self.unchanged = False
        self._known: tuple[Tally, tuple[str, str, Solution]] | None = None

    def outcome(self, source: Source, first: _Outcome | None = None) -> _Outcome | None:
        """Return what a table is published as; None if there is no such release."""
        counted, job = counted_of(source), source.job
        self.unchanged = first is not None and _same(counted.tally, first.counted.tally)
        enough = 0.0 if first is None or job.search.blind else first.loss * _LESS
        problem = replace(problem_of(job, counted.tally), unbounded=True, enough=enough)
        rng = np.random.default_rng(job.search.seed)
        try:
            if job.search.blind:
                _, _, solution, unread = solved_blindly(source, counted, problem, silent, self._solved)
                classes = source.engine.assign(unread, solution, rng, blindly=True)
                parts = source.engine.parts(counted, classes)
            else:
                _, _, solution = self._solved(job, problem, silent)
                parts = solution.parts
                classes = source.engine.assign(counted, solution, rng) if first is None else np.zeros(0, dtype=np.int32)
        except InfeasibleError:
            return None
        return _Outcome(
            counted, classes, parts, solution.recoding, job.release.suppressed == "star", solution.loss.total
        )

    def _solved(self, job: Job, problem: Problem, progress: Progress) -> tuple[str, str, Solution]:
        if self._known is None or not _same(problem.tally, self._known[0]):
            found = solved(job, problem, progress)
            self._known = self._known or (problem.tally, found)
            return found
        return self._known[1]


def _same(tally: Tally, other: Tally) -> bool:
    """Tell whether two tallies of the same columns are equal."""
    pairs = (
        (getattr(one, name) for one in (tally, other)) for name in ("counts", "profiles", "codes", "profile_codes")
    )
    return all(np.array_equal(here, there) for here, there in pairs)
