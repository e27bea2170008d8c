"""Cover: the values of a public column that each published cell may stand for."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audits.notations import (
    Range,
    holds,
    items,
    number,
    range_ends,
    read_date_range,
    read_mask,
    read_masked,
    read_range,
)
from shoal.audits.public_domain import Codes, Ordered, PublicDomain
from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies import (
    Dates,
    Hierarchy,
    HierarchySpec,
    Intervals,
    Levels,
    Masking,
    Order,
    Ranges,
    Sets,
    Taxonomy,
)
from shoal.tables.hierarchies.dates import read_date

Reader = Callable[[str], Codes | None]  # the values that a cell covers; None if it is not in this notation

_STARS = re.compile(r"[*⋆]+")
_PERIOD = re.compile(r"[0-9]{4}(-[0-9]{2}|-Q[1-4]|s|-[0-9]{2}-[0-9]{2}([T ].+)?)?")
_NOBODY = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """The values that the cells of one column cover, as codes of a public column.

    Args:
        parts: For each cell, the codes of the values that it covers; the missing cell is last.
        n_values: The number of values; the missing value has the code `n_values`.
        wildcard: Whether every cell covers the missing value.
        idle: The number of cells that cover no value of the public column.
    """

    parts: tuple[Codes, ...]
    n_values: int
    wildcard: bool
    idle: int

    def rows(self, cells: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return `covered[cell, value]` for the given cells; the missing value is the last column."""
        covered = np.zeros((len(cells), self.n_values + 1), dtype=np.bool_)
        for row, cell in zip(covered, cells.tolist(), strict=True):
            row[self.parts[cell]] = True
        covered[:, -1] |= self.wildcard
        return covered


def cover_of(
    cells: Sequence[str],
    values: Sequence[str],
    column: str,
    recipe: HierarchySpec | None = None,
    folder: Path = Path(),
    *,
    wildcard: bool = True,
    table: str = "public table",
) -> Cover:
    """Read the published cells of a column, and return the public values that each covers.

    A cell covers the value that is written the same, and those that its notation stands for. A star covers all values.
    The notation is that of the hierarchy by which the column was generalized, if it is given; else every known notation
    is tried.

    Args:
        cells: The distinct cells of the release, without the missing one.
        values: The distinct values of the public table, without the missing one.
        column: The name of the column, for messages.
        recipe: The hierarchy of the column.
        folder: The folder of the hierarchy's files.
        wildcard: Whether a missing value, in the release or in the public table, matches every value; else it is a
            value like any other.
        table: The name of the table with the values, for messages.

    Raises:
        SpecError: Cells cannot be read, or no cell covers any value. The message counts cells, and shows none.
    """
    domain = PublicDomain(values)
    readers = _free(domain) if recipe is None else _made(domain, recipe, cells, column, folder)
    parts, unread = [], 0
    for cell in cells:
        part, known = _read(cell, domain, readers)
        unread += not known
        parts.append(part)
    if unread and (recipe is not None or _strict(domain)):
        raise _unread(column, unread, len(cells), recipe, table)
    idle = sum(len(part) == 0 for part in parts)
    if cells and values and idle == len(cells):
        raise SpecError(
            f"No cell of column '{column}' of the release covers any value of the {table}. Are both written "
            "alike? If the release was generalized along a hierarchy, give that hierarchy."
        )
    missing = domain.all if wildcard else domain.all[-1:]
    return Cover((*parts, missing), len(values), wildcard, idle)


def read_values(
    texts: Sequence[str],
    cells: Sequence[str],
    values: Sequence[str],
    column: str,
    recipe: HierarchySpec | None = None,
    folder: Path = Path(),
) -> list[Codes]:
    """Return the public values that each of some texts stands for, read as the cells of the column are; maybe none.

    Args:
        texts: What to read, such as the ends of ranges.
        cells: The distinct cells of the release, without the missing one: they tell how the column is ordered.
        values: As for `cover_of`.
        column: As for `cover_of`.
        recipe: As for `cover_of`.
        folder: As for `cover_of`.
    """
    domain = PublicDomain(values)
    readers = _free(domain) if recipe is None else _made(domain, recipe, cells, column, folder)
    return [_read(text, domain, readers)[0] for text in texts]


