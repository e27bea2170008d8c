"""Rules applied by hand: every record is put to every class, cell by cell."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Record = dict[str, str | None]


def label(hierarchy: dict[str, Any], value: str, level: int) -> str:
    """Return the label of a value at a level that is neither the value nor the top, by the recipe of the rules."""
    if hierarchy["type"] == "masking":
        kept = hierarchy["longest"] - level
        return value if len(value) < kept else value[:kept] + "*" * level
    if hierarchy["type"] == "intervals":
        width = hierarchy["widths"][level - 1]
        low = int(value) - int(value) % width
        return f"{low}-{low + width - 1}"
    assert hierarchy["type"] == "taxonomy"
    [root] = hierarchy["tree"].values()
    return next(name for name, below in root.items() if value in below)


def strange(hierarchy: dict[str, Any], value: str) -> bool:
    """Tell whether a recipe has no place for a value."""
    if hierarchy["type"] == "masking":
        return len(value) > hierarchy["longest"]
    if hierarchy["type"] == "taxonomy":
        return all(value not in below for root in hierarchy["tree"].values() for below in root.values())
    return hierarchy["type"] in ("intervals", "ranges") and not value.isdigit()


def covers(cell: dict[str, Any], value: str | None, hierarchy: dict[str, Any]) -> bool:
    """Tell whether a cell covers a value."""
    if cell.get("top"):
        return True
    if value is None or cell["label"] is None:
        return value == cell["label"]
    if strange(hierarchy, value):
        return False
    if "range" in cell:
        low, high = cell["range"]
        return Fraction(low) <= Fraction(value) <= Fraction(high)
    if "set" in cell:
        return value in cell["set"]
    if cell["level"] == 0:
        return bool(value == cell["label"])
    return label(hierarchy, value, cell["level"]) == cell["label"]


def domain(
    cells: Sequence[dict[str, Any]], records: Sequence[Record], name: str, hierarchy: dict[str, Any]
) -> set[Any]:
    """Return the values of a column: those of the table, those that cells name, and those of a tree."""
    found: set[Any] = {record[name] for record in records}
    found |= {value for cell in cells for value in (*cell.get("range", ()), *cell.get("set", ()))}
    for root in hierarchy.get("tree", {}).values():
        found |= {value for below in root.values() for value in below}
    return found


def placed(rules: dict[str, Any], records: Sequence[Record]) -> list[tuple[str | None, ...] | None]:
    """Return the labels of the class that each record goes to: the one that covers the smallest share of values."""
    names = list(rules["columns"])
    recipes = {name: rules["request"]["columns"][name]["hierarchy"] for name in names}
    cells = {name: rules["columns"][name]["cells"] for name in names}
    values = {name: domain(cells[name], records, name, recipes[name]) for name in names}
    shares: dict[tuple[str, int], float] = {}
    for name in names:
        for at, cell in enumerate(cells[name]):
            n = sum(covers(cell, value, recipes[name]) for value in values[name])
            shares[name, at] = (max(n, 1) - 1) / max(len(values[name]) - 1, 1)
    costs = [sum(shares[name, at] for name, at in zip(names, row, strict=True)) for row in rules["classes"]]
    order = sorted(range(len(costs)), key=lambda number: (costs[number], number))
    found: list[tuple[str | None, ...] | None] = []
    for record in records:
        fitting = (
            tuple(cells[name][at]["label"] for name, at in zip(names, rules["classes"][number], strict=True))
            for number in order
            if all(
                covers(cells[name][at], record[name], recipes[name])
                for name, at in zip(names, rules["classes"][number], strict=True)
            )
        )
        found.append(next(fitting, None))
    return found
