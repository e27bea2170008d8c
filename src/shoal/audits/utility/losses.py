"""Losses: the information loss of each column of a release, which may come from any tool, by a cell measure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audits.utility.readings import Reading
from shoal.classes.recoding import Subsets
from shoal.classes.tally import QuasiColumn
from shoal.measures.measure import CellCosts, CellMeasure
from shoal.tables.hierarchies.hierarchy import STAR, Hierarchy, Label


@dataclass(frozen=True, slots=True)
class ColumnLoss:
    """The information loss of a column.

    Args:
        measure: The measure.
        total: The loss in the measure's own unit, without the column's weight.
        share: The loss relative to that of suppressing every record, from 0 to 1.
    """

    measure: str
    total: float
    share: float

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"measure": self.measure, "total": self.total, "share": self.share}


def column_loss(
    reading: Reading, measure: CellMeasure, folder: Path = Path(), built: Hierarchy | None = None
) -> ColumnLoss | None:
    """Return the loss of a column as a certificate states it; a suppressed record counts as fully lost.

    Cells are priced along the hierarchy by which the column was generalized, if it is known. Otherwise a range of
    numbers or days is priced as by the hierarchy `ranges`, from the least to the largest raw value in it, and any other
    cell as the set of its values.

    Args:
        reading: The column.
        measure: The measure.
        folder: Where the files of the hierarchy are found.
        built: The hierarchy over the values of the raw column, if it is built already.

    Returns:
        The loss; None if some cell covers no value of the raw table, since it then has no price.
    """
    if reading.moved or reading.strange.any():
        return None
    hierarchy = _hierarchy(reading, folder) if built is None else built
    leaf_of = hierarchy.encode(reading.raw.values, reading.name)
    counts = np.bincount(leaf_of, reading.before[:-1], hierarchy.n_leaves).astype(np.int64)
    if hierarchy.missing_leaf >= 0:
        counts[hierarchy.missing_leaf] = reading.before[-1]
    column = QuasiColumn(reading.name, hierarchy, counts)
    costs = measure.costs(column)
    prices = _prices(reading, column, costs, leaf_of)
    n_raw, n_released = int(reading.before_held.sum()), int(reading.after_held.sum())
    each = n_raw / max(int(reading.before.sum()), 1) or 1.0  # the mean weight of a record; 1 if there are none
    paid = costs.offset * each + float(prices @ reading.after_held)
    lost = (paid + max(n_raw - n_released, 0) * costs.full) / each
    worst = costs.offset + max(n_raw, n_released) * costs.full / each
    share = min(max(lost, 0.0) / worst, 1.0) if worst > 0 else 0.0
    return ColumnLoss(measure.name, max(lost, 0.0), share)


def _hierarchy(reading: Reading, folder: Path) -> Hierarchy:
    """Return the hierarchy of a column, or one in which every range or set of its values has a price."""
    values, line = reading.raw.values, reading.line
    if reading.recipe is not None:
        hierarchy = reading.recipe.build(values, reading.name, folder)
    elif line is not None and _runs(reading):
        order = np.argsort(line.numbers, kind="stable")
        hierarchy = replace(
            Hierarchy.below_star([values[code] for code in order.tolist()], []),
            form="ranges",
            positions=line.numbers[order] - line.numbers[order[0]],
        )
    else:
        hierarchy = replace(Hierarchy.below_star(values, []), form="sets")
    return hierarchy.with_missing() if reading.before[-1] else hierarchy


def _runs(reading: Reading) -> bool:
    """Tell whether every cell that stands for several numbers is a range: it covers all raw values between its ends."""
    if reading.line is None:
        return False
    rank = np.argsort(np.argsort(reading.line.numbers, kind="stable"))
    return all(int(np.ptp(rank[part])) == len(part) - 1 for part in reading.parts.values())


def _prices(reading: Reading, column: QuasiColumn, costs: CellCosts, leaf_of: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the price of each cell, the missing one last; an unknown cell is priced as suppressed."""
    values, single = reading.raw.values, reading.single.tolist()
    same = [code >= 0 and values[code] == cell for code, cell in zip(single, reading.shown.values, strict=True)]
    known = np.append(np.array(same, dtype=np.bool_), False)
    prices = np.full(len(known), costs.full)
    leaves = leaf_of[reading.single[known[:-1]]]
    prices[known] = costs.by_level[0][leaves]
    nodes: dict[Label, tuple[int, int]] = {}
    for level in range(column.hierarchy.height, -1, -1):
        nodes |= {label: (level, code) for code, label in enumerate(column.hierarchy.labels[level])}
    labels: list[Label] = [*reading.shown.values, None]
    cells = [
        cell for cell in np.flatnonzero(~known).tolist() if labels[cell] in nodes or labels[cell] not in (None, STAR)
    ]
    if cells:
        covered = [_covered(reading, column.hierarchy, nodes, labels[cell], cell, leaf_of) for cell in cells]
        offsets = np.concatenate([[0], np.cumsum([len(part) for _, part in covered])]).astype(np.int64)
        levels, codes = np.array([node for node, _ in covered], dtype=np.int32).T
        members = np.concatenate([part for _, part in covered]).astype(np.int32)
        prices[cells] = costs.of(
            column, Subsets(tuple(labels[cell] for cell in cells), levels, codes, offsets, members)
        )
    return prices


def _covered(
    reading: Reading,
    hierarchy: Hierarchy,
    nodes: Mapping[Label, tuple[int, int]],
    label: Label,
    cell: int,
    leaf_of: NDArray[np.int32],
) -> tuple[tuple[int, int], NDArray[np.int32]]:
    """Return the lowest node that covers a cell, and the leaves that the cell covers (for a range, the two ends)."""
    nothing = leaf_of[:0]
    if label in nodes:
        return nodes[label], nothing
    leaves = _ends(reading, hierarchy, cell, leaf_of)
    if leaves is None:
        leaves = _leaves(reading, cell, leaf_of)
    node = _above(hierarchy, leaves)
    if hierarchy.form == "tree" or len(leaves) == 1:
        return node, nothing
    return node, leaves[[0, -1]] if hierarchy.form == "ranges" else leaves


def _ends(reading: Reading, hierarchy: Hierarchy, cell: int, leaf_of: NDArray[np.int32]) -> NDArray[np.int32] | None:
    """Return the first and the last leaf of a cell that is a range, without listing those between; else None."""
    part = reading.parts.get(cell)
    if part is None or hierarchy.form != "ranges":
        return None
    ends = np.sort(leaf_of[part[[0, -1]]])
    return ends if ends[1] - ends[0] == len(part) - 1 else None


def _leaves(reading: Reading, cell: int, leaf_of: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the leaves that a cell covers, ascending."""
    if reading.blank[cell]:
        return np.sort(leaf_of)
    if reading.single[cell] >= 0:
        return leaf_of[reading.single[cell]][None]
    return np.sort(leaf_of[reading.parts[cell]])


def _above(hierarchy: Hierarchy, leaves: NDArray[np.int32]) -> tuple[int, int]:
    """Return the level and code of the lowest node that covers all given leaves."""
    for level, codes in enumerate(hierarchy.codes):
        here = codes[leaves]
        if (here == here[0]).all():
            return level, int(here[0])
    return hierarchy.height, 0
