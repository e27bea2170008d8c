"""Printed values: the ends of ranges and the elements of sets, which the cells of a release print as they are."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.audits.covers import read_values
from shoal.audits.notations import items, range_ends
from shoal.audits.public_domain import Codes
from shoal.tables.hierarchies import HierarchySpec, Order, Ranges, Sets

END, ELEMENT = "end", "element"
"""The kinds of printed values."""


@dataclass(frozen=True, slots=True, eq=False)
class Printed:
    """What the cells of one column print, as codes of another table's column.

    Args:
        cells: The cell of each printed value.
        kinds: Whether it is the end of a range or the element of a set.
        offsets: The first code of each printed value.
        codes: The codes of the values of the other table that it stands for.
        n_values: The number of values of the other table; the missing value has this code.
    """

    cells: NDArray[np.int64]
    kinds: tuple[str, ...]
    offsets: NDArray[np.int64]
    codes: NDArray[np.int64]
    n_values: int

    @classmethod
    def of(
        cls,
        cells: Sequence[str],
        values: Sequence[str],
        column: str,
        recipe: HierarchySpec | None = None,
        folder: Path = Path(),
    ) -> "Printed":
        """Read the printed values of the cells of a column.

        Args:
            cells: The distinct cells of the release, without the missing one.
            values: The distinct values of the other table, without the missing one.
            column: The name of the column, for messages.
            recipe: The hierarchy of the column, if it is known; without it, every cell that looks like a range or a set
                is taken for one.
            folder: The folder of the hierarchy's files.
        """
        found = [(number, kind, text) for number, cell in enumerate(cells) for kind, text in _texts(cell, recipe)]
        read = read_values([text for _, _, text in found], cells, values, column, recipe, folder)
        return cls.standing_for(
            ((number, kind, codes) for (number, kind, _), codes in zip(found, read, strict=True)), len(values)
        )

    @classmethod
    def standing_for(cls, found: Iterable[tuple[int, str, Codes]], n_values: int) -> "Printed":
        """Return printed values, each given by its cell, its kind and the codes of the values that it stands for.

        Args:
            found: The printed values; those that stand for no value are left out.
            n_values: The number of values of the other table.
        """
        known = [(number, kind, codes) for number, kind, codes in found if len(codes)]
        return cls(
            np.array([number for number, _, _ in known], dtype=np.int64),
            tuple(kind for _, kind, _ in known),
            np.cumsum([0, *(len(codes) for _, _, codes in known)]),
            np.concatenate([np.zeros(0, dtype=np.int64), *(codes.astype(np.int64) for _, _, codes in known)]),
            n_values,
        )

    def among(self, cells: NDArray[np.integer], values: NDArray[np.integer]) -> tuple[NDArray[np.int64], ...]:
        """Return all pairs of a given cell and value, and a printed value of this cell that stands for the value.

        Args:
            cells: A cell for each pair.
            values: A value for each pair.

        Returns:
            The number of the pair, and that of the printed value.
        """
        owners = np.repeat(np.arange(len(self.cells)), np.diff(self.offsets))
        keys = self.cells[owners] * (self.n_values + 1) + self.codes
        order = np.argsort(keys, kind="stable")
        wanted = cells.astype(np.int64) * (self.n_values + 1) + values
        first, last = (np.searchsorted(keys[order], wanted, side=side) for side in ("left", "right"))
        pairs = np.repeat(np.arange(len(wanted)), last - first)
        within = np.arange(len(pairs)) - np.repeat(np.cumsum(last - first) - (last - first), last - first)
        return pairs, owners[order[first[pairs] + within]]


def _texts(cell: str, recipe: HierarchySpec | None) -> Iterator[tuple[str, str]]:
    """Yield the values that a cell prints, with their kind."""
    if recipe is None or isinstance(recipe, Ranges | Order):
        for ends in range_ends(cell):
            yield from ((END, end) for end in ends)
    if recipe is None or isinstance(recipe, Sets):
        yield from ((ELEMENT, element) for element in items(cell) or ())
