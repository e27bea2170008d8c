"""Run: what the steward keeps of a release: the raw table, the classes, how they were found. None of it leaves.

A release knows its run in the process that made it, and nowhere else: what is pickled or sent is the release alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

import numpy as np

from shoal.certificate import Evidence
from shoal.classes.tally import Tally
from shoal.foundation.errors import SpecError
from shoal.jobs.delivery import parts_of_shape
from shoal.jobs.job import Job
from shoal.jobs.missing_codes import MissingCodes
from shoal.jobs.source import Source
from shoal.releases.charges import RowCharges
from shoal.releases.gathered import Gathered
from shoal.releases.released_types import released_types
from shoal.releases.rules.rules import Applied
from shoal.releases.series.continuation import Continuation
from shoal.search.engines import Engine
from shoal.search.problem import Solution, Witness
from shoal.tables.formats.codebook import Codebook
from shoal.tables.formats.column_type import ColumnType
from shoal.tables.published import Published
from shoal.tables.rows import Rows
from shoal.tables.table import Column, Role, Table

LEFT_OUT = ("rules.json", "report.html", "report-public.html")
"""What has an entry for each class, or compares each class with the raw table."""


@dataclass(frozen=True, eq=False)
class Run:
    """How a release was made, and of what.

    Args:
        source: The table, with the request and the hierarchies.
        engine: Who handles its records.
        solution: The classes and their loss.
        classes: The class of each record, where the engine keeps it.
        released: The records as they were published, where the engine keeps them.
        evidence: What the certificate needs to know beside the released columns.
        algorithm: The name of the algorithm.
        remark: Why it was chosen, and what it has to say.
        seconds: How long the search took.
        gathered: The clusters, if the classes are published as their centres.
        applied: The rules that it was made by, if it was not searched for.
        regional: Whether it was solved in regions, so that neither the raw table nor the classes are in memory.
        tally: The points of the raw table, if it was counted here.
        series: The series that it continues or begins, if it does.
        told: What the steward's report tells, as JSON by the keys of its sections, once that was made.
    """

    source: Source
    engine: Engine[Any, Any, Any]
    solution: Solution
    classes: Any
    released: Published
    evidence: Evidence
    algorithm: str
    remark: str
    seconds: float
    gathered: Gathered | None = None
    applied: Applied | None = None
    regional: bool = False
    tally: Tally | None = None
    series: Continuation | None = None
    told: dict[str, Any] = field(default_factory=dict)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The files that are not made: rules and reports of a table that was solved in regions."""
        return LEFT_OUT if self.regional else ()

    @property
    def job(self) -> Job:
        """The request, with all that was assumed filled in."""
        return self.source.job

    @property
    def n_input(self) -> int:
        """The number of records read."""
        return self.source.n_input

    @property
    def codebook(self) -> Codebook:
        """What the columns and values are called, for a format that can keep it."""
        return self.source.codebook

    @property
    def missing_codes(self) -> MissingCodes:
        """What became of values that are declared as missing."""
        return self.source.missing_codes

    @property
    def raw(self) -> Table:
        """The columns of the raw table that leave, as codes."""
        return self.source.table

    @cached_property
    def raw_points(self) -> Table:
        """The raw table with its quasi columns alone, and few rows that are alike: for those who count its records.

        Where somebody may have several of them, or where it was not counted here, it is the raw table itself.
        """
        raw, tally = self.raw, self.tally
        if tally is None or self.applied is not None or raw.counts is not None or raw.names(Role.ENTITY) or raw.linked:
            return raw
        some, columns = tally.counts > 0, {}
        for j, quasi in enumerate(tally.quasi):
            values = raw.columns[quasi.name].values
            known = [*values, *((None,) if raw.columns[quasi.name].missing else ())]
            code_of = np.full(quasi.hierarchy.n_leaves, len(values), dtype=np.min_scalar_type(len(values)))
            code_of[quasi.hierarchy.encode(known, quasi.name)] = np.arange(len(known))
            columns[quasi.name] = Column(values, code_of[tally.codes[some, j]])
        return Table(columns, dict.fromkeys(columns, Role.QUASI), int(some.sum()), tally.counts[some])

    @property
    def witness(self) -> Witness | None:
        """Charges that prove the bound, if they are known by the points of the raw table."""
        return None if self.tally is None else self.solution.witness

    @cached_property
    def charges(self) -> RowCharges | None:
        """The same by the different rows of the raw table, as it is kept."""
        witness, tally = self.witness, self.tally
        if witness is None or tally is None:
            return None
        return RowCharges.of(tally, witness.own, witness.unit, witness.column)

    @property
    def parts(self) -> tuple[str, ...]:
        """What is released: `records`, `clusters` or both."""
        return parts_of_shape(self.job.release.shape)

    @cached_property
    def types(self) -> dict[str, ColumnType]:
        """The types of the columns that leave as they came, with no category but those that are released."""
        return released_types(self.source, self.solution, self.values, regional=self.regional)

    def values(self, name: str) -> Iterable[Sequence[str]]:
        """Return the different values of a released column, some at a time if they are not in memory."""
        if self.regional or name not in self.rows.frame.columns:
            return self.released.values(name)
        return [self.rows.column(name).values]

    @cached_property
    def rows(self) -> Rows:
        """The different records as they were published, be they released or the clusters alone; see `counted`."""
        return self.released.counted()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        """Refuse to be pickled or copied."""
        raise SpecError(
            "The raw data of a release stays in the process that made it. Send the release itself, or write it."
        )


_RUNS: WeakKeyDictionary[object, Run] = WeakKeyDictionary()


def keep(release: object, run: Run) -> None:
    """Remember the run of a release for as long as there is this release."""
    _RUNS[release] = run


def kept(release: object) -> Run | None:
    """Return the run of a release, if it was made in this process."""
    return _RUNS.get(release)


def run_of(release: object) -> Run:
    """Return the run of a release, or raise a SpecError if it came from another process."""
    run = kept(release)
    if run is None:
        raise SpecError(
            "This release was loaded, or sent from another process: only its data, clusters, certificates "
            "and public report are available here, not its raw table, job and rules. Do this where it was "
            "made, or write it there (release.write) and give the folder."
        )
    return run
