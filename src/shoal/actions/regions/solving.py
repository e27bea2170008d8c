"""Solving in regions: a table whose different rows do not fit into memory is solved and published box by box."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping, Parts
from shoal.classes.recoding import Recoding
from shoal.classes.tally import Tally
from shoal.foundation.progress import Progress
from shoal.jobs.job import Job
from shoal.jobs.source import Source
from shoal.measures.measure import CellMeasure, Loss
from shoal.search.engines import Counted
from shoal.search.engines.placement import different_codes, placed
from shoal.search.local.forms import forms_of, offset_of
from shoal.search.problem import Problem, Solution
from shoal.search.regions.box import box_numbers, leaving_prices, places_of
from shoal.search.regions.coarse import Block
from shoal.search.regions.cutting import TableRegion, regions_of
from shoal.tables.distant import DistantTable
from shoal.tables.table import Table, totals

if TYPE_CHECKING:
    from shoal.search.engines.duckdb import RegionalTable, SpilledRecords, SpilledTable

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

    records: "SpilledRecords"
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


@dataclass(slots=True, eq=False)
class _Sums:
    losses: list[Loss] = field(default_factory=list)
    bounds: list[float | None] = field(default_factory=list)
    optimal: bool = True
    released: int = 0
    suppressed: int = 0
    remarks: dict[str, None] = field(default_factory=dict)

    def add(self, solution: Solution) -> None:
        """Add what was found in one region."""
        self.losses.append(solution.loss)
        self.bounds.append(solution.bound)
        self.optimal = self.optimal and solution.guarantee == "optimal"
        self.released += solution.groups.n_records
        self.suppressed += solution.suppressed
        self.remarks |= {solution.remark: None} if solution.remark else {}


def solved_in_regions(
    source: Source,
    spilled: "SpilledTable",
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
    from shoal.search.engines.duckdb import RegionalTable, SpilledRecords  # an extra

    job, table = source.job, source.table
    assert isinstance(table, DistantTable)  # noqa: S101  (what a spilled table is read as)
    assert job.engine.regions is not None  # noqa: S101  (filled in when it was read)
    regional = RegionalTable.of(spilled, table, source.hierarchies, source.weights, job.watched())
    whole = problem_of(job, regional.tally)
    regions = regions_of(whole, job.engine.regions, lambda: _blocks(regional), progress)
    _split(regional, regions)
    seed = job.search.seed or 0
    records, sums, name, reason = SpilledRecords(spilled.rows, list(table.columns), seed), _Sums(), "", ""
    for number, region in enumerate(regions):
        progress("solving the regions", number / len(regions))
        part, counted = regional.part(number)
        name, reason, solution = solve(job, _problem(whole, counted.tally, region), progress)
        rng = np.random.default_rng([seed, number])
        _publish(records, part, counted, solution, rng, stars=whole.stars)
        sums.add(solution)
    return RegionalOutcome(records, regions, name, reason, _whole(whole, sums), regional.tally)


def _blocks(regional: "RegionalTable") -> Iterator[Block]:
    """Yield the rows with the places of their leaves."""
    places = [places_of(column) for column in regional.tally.quasi]
    for leaves, profiles, counts in regional.blocks():
        yield Block([own[codes] for own, codes in zip(places, leaves, strict=True)], profiles, counts)


def _split(regional: "RegionalTable", regions: list[TableRegion]) -> None:
    """Let the engine put the rows of each region together."""
    places, boxes = [places_of(column) for column in regional.tally.quasi], [region.box for region in regions]

    def numbers(codes: dict[str, NDArray[np.unsignedinteger]]) -> NDArray[np.int64]:
        positions = [own[leaves] for own, leaves in zip(places, regional.leaves(codes), strict=True)]
        return box_numbers(boxes, positions)

    regional.spilled.split(numbers, len(regions))


def _problem(whole: Problem, tally: Tally, region: TableRegion) -> Problem:
    """Return the problem of a region, whose bound holds for releases of the whole table."""
    leaving = None
    if isinstance(whole.measure, CellMeasure):
        leaving = leaving_prices(tally.quasi, forms_of(tally.quasi, whole.measure), region.box)
    limit = whole.time_limit
    share = tally.n_records / whole.tally.n_records
    return replace(whole, tally=tally, leaving=leaving, time_limit=None if limit is None else limit * share)


def _publish(
    records: "SpilledRecords",
    table: Table,
    counted: Counted[NDArray[np.int32]],
    solution: Solution,
    rng: np.random.Generator,
    *,
    stars: bool,
) -> None:
    """Give each record of a region its class, and hand over what leaves of them."""
    placement = placed(table, counted, solution, rng)
    made, row_of, counts = different_codes(table, solution, placement, stars=stars)
    n_rows = len(next(iter(made.values()))[1])
    if n_rows:
        records.add(made, totals(row_of, counts, n_rows))


def _whole(problem: Problem, sums: _Sums) -> Solution:
    """Return the solution of the whole table: its loss and bound, and the records that leave as one class."""
    tally, measure = problem.tally, problem.measure
    assert isinstance(measure, CellMeasure)  # noqa: S101  (others are refused)
    loss, bound = measure.together(sums.losses, tally.quasi, tally.n_records), None
    known = [one for one in sums.bounds if one is not None]
    if len(known) == len(sums.bounds):
        bound = max(sum(known) - (len(known) - 1) * offset_of(tally.quasi, measure), 0.0)
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
