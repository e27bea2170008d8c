"""Source: the tables of a job as they come from its files or from memory, with their hierarchies."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.classes.observed import COUNT
from shoal.classes.tally import QuasiColumn, Tally
from shoal.clusters.distances import DistanceSpec
from shoal.clusters.distances.automatic import completed
from shoal.clusters.distances.combination import combined
from shoal.clusters.distances.equal import Equal
from shoal.clusters.metric import Metric
from shoal.foundation.errors import SpecError
from shoal.foundation.progress import Progress, silent
from shoal.jobs.delivery import Delivery
from shoal.jobs.engine_choice import chosen
from shoal.jobs.engine_limits import LARGE_ROWS, MOST_VALUES, free_columns, in_regions, most_rows
from shoal.jobs.given_table import read_columns
from shoal.jobs.job import Job
from shoal.jobs.keys.pseudonyms import PseudonymKey, pseudonymized
from shoal.jobs.missing_codes import MissingCodes
from shoal.jobs.missing_codes import hierarchy_for as recipe_for
from shoal.jobs.people.households import counting_households
from shoal.jobs.sections import ColumnRequest
from shoal.jobs.table_read import TableRead
from shoal.search.engines import (
    COUNTING,
    Engine,
    Keep,
    counted_apart,
    counted_by,
    counted_frame,
    counted_or_kept,
    engine_named,
)
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.folder import FolderLocation
from shoal.tables.formats.codebook import Codebook
from shoal.tables.formats.column_type import Types
from shoal.tables.formats.frames import FrameKind, frame_kind_of, named_apart, to_polars, types_in
from shoal.tables.hierarchies import Hierarchy, HierarchySpec, Suppression
from shoal.tables.location import FileLocation, Location, TableLocation
from shoal.tables.rows import Rows
from shoal.tables.table import Role, Table, check_roles, check_whole, complete_rows, select_columns, without_values

if TYPE_CHECKING:
    from shoal.search.engines.apart import ApartColumns
    from shoal.search.engines.kept_rows import KeptRows
    from shoal.search.engines.spilled_table import SpilledTable


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The table of a job, read and coded.

    Args:
        job: The request, with what was assumed filled in: automatic hierarchies and distances, a seed,
            the delimiter.
        table: The table.
        populations: The outside tables that the promises speak of.
        hierarchies: The hierarchy of each quasi column, and of sensitive columns that have one.
        n_input: The number of records read, those with missing values included.
        delimiter: What separates the fields of the file.
        kind: The kind of frame that the table came as.
        codebook: What the table's file says about its columns and values.
        missing_codes: What becomes of values that the file declares as missing.
        reason: Why the engine was taken, if nobody asked for it.
        types: The types of the columns, as far as the table tells them.
        spilled: The rows, if the engine keeps them, and they are to be solved in regions.
        apart: The columns that leave and are not in the table, since they are too different to count by.
        numbers: The number of each row of the table for these.
    """

    job: Job
    table: Table
    populations: Mapping[str, Table]
    hierarchies: Mapping[str, Hierarchy]
    n_input: int
    delimiter: str | None
    kind: FrameKind
    codebook: Codebook = field(default_factory=Codebook)
    missing_codes: MissingCodes = field(default_factory=lambda: MissingCodes({}, {}))
    reason: str = ""
    types: Types = field(default_factory=dict)
    spilled: "SpilledTable | None" = None
    apart: "ApartColumns | None" = None
    numbers: NDArray[np.int64] | None = None

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each column in the loss."""
        return {name: column.weight for name, column in self.job.columns.items()}

    @property
    def engine(self) -> Engine[Any, Any, Any]:
        """Who handles the records."""
        kind = engine_named(self.job.engine.name, counted=self.table.counts is not None)
        left = {} if self.apart is None else {"apart": self.apart, "numbers": self.numbers}
        return kind(self.table, self.hierarchies, self.weights, self.populations, **left)

    @property
    def roles(self) -> dict[str, Role]:
        """The role of each column that leaves."""
        left = [] if self.apart is None else self.apart.names
        own = {name: self.table.roles[name] for name in self.table.published}
        return {**own, **{name: self.job.columns[name].role for name in left}}

    def single(self) -> "Source":
        """Return the same table with each record as a row of its own, in memory."""
        return replace(self, table=self.table.single(), job=self.job.with_engine("local"))


def read(
    job: Job,
    data: Any = None,
    outside: Mapping[str, Any] | None = None,
    progress: Progress = silent,
    key: PseudonymKey | None = None,
    *,
    apart: bool = False,
) -> Source:
    """Read the table and the outside tables of a job, and build the hierarchies over their values.

    Args:
        job: The request.
        data: A frame, if the table is in memory.
        outside: Outside tables by name, as frames or locations; those that the promises speak of if left out.
        progress: Told how far an engine is that counts.
        key: The key of pseudonyms that are to leave; None draws one, for a table of which nothing leaves.
        apart: Whether columns that are too different to count by may be left to the engine.
    """
    source = read_table(job, data, progress=progress, key=key, apart=apart)
    populations = read_populations(job, source.table.names(Role.QUASI), source.missing_codes, outside)
    tables = list(populations.values())
    completed, hierarchies = _completed(source.job, source.table, tables, source.missing_codes, source.codebook)
    return replace(source, job=completed, populations=populations, hierarchies=hierarchies)


def read_table(
    job: Job,
    data: Any = None,
    earlier: MissingCodes | None = None,
    progress: Progress = silent,
    key: PseudonymKey | None = None,
    *,
    apart: bool = False,
) -> Source:
    """Read the table of a job, without the outside tables and the hierarchies.

    Args:
        job: The request.
        data: A frame, if the table is in memory.
        earlier: What was decided on declared values of another table that this one must be like.
        progress: Told how far an engine is that counts.
        key: The key of pseudonyms; see `read`.
        apart: Whether columns may be left to the engine; see `read`.
    """
    job, reason = chosen(counting_households(job, data), data)
    roles = {name: column.role for name, column in job.columns.items()}
    read = _from_memory(data, job, roles) if data is not None else _from_place(job, roles, progress, apart=apart)
    n_input, counts = read.n_records, read.counts
    frame = Delivery(job, job.folder).fitted(read.frame, n_input)
    missing_codes = MissingCodes.of(job, frame, read.codebook, earlier)
    frame = missing_codes.settled(frame)
    required = [*job.names(Role.QUASI), *job.watched()] if job.input.missing == "drop" else []
    spilled = None if read.spilled is None else _spilled(read.spilled, frame, required)
    numbers = None
    if required and spilled is None:
        whole = complete_rows(frame, required)
        numbers = np.flatnonzero(whole.to_numpy())
        frame, counts = frame.filter(whole), None if counts is None else counts[numbers]
    own = {name: roles[name] for name in frame.columns}
    weights = job.search.sampling_weights
    kept = [*job.pseudonyms, *([] if weights is None else [weights])]
    table = Table.of(frame, own, counts, kept) if spilled is None else spilled.table(own)
    if table.n_records == 0:
        raise SpecError(f"The table has no records ({n_input} before those with missing values were dropped).")
    if spilled is not None:
        job, reason = in_regions(job, reason, spilled.rows.n_rows)
    if read.apart is not None:
        reason = "; ".join(filter(None, [reason, read.left]))
    for name in table.names(Role.ENTITY):
        check_whole(table.columns[name], name, table.counts)
    table = pseudonymized(table, job, key)
    job = job.model_copy(update={"input": job.input.model_copy(update={"delimiter": read.delimiter})})
    renamed = [name for name, column in job.columns.items() if column.names_persons or column.mask is not None]
    codebook = read.codebook.without_values(renamed)
    types = {name: one for name, one in read.types.items() if name not in renamed}
    told = (n_input, read.delimiter, read.kind, codebook, missing_codes, reason, types, spilled)
    return Source(job, table, {}, {}, *told, read.apart, numbers)


def _spilled(rows: "KeptRows", values: pl.DataFrame, required: Sequence[str]) -> "SpilledTable":
    from shoal.search.engines.spilled_table import SpilledTable  # most jobs do not need it

    return SpilledTable(rows, values, required)


def read_populations(
    job: Job, quasi: Sequence[str], missing_codes: MissingCodes, outside: Mapping[str, Any] | None = None
) -> dict[str, Table]:
    """Return the outside tables that the promises of a job speak of, or those that are given."""
    blanks = job.input.missing_values
    named = {name: FileLocation(Path(name), blanks=blanks) for name in population_files(job)}
    tables = named if outside is None else outside
    return {name: _population(one, quasi, missing_codes, job) for name, one in tables.items()}


def again(source: Source, job: Job) -> Source:
    """Return what another request makes of a table that is read already: its own hierarchies and distances.

    Both must speak of the same input, roles and outside tables. The seed is that of the first request.
    """
    seed = source.job.search.seed
    job = job if seed is None else job.with_seed(seed)
    job, hierarchies = _completed(
        job, source.table, list(source.populations.values()), source.missing_codes, source.codebook
    )
    job = job.model_copy(update={"input": source.job.input})
    return replace(source, job=job, hierarchies=hierarchies)


def _from_memory(data: Any, job: Job, roles: Mapping[str, Role]) -> TableRead:
    if job.engine.name in COUNTING:
        data = named_apart(data)
        check_roles(data.columns, roles)
        kept = [name for name in data.columns if job.is_read(name)]
        rows = counted_frame(data, kept, job.input.missing_values)
        return TableRead(rows.frame, rows.counts, frame_kind_of(data), types=types_in(data, kept))
    frame, kind = to_polars(data)
    check_roles(frame.columns, roles)
    kept = [name for name in frame.columns if job.is_read(name)]
    frame = without_values(select_columns(frame, kept), job.input.missing_values)
    return TableRead(frame, None, kind, types=types_in(data, kept))


def _from_place(job: Job, roles: Mapping[str, Role], progress: Progress, *, apart: bool) -> TableRead:
    location = job.location
    delimiter = location.delimiter
    if isinstance(location, FileLocation | FolderLocation):
        location = replace(location, given=delimiter)

    def keep(columns: list[str]) -> list[str]:
        check_roles(columns, roles)
        return [name for name in columns if job.is_read(name)]

    free = free_columns(job) if apart else []
    limits = MOST_VALUES, most_rows(job) or LARGE_ROWS
    found = counted_apart(location, keep, free, job.engine.memory, limits, progress) if free else None
    if found is not None:
        rows, left = found
        types = location.types([*rows.frame.columns, *left.names])
        return TableRead(rows.frame, rows.counts, FrameKind.POLARS, delimiter, types=types, apart=left)
    if job.engine.name in COUNTING:
        rows, spilled = _counted(job, location, keep, progress)
        types = location.types(rows.frame.columns)
        codebook = location.codebook(rows.frame)
        return TableRead(rows.frame, rows.counts, FrameKind.POLARS, delimiter, codebook, types, spilled)
    kept = keep(location.columns())
    if isinstance(location, TableLocation) and location.database.counts and not job.needs_records:
        rows = location.rows(kept)
        codebook = location.codebook(rows.frame)
        return TableRead(rows.frame, rows.counts, FrameKind.POLARS, delimiter, codebook, location.types(kept))
    frame = location.read(keep=kept)
    return TableRead(frame, None, FrameKind.POLARS, delimiter, location.codebook(frame), location.types(kept))


def _counted(job: Job, location: Location, kept: Keep, progress: Progress) -> tuple[Rows, "KeptRows | None"]:
    """Let an engine count; if it keeps the rows, the values of each column are returned in their place."""
    most, settings = most_rows(job), {"memory": job.engine.memory, "master": job.engine.master}
    if most is None:
        return counted_by(job.engine.name, location, kept, progress, **settings), None
    found = counted_or_kept(job.engine.name, location, kept, most, progress, **settings)
    return (found, None) if isinstance(found, Rows) else (Rows.each(found.values()), found)


def population_files(job: Job) -> list[str]:
    """Return the files of the outside tables that the promises of a job speak of."""
    return sorted({promise.population_file for promise in job.require if promise.population_file is not None})


def _population(data: Any, quasi: Sequence[str], missing_codes: MissingCodes, job: Job) -> Table:
    """Read the quasi columns of an outside table, with texts as the format of the release keeps them."""
    frame = missing_codes.settled(Delivery(job, job.folder).kept_texts(read_columns(data, quasi)))
    return Table.of(select_columns(frame, quasi), dict.fromkeys(quasi, Role.QUASI))


def _completed(
    job: Job, table: Table, populations: Sequence[Table], missing_codes: MissingCodes, codebook: Codebook
) -> tuple[Job, dict[str, Hierarchy]]:
    """Choose what a quasi column needs and has not: a hierarchy, distances; draw a seed; build all hierarchies."""
    columns: dict[str, ColumnRequest] = {}
    hierarchies: dict[str, Hierarchy] = {}
    values: dict[str, list[str]] = {}
    for name in (*job.names(Role.QUASI), *job.names(Role.SENSITIVE)):
        tables = [table, *populations] if name in job.names(Role.QUASI) else [table]
        values[name] = sorted({value for one in tables for value in one.columns[name].values})
    plain = {name: missing_codes.without(found, name) for name, found in values.items()}
    distances = _distances(job, plain, codebook)
    for name, column in job.columns.items():
        columns[name] = column.model_copy(update={"distance": distances[name]}) if name in distances else column
        if column.hierarchy is None and column.role is Role.QUASI:
            recipe = _hierarchy(job, plain[name], distances.get(name), codebook, name)
            columns[name] = columns[name].model_copy(update={"hierarchy": recipe})
        built = columns[name].hierarchy
        if built is not None and column.role is Role.QUASI:
            built = built.completed(plain[name])
            columns[name] = columns[name].model_copy(update={"hierarchy": built})
        if built is not None:
            hierarchies[name] = missing_codes.build(built, values[name], name, job)
    seed = secrets.randbelow(2**32) if job.search.seed is None else job.search.seed
    return job.with_seed(seed).model_copy(update={"columns": columns}), hierarchies


def _distances(job: Job, values: Mapping[str, Sequence[str]], codebook: Codebook) -> dict[str, DistanceSpec]:
    """Return the distance of each quasi column, for an algorithm that needs them."""
    if job.objective is None:
        return {}
    quasi = {name: job.columns[name] for name in job.names(Role.QUASI)}
    given = {
        name: column.distance or (Equal() if codebook[name].labels_all(values[name]) else None)
        for name, column in quasi.items()
    }
    return completed(given, values, {name: column.date_format for name, column in quasi.items()})


def _hierarchy(
    job: Job, values: Sequence[str], distance: DistanceSpec | None, codebook: Codebook, name: str
) -> HierarchySpec:
    """Choose a hierarchy; where centres are published and distances do not go along it, the smallest will do."""
    used = job.objective is None or (distance is not None and distance.along_hierarchy)
    return recipe_for(values, codebook, name) if used else Suppression()


def metric_of(job: Job, tally: Tally) -> Metric | None:
    """Return how far records are from each other, for an algorithm that needs to know.

    Args:
        job: The request, with what was assumed filled in.
        tally: The table.
    """
    if job.objective is None:
        return None
    recipes = {name: column.distance for name, column in job.columns.items() if column.distance is not None}
    return combined(tally.quasi, recipes, job.search.metric, job.folder)


def population_cells(tally: Tally, columns: Sequence[str], levels: Sequence[int]) -> dict[str, pl.DataFrame]:
    """Return the outside tables of a tally in the words of a full-domain release: their cells, with counts.

    Args:
        tally: The table, and the outside tables counted with it.
        columns: The quasi columns.
        levels: The level of each of them.
    """
    numbers = [[column.name for column in tally.quasi].index(name) for name in columns]
    chosen = [(tally.quasi[j].hierarchy, level) for j, level in zip(numbers, levels, strict=True)]
    nodes = [hierarchy.codes[level][tally.codes[:, j]] for j, (hierarchy, level) in zip(numbers, chosen, strict=True)]
    sizes = [hierarchy.size(level) for hierarchy, level in chosen]
    found = {}
    for name, counts in tally.populations.items():
        there = counts > 0
        cell_of, cells = distinct_rows([codes[there] for codes in nodes], sizes, int(there.sum()))
        shown = {
            column: pl.Series([hierarchy.labels[level][code] for code in cells[:, j]], dtype=pl.String)
            for j, (column, (hierarchy, level)) in enumerate(zip(columns, chosen, strict=True))
        }
        total = np.bincount(cell_of, counts[there], minlength=len(cells)).astype(np.int64)  # exact below 2^53
        found[name] = pl.DataFrame({**shown, COUNT: total})
    return found


def generalized(table: Table, column: QuasiColumn, level: int) -> NDArray[np.int32]:
    """Return the node of each record of a table at a level of one of its columns."""
    coded = table.columns[column.name]
    occurring = [*coded.values, *((None,) if coded.missing else ())]
    return column.hierarchy.codes[level][column.hierarchy.encode(occurring, column.name)[coded.codes]]


def population_evidence(
    job: Job, quasi: Sequence[str], levels: Mapping[str, int], outside: Mapping[str, Any] | None = None
) -> dict[str, pl.DataFrame]:
    """Return the outside tables of a job, or others, in the words of a full-domain release, read again."""
    tally = read(job, outside=outside).engine.count().tally
    return population_cells(tally, quasi, [levels[name] for name in quasi])


def quasi_column(source: Source, name: str) -> QuasiColumn:
    """Return a quasi column with the hierarchy over the values of all tables; its leaves are not counted."""
    hierarchy = source.hierarchies[name]
    if any(table.columns[name].missing for table in (source.table, *source.populations.values())):
        hierarchy = hierarchy.with_missing()
    return QuasiColumn(name, hierarchy, np.zeros(hierarchy.n_leaves, dtype=np.int64))
