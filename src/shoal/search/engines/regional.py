"""Regional table: a spilled table as tallies, one of the whole by sensitive values alone, and one of each part."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod

import numpy as np
from numpy.typing import NDArray

from shoal.classes.observed import sensitive_column
from shoal.classes.tally import QuasiColumn, SensitiveColumn, Tally
from shoal.foundation.errors import SpecError
from shoal.kernels.grouping import take
from shoal.search.engines.engine import Counted
from shoal.search.engines.kept_rows import RawBlock, RawCodes
from shoal.search.engines.part_tally import counted_part
from shoal.search.engines.spilled_table import Codes, RowCoding, SpilledTable
from shoal.tables.distant import DistantTable
from shoal.tables.hierarchies.hierarchy import Hierarchy, Label
from shoal.tables.table import Column, Role, Table, totals

_KEY = 2**63  # what a key of 64 bits holds


@dataclass(frozen=True, slots=True, eq=False)
class RegionalTable:
    """What makes tallies of rows that an engine keeps; it can be sent to where these are.

    Args:
        coding: What becomes of the codes of a row.
        roles: The role of each column.
        leaf_of: The leaf of each value, for each quasi column; the missing value is last.
        code_of: The code of each value, for each sensitive column that is looked at.
        keys: The sensitive tuples as numbers, ascending.
        tally: The whole table, with a point for each sensitive tuple.
    """

    coding: RowCoding
    roles: Mapping[str, Role]
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
        return cls(spilled.coding, dict(table.roles), leaf_of, code_of, keys, tally)

    def leaves(self, codes: Codes) -> list[NDArray[np.int32]]:
        """Return the leaf of each row, for each quasi column."""
        return [take(self.leaf_of[column.name], codes[column.name]) for column in self.tally.quasi]

    def profiles(self, codes: Codes, n_rows: int) -> NDArray[np.int32]:
        """Return the sensitive tuple of each row."""
        if not self.code_of:
            return np.zeros(n_rows, dtype=np.int32)
        return np.searchsorted(self.keys, _numbered(codes, self.code_of, self.tally.sensitive)).astype(np.int32)

    def blocks(
        self, raw: Iterator[RawBlock]
    ) -> Iterator[tuple[list[NDArray[np.int32]], NDArray[np.int32], NDArray[np.int64]]]:
        """Yield the leaves, the sensitive tuples and the numbers of records of rows as they are kept."""
        for codes, counts in self.coding.blocks(raw):
            yield self.leaves(codes), self.profiles(codes, len(counts)), counts

    def part(self, raw: RawCodes, counts: NDArray[np.int64]) -> tuple[Table, Counted[NDArray[np.int32]]]:
        """Return some rows as a table, whose columns have the values of the whole, and their tally."""
        codes, _ = self.coding.cleaned(raw)  # those that are left out are in no part
        columns = {name: Column(self.coding.values[name], own) for name, own in codes.items()}
        table = Table(columns, {name: self.roles[name] for name in columns}, len(counts), counts)
        return table, counted_part(self.tally, self.leaves(codes), self.profiles(codes, len(counts)), counts)


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
    for own, numbers in spilled.rows.gathered(partial(_different, spilled.coding, code_of, sensitive)):
        keys, counts = _summed(keys, counts, own, numbers)
    return keys, counts


def _different(
    coding: RowCoding,
    code_of: Mapping[str, NDArray[np.int32]],
    sensitive: tuple[SensitiveColumn, ...],
    raw: Iterator[RawBlock],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count rows as they are kept by their sensitive tuples."""
    keys, counts = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    for codes, numbers in coding.blocks(raw):
        keys, counts = _summed(keys, counts, _numbered(codes, code_of, sensitive), numbers)
    return keys, counts


def _summed(
    keys: NDArray[np.int64], counts: NDArray[np.int64], more: NDArray[np.int64], numbers: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    found, places = np.unique(np.concatenate([keys, more]), return_inverse=True)
    return found, totals(places, np.concatenate([counts, numbers]), len(found))


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
