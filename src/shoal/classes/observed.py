"""Observed: the equivalence classes of a published table, derived from its cells alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.classes.tally import SensitiveColumn, Tally
from shoal.classes.wildcard_matching import neighbourhoods
from shoal.kernels.grouping import take
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.hierarchies.hierarchy import STAR, Hierarchy, Label
from shoal.tables.hierarchies.numeric import natural_order
from shoal.tables.rows import Rows
from shoal.tables.table import Column, totals

COUNT = ""  # the column of counts in a table of cells: no column of a table has an empty name


def sensitive_column(
    name: str, column: Column, hierarchy: Hierarchy | None
) -> tuple[SensitiveColumn, NDArray[np.int32]]:
    """Return a sensitive column with its values in order, and the code of each record.

    The order is that of the hierarchy's leaves if one is given, else the natural one; a missing value is last.
    """
    missing = column.missing
    if hierarchy is not None:
        hierarchy = hierarchy.with_missing() if missing else hierarchy
        values: tuple[Label, ...] = hierarchy.values
    else:
        values = (*natural_order(column.values), *((None,) if missing else ()))
    place = {value: code for code, value in enumerate(values)}
    occurring: list[Label] = [*column.values, *((None,) if missing else ())]
    if hierarchy is not None:
        codes = hierarchy.encode(occurring, name)
    else:
        codes = np.array([place[value] for value in occurring], dtype=np.int32)
    return SensitiveColumn(name, values, hierarchy), take(codes, column.codes)


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """The equivalence classes of a published table: records with identical quasi cells.

    Args:
        groups: The classes; a missing value is a value like any other.
        cells: `cells[class, column]`, the published cells as codes.
        published: The texts behind the codes of each column.
        open_cells: `open_cells[class, column]` is true where the cell is missing or a star.
    """

    groups: Grouping
    cells: NDArray[np.int32]
    published: tuple[list[str], ...]
    open_cells: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        frame: pl.DataFrame,
        quasi: Sequence[str],
        sensitive: Sequence[str] = (),
        hierarchies: Mapping[str, Hierarchy] | None = None,
    ) -> "Observed":
        """Group the records of a table.

        Args:
            frame: The columns as text.
            quasi: The quasi columns.
            sensitive: The sensitive columns to look at.
            hierarchies: Hierarchies of sensitive columns.
        """
        return cls.of_rows(Rows.each(frame), quasi, sensitive, hierarchies)

    @classmethod
    def of_rows(
        cls,
        rows: Rows,
        quasi: Sequence[str],
        sensitive: Sequence[str] = (),
        hierarchies: Mapping[str, Hierarchy] | None = None,
    ) -> "Observed":
        """Group the records of a table that is counted row by row; see `of`."""
        frame = rows.frame
        columns = [rows.column(name) for name in quasi]
        sizes = [len(column.values) + 1 for column in columns]
        known = hierarchies or {}
        looked = [sensitive_column(name, rows.column(name), known.get(name)) for name in sensitive]
        profiles, profile_codes = distinct_rows(
            [codes for _, codes in looked], [len(column.values) for column, _ in looked], frame.height
        )
        codes = [*(column.codes for column in columns), profiles]
        point_of, points = distinct_rows(codes, [*sizes, len(profile_codes)], frame.height)
        labels, cells = distinct_rows(list(points[:, :-1].T), sizes, len(points))
        tally = Tally(
            quasi=(),
            sensitive=tuple(column for column, _ in looked),
            codes=points[:, :-1],
            profiles=points[:, -1].copy(),
            profile_codes=profile_codes,
            counts=totals(point_of, rows.counts, len(points)),
        )
        texts = tuple(column.values for column in columns)
        return cls(Grouping.of(tally, labels, len(cells)), cells, texts, _open(cells, texts))

    def with_populations(self, populations: Mapping[str, pl.DataFrame], quasi: Sequence[str]) -> "Observed":
        """Add outside tables, given as distinct cells (generalized as the release is) with a column of counts.

        Records with a star in every column may be anybody whom no other class covers.
        """
        stars = self._all_stars()
        covered, outside = {}, {}
        for name, cells in populations.items():
            places = {str(j): column for j, column in enumerate(quasi)}  # a name may be a pattern to polars
            keys = pl.DataFrame([pl.Series(at, self._texts(int(at)), dtype=pl.String) for at in places])
            held = pl.DataFrame([cells.get_column(column).alias(at) for at, column in places.items()])
            held = held.with_columns(cells.get_column(COUNT))
            joined = keys.join(held, on=list(places), how="left", nulls_equal=True, maintain_order="left")
            inside = joined[COUNT].fill_null(0).to_numpy().astype(np.int64)
            total = int(cells[COUNT].sum())
            inside = np.where(stars & joined[COUNT].is_null().to_numpy(), total - inside.sum(), inside)
            covered[name] = inside
            outside[name] = total - int(inside.sum())
        return replace(self, groups=replace(self.groups, populations=covered, outside=outside))

    def wildcard(self, *, stars: bool) -> Grouping:
        """Return the classes if a missing value (and a star, with `stars`) matches every value."""
        open_cells = self.open_cells if stars else self.cells == np.array([len(texts) for texts in self.published])
        codes = np.where(open_cells, -2, self.cells).astype(np.int32)
        return neighbourhoods(self.groups, codes, np.full(codes.shape[1], -2, dtype=np.int32))

    def _all_stars(self) -> NDArray[np.bool_]:
        """Return the one class, if any, with a star in every column."""
        codes = [texts.index(STAR) if STAR in texts else -1 for texts in self.published]
        return (self.cells == np.array(codes, dtype=np.int32)).all(axis=1)

    def _texts(self, number: int) -> list[Label]:
        texts = [*self.published[number], None]
        return [texts[code] for code in self.cells[:, number]]


def _open(cells: NDArray[np.int32], texts: Sequence[list[str]]) -> NDArray[np.bool_]:
    """Return which cells are missing or a star."""
    opened = np.zeros(cells.shape, dtype=np.bool_)
    for j, values in enumerate(texts):
        star = values.index(STAR) if STAR in values else -1
        opened[:, j] = (cells[:, j] == len(values)) | (cells[:, j] == star)
    return opened