def _read(cell: str, domain: PublicDomain, readers: Sequence[Reader]) -> tuple[Codes, bool]:
    """Return the values that a cell covers, and whether it could be read."""
    if _STARS.fullmatch(cell):
        return domain.all, True
    same = domain.code.get(cell)
    for reader in readers:
        part = reader(cell)
        if part is not None:
            return part if same is None or same in part else np.append(part, np.int32(same)), True
    return (_NOBODY, False) if same is None else (np.array([same], dtype=np.int32), True)


def _strict(domain: PublicDomain) -> bool:
    """Tell whether a column holds only numbers or only dates, so that any other text among the cells is an error."""
    n_values = len(domain.values)
    return n_values > 0 and not _codes(domain) and n_values in (len(domain.numbers.keys), len(domain.days.keys))


def _unread(column: str, unread: int, n_cells: int, recipe: HierarchySpec | None, table: str) -> SpecError:
    which = f"{unread} of the {n_cells} different cells of column '{column}' of the release"
    if recipe is not None:
        return SpecError(f"{which} are no nodes of its hierarchy (type '{recipe.name}'). Is it the one of the release?")
    return SpecError(
        f"{which} cannot be read beside the values of the {table}: known are values, ranges such as '20-29', "
        "'20 - 29', '[20, 30)', '<18' or '65+', periods such as '2024-03' or '2020s', masks such as '220**', sets "
        "such as '{a, b}' and '*'. Give the hierarchy of the column, or write the cells so."
    )


def _free(domain: PublicDomain) -> list[Reader]:
    """Return the readers of all known notations, for a table that may come from any tool."""

    def one_of(cell: str) -> Codes | None:
        found = items(cell)
        return None if found is None else domain.chosen(found)

    def masked(cell: str) -> Codes | None:
        mask = read_mask(cell)
        return None if mask is None else _where(domain, mask.covers)

    numeric: list[Reader] = [] if _codes(domain) else [_numbers(domain)]
    return [one_of, *numeric, *_calendar(domain, Dates()), masked]


def _codes(domain: PublicDomain) -> bool:
    """Tell whether the digits of a column are codes and not numbers: some value has a leading zero."""
    return any(re.match(r"0[0-9]", value) for value in domain.values)


def _made(domain: PublicDomain, recipe: HierarchySpec, cells: Sequence[str], column: str, folder: Path) -> list[Reader]:
    """Return the readers of the notations in which shoal writes the nodes of a hierarchy."""
    if isinstance(recipe, Levels | Taxonomy):
        return [_labelled(domain, recipe.build(domain.values, column, folder), top=True)]
    if isinstance(recipe, Dates):
        return [*_calendar(domain, recipe), _absent]
    if isinstance(recipe, Masking):
        return [_masking(domain, recipe), _absent]
    if isinstance(recipe, Intervals):
        return [_numbers(domain, whole=True), _absent]
    if isinstance(recipe, Order | Ranges):
        if recipe.order is not None:
            return [_placed(domain, recipe.order)]
        return [*_ranges(domain, cells), _absent]
    if isinstance(recipe, Sets):
        return [
            lambda cell: _where(domain, lambda value: holds(cell, value)) if cell.startswith("{") else None,
            _absent,
        ]
    return [_absent]


def _absent(cell: str) -> Codes:
    """Read a cell as a value that does not occur in the public table."""
    return _NOBODY


def _where(domain: PublicDomain, holds_for: Callable[[str], bool]) -> Codes:
    return np.array([code for code, value in enumerate(domain.values) if holds_for(value)], dtype=np.int32)


def _numbers(domain: PublicDomain, *, whole: bool = False) -> Reader:
    """Read a number, however it is written, or a range of numbers."""

    def read(cell: str) -> Codes | None:
        alone = number(cell)
        found = Range(alone, alone) if alone is not None else read_range(cell, whole=whole)
        if found is None or not domain.numbers.keys:
            return None
        return domain.numbers.between(found.low, found.high, low_in=found.low_in, high_in=found.high_in)

    return read


