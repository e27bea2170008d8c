"""Solving in regions: a table whose different rows do not fit into memory is solved and published box by box."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.actions.regions.bounding import RegionalBound, RegionCharges
from shoal.classes.grouping import Grouping, Parts
from shoal.classes.recoding import Recoding
from shoal.classes.tally import Tally
from shoal.foundation.progress import Progress, silent
from shoal.jobs.job import Job
from shoal.jobs.source import Source
from shoal.measures.measure import CellMeasure, Loss
from shoal.search.engines.kept_rows import RawBlock, RawCodes, SolvedPart
from shoal.search.engines.placement import different_codes, placed
from shoal.search.engines.regional import RegionalTable
from shoal.search.engines.spilled_table import SpilledTable
from shoal.search.local.forms import forms_of, offset_of
from shoal.search.problem import Border, PointCharges, Problem, Solution
from shoal.search.regions.box import LeafBox, box_numbers, leaving_prices, places_of
from shoal.search.regions.coarse import Block, CoarseTally, filled
from shoal.search.regions.cutting import TableRegion, regions_of
from shoal.tables.distant import DistantTable
from shoal.tables.published import Published
from shoal.tables.table import totals

Solve = Callable[[Job, Problem, Progress], tuple[str, str, Solution]]


@dataclass(slots=True, eq=False)
class RegionalOutcome:
    """What was found in all regions.

    Args:
        records: What leaves.
        regions: The regions.
        algorithm: The name of the algorithm.
        reason: Why it was taken, if nobody asked for it.
        solution: The whole: loss, bound and the number of records; its classes are on disk, and stand here as one.
        tally: The whole table, by sensitive tuples alone.
    """

    records: Published
    regions: list[TableRegion]
    algorithm: str
    reason: str
    solution: Solution
    tally: Tally

    @property
    def remark(self) -> str:
        """What the user should know of the regions."""
        largest = max(region.rows for region in self.regions)
        return f"solved in {len(self.regions)} regions, the largest of {largest:,} different rows"


@dataclass(frozen=True, slots=True, eq=False)
class RegionFigures:
    """What is known of the solution of a region, once its classes are published."""

    loss: Loss
    bound: float | None
    charges: RegionCharges | None
    optimal: bool
    released: int
    suppressed: int
    remark: str

    @classmethod
    def of(cls, solution: Solution, charges: RegionCharges | None) -> "RegionFigures":
        """Take the figures of a solution."""
        optimal, released = solution.guarantee == "optimal", solution.groups.n_records
        return cls(solution.loss, solution.bound, charges, optimal, released, solution.suppressed, solution.remark)


@dataclass(slots=True, eq=False)
class _Sums:
    losses: list[Loss] = field(default_factory=list)
    bounds: list[float | None] = field(default_factory=list)
    charges: list[RegionCharges | None] = field(default_factory=list)
    optimal: bool = True
    released: int = 0
    suppressed: int = 0
    remarks: dict[str, None] = field(default_factory=dict)

    def add(self, found: RegionFigures) -> None:
        """Add what was found in one region."""
        self.losses.append(found.loss)
        self.bounds.append(found.bound)
        self.charges.append(found.charges)
        self.optimal = self.optimal and found.optimal
        self.released += found.released
        self.suppressed += found.suppressed
        self.remarks |= {found.remark: None} if found.remark else {}


def solved_in_regions(
    source: Source,
    spilled: SpilledTable,
    problem_of: Callable[[Job, Tally], Problem],
    solve: Solve,
    progress: Progress,
) -> RegionalOutcome:
    """Cut a table into regions, and solve and publish one after another; one of them is in memory at a time.

    Every class lies in one region. The share of the records that may be suppressed holds in each region, and so in the
    whole. Hierarchies, the prices of the measure, and what classes are compared with are those of the whole table.

    Args:
        source: The table.
        spilled: Its rows.
        problem_of: Returns what a job asks of a tally.
        solve: Solves a problem as a job asks for it.
        progress: Called with the step and the share of it that is done.
    """
    job, table = source.job, source.table
    assert isinstance(table, DistantTable)  # noqa: S101  (what a spilled table is read as)
    assert job.engine.regions is not None  # noqa: S101  (filled in when it was read)
    regional = RegionalTable.of(spilled, table, source.hierarchies, source.weights, job.watched())
    whole = problem_of(job, regional.tally)
    places = [places_of(column) for column in regional.tally.quasi]

    def fill(tallies: Sequence[CoarseTally]) -> None:
        for counted in spilled.rows.gathered(partial(_coarse, regional, places, tallies)):
            for tally, own in zip(tallies, counted, strict=True):
                tally.take(own)

    regions = regions_of(whole, job.engine.regions, fill, progress)
    seed = job.search.seed or 0
    assert isinstance(whole.measure, CellMeasure)  # noqa: S101  (others are refused)
    bounds = RegionalBound.of(whole, whole.measure, [region.box for region in regions])
    solver = RegionSolver(job, whole, regional, regions, solve, seed, bounds)
    part_of = partial(_numbers, regional, places, [region.box for region in regions])
    records, told = spilled.rows.solved(part_of, len(regions), solver, list(table.columns), seed, progress)
    sums, (name, reason, _) = _Sums(), told[0]  # all regions are solved by the same algorithm
    for _, _, found in told:
        sums.add(found)
    return RegionalOutcome(records, regions, name, reason, _whole(whole, sums, bounds), regional.tally)


def _coarse(
    regional: RegionalTable,
    places: Sequence[NDArray[np.int32]],
    tallies: Sequence[CoarseTally],
    raw: Iterator[RawBlock],
) -> list[pl.DataFrame]:
    """Count rows by the bins of some coarse tallies."""
    own = [tally.emptied() for tally in tallies]
    filled(
        own,
        (
            Block([order[codes] for order, codes in zip(places, leaves, strict=True)], profiles, counts)
            for leaves, profiles, counts in regional.blocks(raw)
        ),
    )
    return [tally.summed() for tally in own]


def _numbers(
    regional: RegionalTable, places: Sequence[NDArray[np.int32]], boxes: Sequence[LeafBox], raw: RawCodes
) -> NDArray[np.int64]:
    """Return the region of each row, or -1 if it is left out."""
    codes, kept = regional.coding.cleaned(raw)
    found = box_numbers(boxes, [order[own] for order, own in zip(places, regional.leaves(codes), strict=True)])
    if kept is None:
        return found
    numbers = np.full(len(kept), -1, dtype=np.int64)
    numbers[kept] = found
    return numbers


@dataclass(frozen=True, slots=True, eq=False)
class RegionSolver:
    """Solves a region and publishes it, where its rows are: it can be sent there.

    Args:
        job: The request.
        whole: The problem of the whole table.
        regional: What makes tallies of rows.
        regions: The regions.
        solve: Solves a problem as a job asks for it.
        seed: What is drawn from.
        bounds: What makes one bound of those of all regions, if it can be made.
    """

    job: Job
    whole: Problem
    regional: RegionalTable
    regions: Sequence[TableRegion]
    solve: Solve
    seed: int
    bounds: RegionalBound | None

    def __call__(self, number: int, raw: RawCodes, counts: NDArray[np.int64]) -> SolvedPart:
        """Return what leaves of a region, with the algorithm's name, why it was taken, and what it found in figures."""
        table, counted = self.regional.part(raw, counts)
        charged = list[PointCharges]()
        problem = _problem(self.whole, counted.tally, self.regions[number], charged.append)
        name, reason, solution = self.solve(self.job, problem, silent)
        placement = placed(table, counted, solution, np.random.default_rng([self.seed, number]))
        rows, row_of, numbers = different_codes(table, solution, placement, stars=self.whole.stars)
        n_rows = len(next(iter(rows.values()))[1])
        charges = None if self.bounds is None or not charged else self.bounds.charges(counted.tally, charged[-1])
        told = name, reason, RegionFigures.of(solution, charges)
        return SolvedPart(rows, totals(row_of, numbers, n_rows), told)


