"""GridCells: the cells of a public grid in which the values of a column lie."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class GridCells:
    """The cells of a grid in which the leaves of a column lie.

    Args:
        cell: The cell of each leaf.
        first: The first leaf of each cell.
        last: The last leaf of each cell.
        low: The place of the lower end of each cell, within the range of the column.
        high: The place of its upper end.
        ends: The two ends of each cell as they are printed.
        fine: Whether the grid is as fine as the values: no cell has room for two that are as far from each other as
            values of the column are. Then it hides none.
    """

    cell: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    ends: tuple[tuple[str, str], ...]
    fine: bool = False

    @classmethod
    def of(
        cls,
        places: Sequence[int],
        bounds: Sequence[tuple[int, int]],
        ends: Sequence[tuple[str, str]],
        unit: int = 1,
        *,
        fine: bool = False,
    ) -> "GridCells":
        """Return the cells of leaves that are in order.

        Args:
            places: The place of each leaf, as a multiple of 1 / unit.
            bounds: The first and the last place of the cell of each leaf.
            ends: The printed ends of each cell, in the order in which the cells first occur.
            unit: The unit.
            fine: Whether the grid is as fine as the values.
        """
        number = {pair: at for at, pair in enumerate(dict.fromkeys(bounds))}
        cell = np.array([number[pair] for pair in bounds], dtype=np.int32)
        sizes = np.bincount(cell, minlength=len(number))
        last = np.cumsum(sizes) - 1
        least, most = (places[0], places[-1]) if places else (0, 0)
        return cls(
            cell=cell,
            first=(last - sizes + 1).astype(np.int32),
            last=last.astype(np.int32),
            low=np.array([(max(low, least) - least) / unit for low, _ in number], dtype=np.float64),
            high=np.array([(min(high, most) - least) / unit for _, high in number], dtype=np.float64),
            ends=tuple(ends),
            fine=fine,
        )

    def with_apart(self, values: Sequence[str | None]) -> "GridCells":
        """Return the cells with more leaves, each a cell of its own at the greatest place."""
        n_leaves, n_cells, n = len(self.cell), len(self.ends), len(values)
        more, place = np.arange(n, dtype=np.int32), np.full(n, self.high.max(initial=0.0))
        return GridCells(
            cell=np.append(self.cell, n_cells + more).astype(np.int32),
            first=np.append(self.first, n_leaves + more).astype(np.int32),
            last=np.append(self.last, n_leaves + more).astype(np.int32),
            low=np.append(self.low, place),
            high=np.append(self.high, place),
            ends=(*self.ends, *((str(value), str(value)) for value in values)),
            fine=self.fine,
        )

    @property
    def firsts(self) -> NDArray[np.int32]:
        """For each leaf, the first leaf of its cell."""
        return self.first[self.cell]

    @property
    def lasts(self) -> NDArray[np.int32]:
        """For each leaf, the last leaf of its cell."""
        return self.last[self.cell]

    def texts(self, low: int, high: int) -> tuple[str, str]:
        """Return the printed ends of a range, given by its first and last leaf."""
        return self.ends[self.cell[low]][0], self.ends[self.cell[high]][1]