def _calendar(domain: PublicDomain, recipe: Dates) -> list[Reader]:
    """Read a calendar period, a day or a range of days; it may cover no value."""
    dated = [value for value in domain.values if read_date(value, recipe.format) is not None]
    if not dated:
        return []

    def days(cell: str) -> Codes | None:
        low, high, low_in, high_in = read_date_range(cell) or (cell, cell, True, True)
        first, last = read_date(low), read_date(high)
        if first is None or last is None:
            return _NOBODY if _PERIOD.fullmatch(cell) else None
        return domain.days.between(first, last, low_in=low_in, high_in=high_in)

    periods = cache(lambda: _labelled(domain, recipe.build(dated, "")))  # most releases have ranges alone
    return [lambda cell: periods()(cell) if read_date_range(cell) is None else None, days]


def _labelled(domain: PublicDomain, hierarchy: Hierarchy, *, top: bool = False) -> Reader:
    """Read the label of a node; with `top`, every label is known, and the top covers values outside the hierarchy."""
    leaf = {value: place for place, value in enumerate(hierarchy.values)}
    codes = np.array([code for code, value in enumerate(domain.values) if value in leaf], dtype=np.int32)
    places = np.array([leaf[domain.values[code]] for code in codes.tolist()], dtype=np.int64)
    below: dict[str, Codes] = {}
    for level, labels in enumerate(hierarchy.labels):
        at = hierarchy.codes[level][places]
        order = np.argsort(at, kind="stable")
        ends = np.cumsum(np.bincount(at, minlength=len(labels)))[:-1]
        for label, part in zip(labels, np.split(codes[order], ends), strict=True):
            if label is not None and (top or len(part)):
                below[label] = np.union1d(below[label], part) if label in below else part
    if top:
        below[str(hierarchy.labels[-1][0])] = domain.all
    return below.get


def _masking(domain: PublicDomain, recipe: Masking) -> Reader:
    longest = max(map(len, domain.values), default=0)
    texts = domain.texts if recipe.side == "right" else Ordered.of((v[::-1], c) for c, v in enumerate(domain.values))

    def read(cell: str) -> Codes | None:
        mask = read_masked(cell, recipe.character, recipe.side)
        if mask is None:
            return None
        kept = mask.before or mask.after[::-1]
        alike = texts.between(kept, kept + chr(0x10FFFF))
        if mask.longest is not None and longest > mask.longest:
            return np.array(
                [code for code in alike.tolist() if len(domain.values[code]) <= mask.longest], dtype=np.int32
            )
        return alike

    return read


def _placed(domain: PublicDomain, order: Sequence[str]) -> Reader:
    """Read a range in the given order of the values; nothing else is a node."""
    place = {value: position for position, value in enumerate(order)}
    placed = Ordered.of((place.get(value), code) for code, value in enumerate(domain.values))

    def read(cell: str) -> Codes | None:
        if cell in place:
            return domain.chosen([cell])
        ends = [(place[low], place[high]) for low, high in range_ends(cell) if low in place and high in place]
        return _union([placed.between(low, high) for low, high in ends]) if ends else None

    return read


def _ranges(domain: PublicDomain, cells: Sequence[str]) -> list[Reader]:
    """Read ranges in the order that was chosen for the column: by number or day if all cells are such, else by text."""

    def keyed(key: Callable[[str], Any], ordered: Ordered) -> Reader:
        def read(cell: str) -> Codes | None:
            ends = [(key(low), key(high)) for low, high in range_ends(cell)]
            known = [pair for pair in ends if None not in pair]
            return _union([ordered.between(low, high) for low, high in known]) if known else None

        return read

    shown = [cell for cell in cells if not _STARS.fullmatch(cell)]
    if domain.days.keys and all(_PERIOD.fullmatch(cell) or read_date_range(cell) for cell in shown):
        return [keyed(read_date, domain.days), *_calendar(domain, Dates())]
    if all(number(cell) is not None or read_range(cell) is not None for cell in shown):
        return [keyed(number, domain.numbers), _numbers(domain, whole=True)]
    return [keyed(str, domain.texts)]


def _union(parts: Sequence[Codes]) -> Codes:
    return parts[0] if len(parts) == 1 else np.unique(np.concatenate(parts))