def _problem(whole: Problem, tally: Tally, region: TableRegion, charged: Callable[[PointCharges], object]) -> Problem:
    """Return the problem of a region, whose bound holds for releases of the whole table."""
    assert isinstance(whole.measure, CellMeasure)  # noqa: S101  (others are refused)
    border = Border(leaving_prices(tally.quasi, forms_of(tally.quasi, whole.measure), region.box), charged)
    limit = whole.time_limit
    share = tally.n_records / whole.tally.n_records
    return replace(whole, tally=tally, border=border, time_limit=None if limit is None else limit * share)


def _bound(problem: Problem, measure: CellMeasure, sums: _Sums, bounds: RegionalBound | None) -> float | None:
    """Return the bound of the whole table: the sum of those of the regions, or a better one by their charges."""
    known = [one for one in sums.bounds if one is not None]
    if len(known) < len(sums.bounds):
        return None
    bound = max(sum(known) - (len(known) - 1) * offset_of(problem.tally.quasi, measure), 0.0)
    charges = [one for one in sums.charges if one is not None]
    if bounds is None or len(charges) < len(sums.charges):
        return bound
    return max(bound, bounds.total(charges, measure, problem.k))


def _whole(problem: Problem, sums: _Sums, bounds: RegionalBound | None) -> Solution:
    """Return the solution of the whole table: its loss and bound, and the records that leave as one class."""
    tally, measure = problem.tally, problem.measure
    assert isinstance(measure, CellMeasure)  # noqa: S101  (others are refused)
    loss, bound = measure.together(sums.losses, tally.quasi, tally.n_records), _bound(problem, measure, sums, bounds)
    groups = Grouping.of(tally, np.zeros(tally.n_points, dtype=np.int32), 1)
    nothing = np.zeros(0, dtype=np.int32)
    return Solution(
        parts=Parts(nothing, nothing, np.zeros(0, dtype=np.int64)),
        groups=replace(groups, sizes=np.array([sums.released])),
        recoding=Recoding(tally.quasi, (), np.zeros((0, len(tally.quasi)), dtype=np.int32)),
        suppressed=sums.suppressed,
        loss=loss,
        bound=loss.total if sums.optimal else bound,
        guarantee="optimal" if sums.optimal else "none",
        remark="; ".join(sums.remarks),
    )
