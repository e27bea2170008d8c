"""Whether each released record can be a raw one: a flow from raw records to released ones."""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Sequence

Row = tuple[str, ...]


def unmatched(
    raw: Sequence[tuple[Row, Row]], released: Sequence[tuple[Row, Row]], covers: Callable[[Row, Row], bool]
) -> int:
    """Return how many released records no raw record can stand behind, each raw record behind at most one.

    Args:
        raw: The quasi values and the open values of each raw record.
        released: The cells and the open values of each released record.
        covers: Tells whether cells may stand for quasi values.
    """
    behind: dict[Row, Counter[Row]] = defaultdict(Counter)
    shown: dict[Row, Counter[Row]] = defaultdict(Counter)
    for values, open_values in raw:
        behind[open_values][values] += 1
    for cells, open_values in released:
        shown[open_values][cells] += 1
    known: dict[tuple[Row, Row], bool] = {}

    def fits(cells: Row, values: Row) -> bool:
        if (cells, values) not in known:
            known[cells, values] = covers(cells, values)
        return known[cells, values]

    return sum(_left(behind[key], cells, fits) for key, cells in shown.items())


def _left(raw: Counter[Row], cells: Counter[Row], fits: Callable[[Row, Row], bool]) -> int:
    """Return how much of the demand of cells a largest flow leaves, by augmenting paths."""
    near = {cell: [values for values in raw if fits(cell, values)] for cell in cells}
    used: dict[Row, Counter[Row]] = {values: Counter() for values in raw}
    free, left = dict(raw), 0
    for cell in sorted(cells, key=lambda one: len(near[one])):
        demand = cells[cell]
        for values in near[cell]:
            taken = min(demand, free[values])
            used[values][cell] += taken
            free[values] -= taken
            demand -= taken
        while demand and _augment(cell, near, used, free):
            demand -= 1
        left += demand
    return left


def _augment(cell: Row, near: dict[Row, list[Row]], used: dict[Row, Counter[Row]], free: dict[Row, int]) -> bool:
    """Find one more raw record for a cell, moving others to other raw records, if that is possible."""
    wanted_by: dict[Row, Row] = {}
    freed_from: dict[Row, Row] = {}
    waiting, seen = deque([cell]), {cell}
    while waiting:
        one = waiting.popleft()
        for values in near[one]:
            if values in wanted_by:
                continue
            wanted_by[values] = one
            if free[values]:
                free[values] -= 1
                _shift(values, cell, wanted_by, freed_from, used)
                return True
            for other in [other for other, number in used[values].items() if number and other not in seen]:
                seen.add(other)
                waiting.append(other)
                freed_from[other] = values
    return False


def _shift(
    values: Row, start: Row, wanted_by: dict[Row, Row], freed_from: dict[Row, Row], used: dict[Row, Counter[Row]]
) -> None:
    cell = wanted_by[values]
    used[values][cell] += 1
    while cell != start:
        values = freed_from[cell]
        used[values][cell] -= 1
        cell = wanted_by[values]
        used[values][cell] += 1
