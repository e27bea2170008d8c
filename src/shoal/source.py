"""Source: the tables of a job as they come from its files or from memory, with their hierarchies."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.errors import SpecError
from shoal.formats import FORMATS
from shoal.formats.codebook import Codebook
from shoal.formats.frames import Kind, to_polars
from shoal.hierarchies import Hierarchy
from shoal.job import ColumnRequest, Job
from shoal.observed import COUNT
from shoal.place import FilePlace
from shoal.reasons import Reasons
from shoal.reasons import chosen as recipe_for
from shoal.table import Role, Table, check_roles, chosen, without_missing
from shoal.tally import QuasiColumn, distinct_rows


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The table of a job, read and coded.

    Args:
        job: The request, with what was assumed filled in: automatic hierarchies, a seed, the delimiter.
        table: The table.
        populations: The outside tables that the promises speak of.
        hierarchies: The hierarchy of each quasi column, and of sensitive columns that have one.
        n_input: The number of records read, those with missing values included.
        delimiter: What separates the fields of the file.
        kind: The kind of frame that the table came as.
        codebook: What the table's file says about its columns and values.
        reasons: What becomes of values that the file declares as missing.
    """

    job: Job
    table: Table
    populations: Mapping[str, Table]
    hierarchies: Mapping[str, Hierarchy]
    n_input: int
    delimiter: str | None
    kind: Kind
    codebook: Codebook = field(default_factory=Codebook)
    reasons: Reasons = field(default_factory=lambda: Reasons({}, {}))

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each column in the loss."""
        return {name: column.weight for name, column in self.job.columns.items()}


def read(job: Job, data: Any = None) -> Source:
    """Read the table and the outside tables of a job, and build the hierarchies over their values."""
    roles = {name: column.role for name, column in job.columns.items()}
    frame, kind, delimiter, codebook = _from_memory(data, roles) if data is not None else _from_place(job, roles)
    n_input = frame.height
    if job.target is None:
        FORMATS[job.release.format]().check(frame.columns, n_input)
    reasons = Reasons.of(job, frame, codebook)
    frame = reasons.settled(frame)
    if job.input.missing == "drop":
        frame = without_missing(frame, [*job.names(Role.QUASI), *job.watched()])
    if frame.height == 0:
        raise SpecError(f"The table has no records ({n_input} before those with missing values were dropped).")
    table = Table.of(frame, {name: roles[name] for name in frame.columns})
    populations = {name: _population(Path(name), table.names(Role.QUASI), reasons) for name in _population_files(job)}
    job, hierarchies = _completed(job, table, list(populations.values()), reasons, codebook)
    job = job.model_copy(update={"input": job.input.model_copy(update={"delimiter": delimiter})})
    return Source(job, table, populations, hierarchies, n_input, delimiter, kind, codebook, reasons)


def _from_memory(data: Any, roles: Mapping[str, Role]) -> tuple[pl.DataFrame, Kind, None, Codebook]:
    frame, kind = to_polars(data)
    check_roles(frame.columns, roles)
    kept = [name for name in frame.columns if roles[name] is not Role.IDENTIFIER]
    return chosen(frame, kept), kind, None, Codebook()


def _from_place(job: Job, roles: Mapping[str, Role]) -> tuple[pl.DataFrame, Kind, str | None, Codebook]:
    place = job.place
    delimiter = place.delimiter
    if isinstance(place, FilePlace):
        place = replace(place, given=delimiter)
    columns = place.columns()
    check_roles(columns, roles)
    frame = place.read(keep=[name for name in columns if roles[name] is not Role.IDENTIFIER])
    return frame, Kind.POLARS, delimiter, place.codebook(frame)


def _population_files(job: Job) -> list[str]:
    return sorted({promise.population_file for promise in job.require if promise.population_file is not None})


def _population(path: Path, quasi: Sequence[str], reasons: Reasons) -> Table:
    """Read the quasi columns of an outside table."""
    frame = reasons.settled(FilePlace(path).read(keep=quasi))
    return Table.of(chosen(frame, quasi), dict.fromkeys(quasi, Role.QUASI))


def _completed(
    job: Job, table: Table, populations: Sequence[Table], reasons: Reasons, codebook: Codebook
) -> tuple[Job, dict[str, Hierarchy]]:
    """Choose a hierarchy for each quasi column that has none, draw a seed, and build all hierarchies."""
    columns: dict[str, ColumnRequest] = {}
    hierarchies: dict[str, Hierarchy] = {}
    for name, column in job.columns.items():
        columns[name] = column
        if column.role not in (Role.QUASI, Role.SENSITIVE):
            continue
        tables = [table, *populations] if column.role is Role.QUASI else [table]
        values = sorted({value for one in tables for value in one.columns[name].values})
        if column.hierarchy is None and column.role is Role.QUASI:
            plain = [value for value in values if value not in reasons.apart.get(name, ())]
            columns[name] = column.model_copy(update={"hierarchy": recipe_for(plain, codebook, name)})
        recipe = columns[name].hierarchy
        if recipe is not None:
            hierarchies[name] = reasons.build(recipe, values, name, job)
    seed = secrets.randbelow(2**32) if job.search.seed is None else job.search.seed
    return job.with_seed(seed).model_copy(update={"columns": columns}), hierarchies


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
