"""The rule of one column, read over the values of another table."""

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
        hierarchy: The hierarchy over all of them, and over those that cells name.
        strange: The values that the recipe has no place for: leaves that only the top covers.
        apart: The values that are declared as missing: leaves before these, of which each may be a cell.
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
            folder: Where the recipe's files are found.
            centres: Whether the cells are centres, whose values are places of the column too.
            missing_codes: The values that are declared as missing, and yet apart from each other.
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
    """Return the values that cells name by themselves: ends of ranges, members of sets, and centres."""
    found = {value for cell in cells for value in (*(cell.range or ()), *(cell.set or ()))}
    if centres:
        found |= {cell.label for cell in cells if cell.label is not None}
    return sorted(found)


@dataclass(frozen=True, slots=True, eq=False)
class AppliedRule:
    """The rule of a column, over the leaves of a table.

    Args:
        subsets: What may be published.
        cells: Which of it each leaf is published as, if equal values are published alike; -1 if no cell covers it.
        covers: What the cells of the rule cover, if it has some.
    """

    subsets: Subsets
    cells: NDArray[np.int32]
    covers: "CellCovers | None" = None

    @classmethod
    def of(
        cls, rule: ColumnRule, recipe: HierarchySpec, hierarchy: Hierarchy, domain: Domain, column: str
    ) -> "AppliedRule":
        """Read a rule.

        Args:
            rule: The rule.
            recipe: The column's hierarchy.
            hierarchy: The same over the domain, with the missing value if the table misses some.
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
    """Which leaves each cell of a column covers: those of a range of ranks, or of them only some.

    Args:
        ranks: The rank of each leaf, by which the leaves below a node follow each other.
        low: The first rank that each cell covers.
        high: The last; below the first if it covers none.
        members: For sets, the ranks that they cover, ascending; all of the range if empty.
        subsets: The cells as subsets of the leaves.
    """

    ranks: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    members: tuple[NDArray[np.int64], ...]
    subsets: Subsets

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many leaves each cell covers."""
        sizes = np.array([len(part) for part in self.members], dtype=np.int64)
        return np.where(sizes > 0, sizes, np.maximum(self.high - self.low + 1, 0))

    def cell_of_leaves(self) -> NDArray[np.int32]:
        """Return, for each leaf, the cell that covers it and the fewest others, the first of several; -1 if none."""
        found = np.full(len(self.ranks), -1, dtype=np.int32)
        for at in np.lexsort((np.arange(len(self.low)), self.counts))[::-1].tolist():
            inside = self.members[at] if len(self.members[at]) else slice(self.low[at], self.high[at] + 1)
            found[inside] = at
        return found[self.ranks]


def covers_of(
    rule: ColumnRule, recipe: HierarchySpec, hierarchy: Hierarchy, n_strange: int, n_apart: int = 0
) -> CellCovers:
    """Find what the cells of a rule cover among the leaves of a hierarchy.

    Args:
        rule: A rule with cells.
        recipe: The column's hierarchy.
        hierarchy: The same over the values of a table: the leaves that fit, then strangers, then the missing value.
        n_strange: The number of strangers.
        n_apart: The number of leaves before them that are declared as missing.
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
    """What a cell is in a hierarchy: a node, with some leaves below it if it is less than the node; or nothing."""

    level: int = -1
    code: int = -1
    leaves: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Finder:
    """Finds cells in a hierarchy by what they are.

    Args:
        hierarchy: The hierarchy.
        leaf: The code of each value that is no stranger.
        codes: The code of each label of each level, without those of strangers.
        keys: What the leaves of ranges are ordered by, where several texts may stand for one place.
        nodes: The node of each leaf at each level, in plain lists: there may be as many cells as classes.
    """

    hierarchy: Hierarchy
    leaf: dict[Label, int]
    codes: list[dict[Label, int]]
    keys: list[Any] | None
    nodes: list[list[int]]

    @classmethod
    def of(cls, recipe: HierarchySpec, hierarchy: Hierarchy, n_strange: int, n_apart: int) -> "_Finder":
        """Number the labels of a hierarchy."""
        extra = n_strange + int(hierarchy.missing_leaf >= 0)
        known = [labels[: len(labels) - extra] for labels in hierarchy.labels[:-1]]
        codes = [{label: code for code, label in enumerate(labels)} for labels in known]
        plain = known[0][: len(known[0]) - n_apart]
        keys = _keys(recipe, [str(value) for value in plain])
        return cls(hierarchy, codes[0], codes, keys, hierarchy.codes.tolist())

    def find(self, cell: Cell) -> _Found:
        """Return what a cell is here."""
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
    """Return what values in order are ordered by, if different texts may stand at one place."""
    by = recipe.by if isinstance(recipe, Ranges) else None
    if by == "number":
        found = scaled(texts)
        return None if found is None else found[0]
    return [read_date(text) for text in texts] if by == "day" else None


class _Spans:
    """The ranks of the leaves below nodes, level by level as they are asked for."""

    def __init__(self, hierarchy: Hierarchy, ranks: NDArray[np.int64]) -> None:
        self.hierarchy, self.ranks = hierarchy, ranks
        self._ends: dict[int, tuple[list[int], list[int]]] = {}

    def of(self, found: _Found) -> tuple[int, int]:
        """Return the first and the last rank that is covered; nothing is from 0 to -1."""
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
    """Order the leaves so that those below one node follow each other; free forms have their own order."""
    if hierarchy.form != "tree":
        return np.arange(hierarchy.n_leaves, dtype=np.int64)
    order = np.lexsort(hierarchy.codes)  # by the top first, by the leaves last
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks
