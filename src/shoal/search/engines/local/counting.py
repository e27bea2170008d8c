"""Counting: the records of a table by their quasi and sensitive values."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shoal.classes.observed import sensitive_column
from shoal.classes.tally import QuasiColumn, Tally
from shoal.kernels.grouping import take
from shoal.search.engines.engine import Counted
from shoal.tables.distinct_rows import distinct_rows, numbered_rows, rows_at
from shoal.tables.hierarchies.hierarchy import Hierarchy, Label
from shoal.tables.table import Column, Role, Table


def count(
    table: Table,
    hierarchies: Mapping[str, Hierarchy],
    weights: Mapping[str, float],
    watched: tuple[str, ...] = (),
    populations: Mapping[str, Table] | None = None,
) -> Counted[NDArray[np.int32]]:
    """Count the records of a table by their quasi and sensitive values, in one pass.

    Args:
        table: The table.
        hierarchies: The hierarchy of each quasi column, over the values of all tables; also of sensitive columns.
        weights: The weight of each quasi column.
        watched: The sensitive columns to count by.
        populations: Outside tables with the same quasi columns, counted into the same points.
    """
    names = table.names(Role.QUASI)
    tables = [table, *(populations or {}).values()]
    full = {name: _full(hierarchies[name], [one.columns[name] for one in tables]) for name in names}
    looked = [sensitive_column(name, table.columns[name], hierarchies.get(name)) for name in watched]
    profiles, profile_codes = distinct_rows(
        [codes for _, codes in looked], [len(column.values) for column, _ in looked], table.n_rows
    )
    leaves = [_leaves(full[name], [one.columns[name] for one in tables], name) for name in names]
    extra = sum(one.n_rows for one in tables) - table.n_rows
    all_profiles = np.concatenate([profiles, np.zeros(extra, dtype=np.int32)]) if extra else profiles
    sizes = [*(full[name].n_leaves for name in names), len(profile_codes)]
    point_of, places = numbered_rows([*leaves, all_profiles], sizes, len(all_profiles))
    ends = np.cumsum([one.n_rows for one in tables])
    counts = [one.totals(part, len(places)) for one, part in zip(tables, np.split(point_of, ends[:-1]), strict=True)]
    quasi = tuple(
        QuasiColumn(name, full[name], table.totals(codes[: ends[0]], full[name].n_leaves), weights.get(name, 1.0))
        for name, codes in zip(names, leaves, strict=True)
    )
    tally = Tally(
        quasi=quasi,
        sensitive=tuple(column for column, _ in looked),
        codes=rows_at(leaves, places),
        profiles=take(all_profiles, places),
        profile_codes=profile_codes,
        counts=counts[0],
        populations=dict(zip(populations or {}, counts[1:], strict=True)),
    )
    return Counted(tally, point_of[: table.n_rows])


def _full(hierarchy: Hierarchy, columns: list[Column]) -> Hierarchy:
    return hierarchy.with_missing() if any(column.missing for column in columns) else hierarchy


def _leaves(hierarchy: Hierarchy, columns: list[Column], name: str) -> NDArray[np.int32]:
    """Return the leaf code of each row of all tables, one table after the other."""
    parts = []
    for column in columns:
        occurring: list[Label] = [*column.values, *((None,) if column.missing else ())]
        codes = hierarchy.encode(occurring, name)
        parts.append(take(codes.astype(np.min_scalar_type(hierarchy.n_leaves)), column.codes))
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
