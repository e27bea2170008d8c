"""Source: the tables of a job as they come from its files or from memory, with their hierarchies."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.distances import DistanceSpec
from shoal.distances.automatic import completed
from shoal.distances.combination import combined
from shoal.errors import SpecError
from shoal.formats import format_of
from shoal.formats.format import kept
from shoal.formats.frames import Kind, to_polars
from shoal.hierarchies import Hierarchy, HierarchySpec, Suppression
from shoal.hierarchies.automatic import automatic
from shoal.job import ColumnRequest, Job
from shoal.metric import Metric
from shoal.observed import COUNT
from shoal.table import Role, Table, check_roles, chosen, without_missing
from shoal.tally import QuasiColumn, Tally, distinct_rows


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
    """

    job: Job
    table: Table
    populations: Mapping[str, Table]
    hierarchies: Mapping[str, Hierarchy]
    n_input: int
    delimiter: str | None
    kind: Kind

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each column in the loss."""
        return {name: column.weight for name, column in self.job.columns.items()}


def read(job: Job, data: Any = None) -> Source:
    """Read the table and the outside tables of a job, and build the hierarchies over their values."""
    table, n_input, delimiter, kind = read_table(job, data)
    populations = read_populations(job, table.names(Role.QUASI))
    job, hierarchies = _completed(job, table, list(populations.values()))
    job = job.model_copy(update={"input": job.input.model_copy(update={"delimiter": delimiter})})
    return Source(job, table, populations, hierarchies, n_input, delimiter, kind)


def read_table(job: Job, data: Any = None) -> tuple[Table, int, str | None, Kind]:
    """Return the table of a job, the number of records read, what separates its fields, and the kind of its frame."""
    roles = {name: column.role for name, column in job.columns.items()}
    frame, kind, delimiter = _from_memory(data, roles) if data is not None else _from_file(job, roles)
    n_input = frame.height
    if job.input.missing == "drop":
        frame = without_missing(frame, [*job.names(Role.QUASI), *job.watched()])
    if frame.height == 0:
        raise SpecError(f"The table has no records ({n_input} before those with missing values were dropped).")
    return Table.of(frame, {name: roles[name] for name in frame.columns}), n_input, delimiter, kind


def read_populations(job: Job, quasi: Sequence[str]) -> dict[str, Table]:
    """Return the outside tables that the promises of a job speak of."""
    return {name: _population(Path(name), quasi) for name in _population_files(job)}


def _from_memory(data: Any, roles: Mapping[str, Role]) -> tuple[pl.DataFrame, Kind, None]:
    frame, kind = to_polars(data)
    check_roles(frame.columns, roles)
    return chosen(frame, [name for name in frame.columns if roles[name] is not Role.IDENTIFIER]), kind, None


def _from_file(job: Job, roles: Mapping[str, Role]) -> tuple[pl.DataFrame, Kind, str | None]:
    path = job.input_path
    reader = format_of(path)
    delimiter = job.input.delimiter or reader.delimiter(path)
    columns = reader.columns(path, delimiter)
    check_roles(columns, roles)
    kept = [name for name in columns if roles[name] is not Role.IDENTIFIER]
    return reader.read(path, keep=kept, delimiter=delimiter), Kind.POLARS, delimiter


def _population_files(job: Job) -> list[str]:
    return sorted({promise.population_file for promise in job.require if promise.population_file is not None})


def _population(path: Path, quasi: Sequence[str]) -> Table:
    """Read the quasi columns of an outside table."""
    frame = format_of(path).read(path, keep=quasi)
    return Table.of(chosen(frame, quasi), dict.fromkeys(quasi, Role.QUASI))


def _completed(job: Job, table: Table, populations: Sequence[Table]) -> tuple[Job, dict[str, Hierarchy]]:
    """Choose what a quasi column needs and has not: a hierarchy, distances; draw a seed; build all hierarchies."""
    columns: dict[str, ColumnRequest] = {}
    hierarchies: dict[str, Hierarchy] = {}
    values: dict[str, list[str]] = {}
    for name in (*job.names(Role.QUASI), *job.names(Role.SENSITIVE)):
        tables = [table, *populations] if name in job.names(Role.QUASI) else [table]
        values[name] = sorted({value for one in tables for value in one.columns[name].values})
    distances = _distances(job, values)
    for name, column in job.columns.items():
        columns[name] = column.model_copy(update={"distance": distances[name]}) if name in distances else column
        if column.hierarchy is None and column.role is Role.QUASI:
            recipe = _hierarchy(job, values[name], distances.get(name))
            columns[name] = columns[name].model_copy(update={"hierarchy": recipe})
        built = columns[name].hierarchy
        if built is not None:
            hierarchies[name] = built.build(values[name], name, job.folder)
    seed = secrets.randbelow(2**32) if job.search.seed is None else job.search.seed
    return job.with_seed(seed).model_copy(update={"columns": columns}), hierarchies


def _distances(job: Job, values: Mapping[str, Sequence[str]]) -> dict[str, DistanceSpec]:
    """Return the distance of each quasi column, for an algorithm that needs them."""
    if job.objective is None:
        return {}
    quasi = {name: job.columns[name] for name in job.names(Role.QUASI)}
    forms = {name: getattr(column.hierarchy, "format", None) for name, column in quasi.items()}
    return completed({name: column.distance for name, column in quasi.items()}, values, forms)


def _hierarchy(job: Job, values: Sequence[str], distance: DistanceSpec | None) -> HierarchySpec:
    """Choose a hierarchy; where centres are published and distances do not go along it, the smallest will do."""
    used = job.objective is None or (distance is not None and distance.along_hierarchy)
    return automatic(values) if used else Suppression()


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


def population_cells(table: Table, columns: Sequence[QuasiColumn], levels: Sequence[int]) -> pl.DataFrame:
    """Return an outside table in the words of a full-domain release: its cells, with counts."""
    codes, sizes = [], []
    for column, level in zip(columns, levels, strict=True):
        coded = table.columns[column.name]
        occurring = [*coded.values, *((None,) if coded.missing else ())]
        leaves = column.hierarchy.encode(occurring, column.name)[coded.codes]
        codes.append(column.hierarchy.codes[level][leaves])
        sizes.append(column.hierarchy.size(level))
    cell_of, cells = distinct_rows(codes, sizes, table.n_records)
    shown = {
        column.name: pl.Series([column.hierarchy.labels[level][code] for code in cells[:, j]], dtype=pl.String)
        for j, (column, level) in enumerate(zip(columns, levels, strict=True))
    }
    return pl.DataFrame({**shown, COUNT: np.bincount(cell_of, minlength=len(cells))})


def population_evidence(job: Job, quasi: Sequence[str], levels: Mapping[str, int]) -> dict[str, pl.DataFrame]:
    """Return the outside tables of a job in the words of a full-domain release, read again from their files."""
    source = read(job)
    columns = [_with_values(source, name) for name in quasi]
    steps = [levels[name] for name in quasi]
    return {name: population_cells(table, columns, steps) for name, table in source.populations.items()}


def _with_values(source: Source, name: str) -> QuasiColumn:
    hierarchy = source.hierarchies[name]
    if any(table.columns[name].missing for table in (source.table, *source.populations.values())):
        hierarchy = hierarchy.with_missing()
    return QuasiColumn(name, hierarchy, np.zeros(hierarchy.n_leaves, dtype=np.int64))


def names_of(data: Any, delimiter: str | None = None) -> list[str]:
    """Return the names of the columns of a frame or file."""
    if isinstance(data, str | Path):
        return format_of(Path(data)).columns(Path(data), delimiter)
    return to_polars(data)[0].columns


def columns_of(data: Any, names: Sequence[str], delimiter: str | None = None) -> pl.DataFrame:
    """Return some columns of a frame or file as text."""
    if isinstance(data, str | Path):
        return format_of(Path(data)).read(Path(data), keep=names, delimiter=delimiter)
    frame, _ = to_polars(data)
    return chosen(frame, kept(frame.columns, names, "the frame"))
