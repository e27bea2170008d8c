"""The rule of one column, applied to the values of another table."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.classes.recoding import Subsets
from shoal.foundation.errors import SpecError
from shoal.releases.rules.rules import Cell, ColumnRule
from shoal.tables.hierarchies import Hierarchy, HierarchySpec, Ranges, Sets
from shoal.tables.hierarchies.dates import read_date
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.hierarchies.numeric import scaled


@dataclass(frozen=True, slots=True)
class Domain:
    """The values of a column in a table that rules are applied to.

    Args:
        hierarchy: The hierarchy over all of them, and over the values that cells name.
        strange: The values that the recipe cannot handle: leaves that only the top covers.
        apart: The missing codes: leaves before these, each of which may be a cell.
    """

    hierarchy: Hierarchy
    strange: tuple[str, ...]
    apart: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        rule: ColumnRule,
        recipe: HierarchySpec,
        values: Sequence[str],
        column: str,
        folder: Path,
        *,
        centres: bool,
        missing_codes: Collection[str] = (),
    ) -> "Domain":
        """Build the hierarchy of a column.

        Args:
            rule: The rule of the column.
            recipe: Its hierarchy.
            values: The values of the table, without the missing one.
            column: The name of the column.
            folder: The folder of the recipe's files.
            centres: Whether the cells are centres, whose values belong to the column too.
            missing_codes: The missing codes that stay distinct values.
        """
        declared = frozenset() if isinstance(recipe, Sets) else frozenset(missing_codes)
        plain = [value for value in values if value not in declared]
        unknown = dict(zip(plain, recipe.strangers(plain, column, folder), strict=True))
        named = _named(rule.cells or (), centres=centres)
        others = [value for value in named if value not in declared]
        fits = dict(zip(others, recipe.strangers(others, column, folder), strict=True))
        known = [value for value, strange in (unknown | fits).items() if not strange]
        strange = tuple(value for value, is_strange in unknown.items() if is_strange)
        hierarchy = recipe.build(sorted(known), column, folder)
        apart = tuple(sorted(declared & {*values, *named} - set(hierarchy.values)))
        return cls(hierarchy.with_apart((*apart, *strange)), strange, apart)


def _named(cells: Sequence[Cell], *, centres: bool) -> list[str]:
    """Return the values that cells name: the ends of ranges, the members of sets, and centres."""
    found = {value for cell in cells for value in (*(cell.range or ()), *(cell.set or ()))}
    if centres:
        found |= {cell.label for cell in cells if cell.label is not None}
    return sorted(found)


@dataclass(frozen=True, slots=True, eq=False)
class AppliedRule:
    """The rule of a column, applied to the leaves of a table.

    Args:
        subsets: The cells that may be published.
        cells: The cell of each leaf, if equal values are published alike; -1 if no cell covers it.
        covers: The leaves that the cells of the rule cover, if it has cells.
    """

    subsets: Subsets
    cells: NDArray[np.int32]
    covers: "CellCovers | None" = None

    @classmethod
    def of(
        cls, rule: ColumnRule, recipe: HierarchySpec, hierarchy: Hierarchy, domain: Domain, column: str
    ) -> "AppliedRule":
        """Apply a rule to a domain.

        Args:
            rule: The rule.
            recipe: The column's hierarchy.
            hierarchy: The same over the domain, with the missing value if it occurs.
            domain: The values.
            column: The name of the column.
        """
        if rule.cells is not None:
            covers = covers_of(rule, recipe, hierarchy, len(domain.strange), len(domain.apart))
            return cls(covers.subsets, covers.cell_of_leaves(), covers)
        level = rule.level or 0
        if level > hierarchy.height:
            raise SpecError(
                f"The rules recode column '{column}' to level {level}, and its hierarchy has only {hierarchy.height}."
            )
        cells = hierarchy.codes[level].copy()
        if level < hierarchy.height:
            strangers = domain.hierarchy.n_leaves - len(domain.strange)
            cells[strangers : domain.hierarchy.n_leaves] = -1
        return cls(Subsets.of_level(hierarchy, level), cells)


@dataclass(frozen=True, slots=True, eq=False)
class CellCovers:
    """The leaves that each cell of a column covers: a range of ranks, or some of that range.

    Args:
        ranks: The rank of each leaf; the leaves below a node have consecutive ranks.
        low: The first rank that each cell covers.
        high: The last rank; smaller than the first if it covers none.
        members: For sets, the covered ranks, ascending; if empty, the whole range is covered.
        subsets: The cells as subsets of the leaves.
    """

    ranks: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    members: tuple[NDArray[np.int64], ...]
    subsets: Subsets

    @property
    def counts(self) -> NDArray[np.int64]:
        """The number of leaves that each cell covers."""
        sizes = np.array([len(part) for part in self.members], dtype=np.int64)
        return np.where(sizes > 0, sizes, np.maximum(self.high - self.low + 1, 0))

    def cell_of_leaves(self) -> NDArray[np.int32]:
        """Return, for each leaf, the smallest cell that covers it, the first of several; -1 if there is none."""
        found = np.full(len(self.ranks), -1, dtype=np.int32)
        for at in np.lexsort((np.arange(len(self.low)), self.counts))[::-1].tolist():
            inside = self.members[at] if len(self.members[at]) else slice(self.low[at], self.high[at] + 1)
            found[inside] = at
        return found[self.ranks]


def covers_of(
    rule: ColumnRule, recipe: HierarchySpec, hierarchy: Hierarchy, n_strange: int, n_apart: int = 0
) -> CellCovers:
    """Return the leaves of a hierarchy that the cells of a rule cover.

    Args:
        rule: A rule with cells.
        recipe: The column's hierarchy.
        hierarchy: The same over the values of a table: the leaves that fit, then the strange ones, then the missing
            value.
        n_strange: The number of strange values.
        n_apart: The number of missing codes before them.
    """
    finder = _Finder.of(recipe, hierarchy, n_strange, n_apart)
    found = [finder.find(cell) for cell in rule.cells or ()]
    ranks = _ranks(hierarchy)
    spans = _Spans(hierarchy, ranks)
    low, high = np.array([spans.of(one) for one in found], dtype=np.int64).reshape(-1, 2).T
    named = [one.leaves for one in found]
    subsets = Subsets(
        labels=tuple(cell.label for cell in rule.cells or ()),
        levels=np.array([max(one.level, 0) for one in found], dtype=np.int32),
        codes=np.array([max(one.code, 0) for one in found], dtype=np.int32),
        offsets=np.cumsum([0, *map(len, named)]).astype(np.int64),
        members=np.array([leaf for leaves in named for leaf in leaves], dtype=np.int32),
    )
    none: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    members = [np.array(leaves) if leaves and hierarchy.form == "sets" else none for leaves in named]
    return CellCovers(ranks, low, high, tuple(members), subsets)


@dataclass(frozen=True, slots=True)
class _Found:
    """A cell in a hierarchy: a node, with some leaves below it if it does not cover all of them; or nothing."""

    level: int = -1
    code: int = -1
    leaves: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Finder:
    """Finds cells in a hierarchy.

    Args:
        hierarchy: The hierarchy.
        leaf: The code of each value that is not strange.
        codes: The code of each label of each level, without those of strange values.
        keys: The sort keys of the leaves, if several texts may have the same key.
        nodes: The node of each leaf at each level, as plain lists for fast access: there may be as many cells as
            classes.
    """

    hierarchy: Hierarchy
    leaf: dict[Label, int]
    codes: list[dict[Label, int]]
    keys: list[Any] | None
    nodes: list[list[int]]

    @classmethod
    def of(cls, recipe: HierarchySpec, hierarchy: Hierarchy, n_strange: int, n_apart: int) -> "_Finder":
        """Index the labels of a hierarchy."""
        extra = n_strange + int(hierarchy.missing_leaf >= 0)
        known = [labels[: len(labels) - extra] for labels in hierarchy.labels[:-1]]
        codes = [{label: code for code, label in enumerate(labels)} for labels in known]
        plain = known[0][: len(known[0]) - n_apart]
        keys = _keys(recipe, [str(value) for value in plain])
        return cls(hierarchy, codes[0], codes, keys, hierarchy.codes.tolist())

    def find(self, cell: Cell) -> _Found:
        """Return a cell in this hierarchy."""
        if cell.label is None:
            missing = self.hierarchy.missing_leaf
            return _Found(0, missing) if missing >= 0 else _Found()
        if cell.top:
            return _Found(self.hierarchy.height, 0)
        if cell.range is not None:
            return self._range(*cell.range)
        if cell.set is not None:
            leaves = sorted(self.leaf[value] for value in cell.set if value in self.leaf)
            return _Found(self.hierarchy.height, 0, tuple(leaves)) if len(leaves) > 1 else self._one(leaves)
        level = cell.level or 0
        code = self.codes[level].get(cell.label, -1) if level < len(self.codes) else -1
        return _Found(level, code) if code >= 0 else _Found()

    def _one(self, leaves: Sequence[int]) -> _Found:
        return _Found(0, leaves[0]) if leaves else _Found()

    def _range(self, first: str, last: str) -> _Found:
        if first not in self.leaf or last not in self.leaf:
            return _Found()
        low, high = self.leaf[first], self.leaf[last]
        if self.keys is not None:
            low, high = bisect_left(self.keys, self.keys[low]), bisect_right(self.keys, self.keys[high]) - 1
        if low >= high:
            return self._one([low])
        level = next(level for level, nodes in enumerate(self.nodes) if nodes[low] == nodes[high])
        return _Found(level, self.nodes[level][low], (low, high))


def _keys(recipe: HierarchySpec, texts: Sequence[str]) -> list[Any] | None:
    """Return the sort keys of ordered values, if different texts may have the same key."""
    by = recipe.by if isinstance(recipe, Ranges) else None
    if by == "number":
        found = scaled(texts)
        return None if found is None else found[0]
    return [read_date(text) for text in texts] if by == "day" else None


class _Spans:
    """The ranks of the leaves below nodes, computed for a level when it is needed."""

    def __init__(self, hierarchy: Hierarchy, ranks: NDArray[np.int64]) -> None:
        self.hierarchy, self.ranks = hierarchy, ranks
        self._ends: dict[int, tuple[list[int], list[int]]] = {}

    def of(self, found: _Found) -> tuple[int, int]:
        """Return the first and the last covered rank; 0 and -1 if nothing is covered."""
        if found.level < 0:
            return 0, -1
        if found.leaves:
            return int(self.ranks[found.leaves[0]]), int(self.ranks[found.leaves[-1]])
        if found.level not in self._ends:
            codes, size = self.hierarchy.codes[found.level], self.hierarchy.size(found.level)
            low, high = np.full(size, len(codes)), np.full(size, -1)
            np.minimum.at(low, codes, self.ranks)
            np.maximum.at(high, codes, self.ranks)
            self._ends[found.level] = low.tolist(), high.tolist()
        low_of, high_of = self._ends[found.level]
        return low_of[found.code], high_of[found.code]


def _ranks(hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Rank the leaves so that those below one node are consecutive; ranges and sets keep the order of the leaves."""
    if hierarchy.form != "tree":
        return np.arange(hierarchy.n_leaves, dtype=np.int64)
    order = np.lexsort(hierarchy.codes)  # by the top first, by the leaves last
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks
