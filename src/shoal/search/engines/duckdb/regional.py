"""Regional table: a spilled table as tallies, one of the whole by sensitive values alone, and one of each part."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from shoal.classes.observed import sensitive_column
from shoal.classes.tally import QuasiColumn, SensitiveColumn, Tally
from shoal.foundation.errors import SpecError
from shoal.kernels.grouping import take
from shoal.search.engines.duckdb.spilled_table import Codes, SpilledTable
from shoal.search.engines.engine import Counted
from shoal.search.engines.part_tally import counted_part
from shoal.tables.distant import DistantTable
from shoal.tables.hierarchies.hierarchy import Hierarchy, Label
from shoal.tables.table import Role, Table, totals

_KEY = 2**63  # what a key of 64 bits holds


@dataclass(frozen=True, slots=True, eq=False)
class RegionalTable:
    """A spilled table with the hierarchies over all of its values.

    Args:
        spilled: The rows.
        table: What is known of the columns.
        leaf_of: The leaf of each value, for each quasi column; the missing value is last.
        code_of: The code of each value, for each sensitive column that is looked at.
        keys: The sensitive tuples as numbers, ascending.
        tally: The whole table, with a point for each sensitive tuple.
    """

    spilled: SpilledTable
    table: DistantTable
    leaf_of: Mapping[str, NDArray[np.int32]]
    code_of: Mapping[str, NDArray[np.int32]]
    keys: NDArray[np.int64]
    tally: Tally

    @classmethod
    def of(
        cls,
        spilled: SpilledTable,
        table: DistantTable,
        hierarchies: Mapping[str, Hierarchy],
        weights: Mapping[str, float],
        watched: tuple[str, ...],
    ) -> "RegionalTable":
        """Count the records by their values in each quasi column, and by their sensitive tuples."""
        leaf_of, quasi = {}, []
        for name in table.names(Role.QUASI):
            column = spilled.columns[name]
            hierarchy = hierarchies[name].with_missing() if column.missing else hierarchies[name]
            occurring: list[Label] = [*column.values, *((None,) if column.missing else ())]
            leaf_of[name] = leaves = hierarchy.encode(occurring, name)
            counts = totals(leaves, column.counts[: len(leaves)], hierarchy.n_leaves)
            quasi.append(QuasiColumn(name, hierarchy, counts, weights.get(name, 1.0)))
        looked = [sensitive_column(name, spilled.columns[name].each(), hierarchies.get(name)) for name in watched]
        code_of = {column.name: codes for column, codes in looked}
        sensitive = tuple(column for column, _ in looked)
        keys, counts = _tuples(spilled, code_of, sensitive)
        tally = _by_tuples(tuple(quasi), sensitive, keys, counts)
        return cls(spilled, table, leaf_of, code_of, keys, tally)

    def leaves(self, codes: Codes) -> list[NDArray[np.int32]]:
        """Return the leaf of each row, for each quasi column."""
        return [take(self.leaf_of[column.name], codes[column.name]) for column in self.tally.quasi]

    def profiles(self, codes: Codes, n_rows: int) -> NDArray[np.int32]:
        """Return the sensitive tuple of each row."""
        if not self.code_of:
            return np.zeros(n_rows, dtype=np.int32)
        return np.searchsorted(self.keys, _numbered(codes, self.code_of, self.tally.sensitive)).astype(np.int32)

    def blocks(self) -> Iterator[tuple[list[NDArray[np.int32]], NDArray[np.int32], NDArray[np.int64]]]:
        """Yield the leaves, the sensitive tuples and the numbers of records of all rows, some at a time."""
        for codes, counts in self.spilled.blocks():
            yield self.leaves(codes), self.profiles(codes, len(counts)), counts

    def part(self, number: int) -> tuple[Table, Counted[NDArray[np.int32]]]:
        """Return a part of the table, and its tally; DuckDB then forgets it."""
        table = self.spilled.take(number, self.table.roles)
        assert table.counts is not None  # noqa: S101  (by construction)
        codes: Codes = {name: column.codes for name, column in table.columns.items()}
        leaves, profiles = self.leaves(codes), self.profiles(codes, table.n_rows)
        return table, counted_part(self.tally, leaves, profiles, table.counts)


def _numbered(
    codes: Codes, code_of: Mapping[str, NDArray[np.int32]], sensitive: tuple[SensitiveColumn, ...]
) -> NDArray[np.int64]:
    """Return the sensitive tuple of each row as a number, in the order of the tuples."""
    keys = np.zeros(1, dtype=np.int64)
    for column in sensitive:
        keys = keys * len(column.values) + code_of[column.name][codes[column.name]]
    return keys


def _tuples(
    spilled: SpilledTable, code_of: Mapping[str, NDArray[np.int32]], sensitive: tuple[SensitiveColumn, ...]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the different sensitive tuples as numbers, and how many records have each."""
    if not sensitive:
        return np.zeros(1, dtype=np.int64), np.array([spilled.n_records])
    if prod(len(column.values) for column in sensitive) >= _KEY:
        raise SpecError(
            f"The {len(sensitive)} sensitive columns that the promises look at have too many combinations of values "
            "for regions. Let them look at fewer columns, or take an engine with all different rows in memory."
        )
    if len(sensitive) == 1:
        name = sensitive[0].name
        counts = spilled.columns[name].counts[: len(code_of[name])]
        found = totals(code_of[name], counts, len(sensitive[0].values))
        keys = np.flatnonzero(found)
        return keys, found[keys]
    keys, counts = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    for codes, numbers in spilled.blocks():
        both = np.concatenate([keys, _numbered(codes, code_of, sensitive)])
        keys, places = np.unique(both, return_inverse=True)
        counts = totals(places, np.concatenate([counts, numbers]), len(keys))
    return keys, counts


def _by_tuples(
    quasi: tuple[QuasiColumn, ...],
    sensitive: tuple[SensitiveColumn, ...],
    keys: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> Tally:
    """Return a tally with a point for each sensitive tuple; its quasi values are of no account."""
    codes = np.empty((len(keys), len(sensitive)), dtype=np.int32)
    left = keys
    for number in range(len(sensitive) - 1, -1, -1):
        left, codes[:, number] = np.divmod(left, len(sensitive[number].values))
    return Tally(
        quasi=quasi,
        sensitive=sensitive,
        codes=np.zeros((len(keys), len(quasi)), dtype=np.int32),
        profiles=np.arange(len(keys), dtype=np.int32),
        profile_codes=codes,
        counts=counts,
        whole=counts,
    )
