"""Local recoding by definition: what a class may be published as, and what that costs, from plain lists."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

import numpy as np
import polars as pl
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.classes.recoding import Subsets
from shoal.classes.tally import QuasiColumn
from shoal.search.engines import Counted
from shoal.search.engines.local import count
from shoal.tables.hierarchies import Hierarchy, Ranges, Sets
from shoal.tables.table import Role, Table

Leaves = frozenset[int]
Row = tuple[str | None, ...]

NASTY = ["a", "b", "a, b", "{a}", "{a, b}", "a - b", "-", " - b", ",", "a,", ", b", "a ", "a -", "- b", "}, {"]
NUMBERS = ["1", "2", "5", "5.0", "-3", "-0", "0", "12", "40"]
ROWS = [("p", "pq", "*"), ("q", "pq", "*"), ("r", "r?", "*"), ("s", "st", "*"), ("t", "st", "*")]


@dataclass(frozen=True)
class Case:
    """A table, what was counted of it, and a partition of its records; the last column is sensitive."""

    table: Table
    rows: list[Row]
    counted: Counted[NDArray[np.int32]]
    parts: Parts

    def members(self) -> dict[int, list[tuple[int, int]]]:
        """Return the points of each class with their numbers of records, as they are listed."""
        found: dict[int, list[tuple[int, int]]] = {}
        listed = zip(self.parts.points.tolist(), self.parts.classes.tolist(), self.parts.counts.tolist(), strict=True)
        for point, label, number in listed:
            if number:
                found.setdefault(label, []).append((point, number))
        return found


def below(hierarchy: Hierarchy, level: int, leaf: int) -> Leaves:
    """Return the leaves that share a leaf's node at a level."""
    codes = hierarchy.codes[level].tolist()
    return frozenset(other for other, code in enumerate(codes) if code == codes[leaf])


def covering_level(hierarchy: Hierarchy, leaves: Leaves) -> int:
    """Return the lowest level at which one node covers all leaves."""
    levels = range(hierarchy.height + 1)
    return next(level for level in levels if leaves <= below(hierarchy, level, min(leaves)))


def closure(hierarchy: Hierarchy, leaves: Leaves) -> Leaves:
    """Return the least that may be published and covers the leaves."""
    everything = frozenset(range(hierarchy.n_leaves))
    if hierarchy.form == "tree":
        return below(hierarchy, covering_level(hierarchy, leaves), min(leaves))
    if len(leaves) > 1 and any(hierarchy.values[leaf] is None for leaf in leaves):
        return everything
    return leaves if hierarchy.form == "sets" else frozenset(range(min(leaves), max(leaves) + 1))


def covered(hierarchy: Hierarchy, subsets: Subsets, number: int) -> Leaves:
    """Return the leaves that one of some subsets stands for."""
    node = subsets.levels[number], subsets.codes[number]
    above = frozenset(np.flatnonzero(hierarchy.codes[node[0]] == node[1]).tolist())
    named: list[int] = []
    if subsets.offsets is not None and subsets.members is not None:
        named = subsets.members[subsets.offsets[number] : subsets.offsets[number + 1]].tolist()
    leaves = frozenset(range(named[0], named[-1] + 1)) if named and hierarchy.form == "ranges" else frozenset(named)
    assert leaves <= above
    assert not leaves or covering_level(hierarchy, leaves) == node[0]
    return leaves or above


def price(name: str, column: QuasiColumn, value: int, leaves: Leaves) -> float:
    """Return what a record with a value pays by a measure if a set of leaves is published for it."""
    hierarchy, counts = column.hierarchy, column.leaf_counts.tolist()
    level, n_records = covering_level(hierarchy, leaves), max(sum(counts), 1)
    inside = sum(counts[leaf] for leaf in leaves)
    bits = sum(counts[leaf] * log2(inside / counts[leaf]) for leaf in leaves if counts[leaf])
    root = covering_level(hierarchy, frozenset(range(hierarchy.n_leaves)))
    starred = level == hierarchy.height if hierarchy.form == "tree" else len(leaves) > 1
    return {
        "stars": float(starred),
        "tree": level / max(root, 1),
        "absolute-distance": float(level),
        "relative-distance": level / hierarchy.height,
        "precision": level / hierarchy.height / n_records,
        "lm": _width(hierarchy, leaves, (len(leaves) - 1) / max(hierarchy.n_leaves - 1, 1)),
        "balanced-lm": _width(hierarchy, leaves, (len(leaves) - 1) / max(hierarchy.n_leaves - 1, 1)),
        "ncp": _width(hierarchy, leaves, len(leaves) / hierarchy.n_leaves if len(leaves) > 1 else 0.0),
        "entropy": bits / max(inside, 1),
        "monotone-entropy": bits / n_records,
        "nonuniform-entropy": log2(inside / counts[value]) if counts[value] else 0.0,
    }[name]


def full_price(name: str, column: QuasiColumn, value: int) -> float:
    """Return what a suppressed record pays."""
    if "entropy" in name:
        return price(name, column, value, frozenset(range(column.hierarchy.n_leaves)))
    n_records = max(int(column.leaf_counts.sum()), 1)
    return {"absolute-distance": float(column.hierarchy.height), "precision": 1 / n_records}.get(name, 1.0)


def _width(hierarchy: Hierarchy, leaves: Leaves, counted: float) -> float:
    """Return the share of a range of numbers, or else what counting the values gives."""
    texts = [text for text in hierarchy.values if text is not None]
    inside = [text for leaf in leaves if (text := hierarchy.values[leaf]) is not None]
    if hierarchy.positions is None or len(inside) < len(leaves):
        return float(counted)
    domain = max(map(float, texts)) - min(map(float, texts))
    return (max(map(float, inside)) - min(map(float, inside))) / domain if domain else 0.0


@st.composite
def hierarchies(draw: st.DrawFn) -> tuple[Hierarchy, list[str]]:
    """Draw a hierarchy of any form, and values that may occur; some leaves may not."""
    kind = draw(st.sampled_from(["tree", "numbers", "order", "texts", "sets"]))
    if kind == "tree":
        return Hierarchy.of_rows(ROWS, "tree"), [row[0] for row in ROWS]
    pool = NUMBERS if kind == "numbers" else NASTY
    values = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=6, unique=True))
    if kind == "order":
        return Ranges(order=tuple(values)).build([], "column"), values[:4]
    return (Sets() if kind == "sets" else Ranges()).build(values, "column"), values


@st.composite
def cases(draw: st.DrawFn, max_records: int = 12, max_classes: int = 4, missing: bool = True) -> Case:
    """Draw a table with columns of any form, and put its records into classes, or into none."""
    drawn = [draw(hierarchies()) for _ in range(draw(st.integers(1, 3)))]
    names = [f"column {number}" for number in range(len(drawn))]
    gap = [None] if missing and draw(st.booleans()) else []
    value_of = [st.sampled_from([*values, *gap]) for _, values in drawn]
    rows = draw(st.lists(st.tuples(*value_of, st.sampled_from("xyz")), min_size=1, max_size=max_records))
    weights = dict(zip(names, [draw(st.sampled_from([0.0, 1.0, 2.5])) for _ in names], strict=True))
    table = table_of(names, rows)
    found = count(table, dict(zip(names, [one for one, _ in drawn], strict=True)), weights, ("sensitive",))
    labels = [
        draw(st.lists(st.integers(-1, max_classes - 1), min_size=n, max_size=n)) for n in found.tally.counts.tolist()
    ]
    return Case(table, rows, found, parts_of(labels))


def table_of(names: Sequence[str], rows: Sequence[Row]) -> Table:
    """Return a table whose last column is sensitive."""
    roles = {**dict.fromkeys(names, Role.QUASI), "sensitive": Role.SENSITIVE}
    return Table.of(pl.DataFrame(rows, schema=dict.fromkeys(roles, pl.String), orient="row"), roles)


def parts_of(labels: Sequence[Sequence[int]]) -> Parts:
    """Return the parts of points, given the class of each of their records."""
    listed = [(point, label, n) for point, mine in enumerate(labels) for label, n in sorted(Counter(mine).items())]
    points, classes, counts = zip(*listed, strict=True)
    return Parts(np.array(points, dtype=np.int32), np.array(classes, dtype=np.int32), np.array(counts, dtype=np.int64))
