"""Random hierarchies of every type on the shelf that fit a column, and sometimes one that does not."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import tomli_w

from shoal.tables.hierarchies import HIERARCHIES
from tests.soak.draw.columns import Drawn
from tests.soak.draw.fields import drawn_fields

Recipe = dict[str, Any]
Files = dict[str, str]

_FITS = {
    "intervals": {"whole", "decimal", "large"},
    "dates": {"day", "time"},
    "masking": {"whole", "code", "word", "odd"},
    "order": {"whole", "word", "odd", "code", "decimal"},
    "ranges": {"whole", "decimal", "day", "time", "word", "large"},
}
"""Kinds of columns that a type is for; any kind will do for the others."""


def recipe(draw: Random, column: Drawn, name: str, files: Files) -> Recipe | None:
    """Draw a hierarchy for a column; none means the automatic one. Files that it needs are added."""
    if draw.random() < 0.15:
        return None
    fitting = [one for one in HIERARCHIES.names if column.kind in _FITS.get(one, {column.kind})]
    kind = draw.choice(HIERARCHIES.names if draw.random() < 0.03 else fitting)
    values = sorted({value for value in column.values if value})
    maker = _MAKERS.get(kind)
    if maker is None:
        return {"type": kind, **drawn_fields(draw, HIERARCHIES[kind], {})}
    return {"type": kind, **maker(draw, values, name, files)}


def tree_recipe(draw: Random, values: list[str], name: str, files: Files) -> Recipe:
    """Draw a hierarchy that names all values, so that distances may be measured along it."""
    kind = draw.choice(("levels", "taxonomy"))
    return {"type": kind, **_MAKERS[kind](draw, values, name, files)}


def _levels(draw: Random, values: list[str], name: str, files: Files) -> Recipe:
    """Write groups of groups; labels are no values, and sometimes there are values that do not occur."""
    domain = [*values, *(f"{name} extra {i}" for i in range(draw.choice((0, 0, 2))))] or ["only"]
    draw.shuffle(domain)
    rows = [[value] for value in domain]
    groups = list(range(len(domain)))
    for level in range(draw.choice((0, 1, 2))):
        groups = [group // draw.choice((2, 2)) for group in groups]
        for row, group in zip(rows, groups, strict=True):
            row.append(f"g{level}.{group}")
    for row in rows:
        row.append("*")
    files[f"{name}.csv"] = "".join(";".join(_quoted(cell) for cell in row) + "\n" for row in rows)
    return {"path": f"{name}.csv"}


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def _taxonomy(draw: Random, values: list[str], name: str, files: Files) -> Recipe:
    """Draw a tree, balanced or not; no node has a single one below it."""
    leaves = [*values, f"{name} left", f"{name} right"]
    draw.shuffle(leaves)
    tree = {f"All of {name}": _branches(draw, leaves, f"{name}", 0)}
    form = draw.choice(("tree", "toml", "json"))
    if form == "tree":
        return {"tree": tree}
    files[f"{name}.{form}"] = tomli_w.dumps(tree) if form == "toml" else json.dumps(tree, ensure_ascii=False)
    return {"path": f"{name}.{form}"}


def _branches(draw: Random, leaves: list[str], path: str, depth: int) -> list[Any]:
    if len(leaves) < 4 or depth == 2 or draw.random() < 0.3:
        return list(leaves)
    cut = draw.randint(2, len(leaves) - 2)
    parts = (leaves[:cut], leaves[cut:])
    below: list[Any] = [
        {f"node {path}.{i}": _branches(draw, part, f"{path}.{i}", depth + 1)} for i, part in enumerate(parts)
    ]
    return [below[0], *parts[1]] if draw.random() < 0.3 else below


def _intervals(draw: Random, values: list[str], name: str, files: Files) -> Recipe:
    if draw.random() < 0.3:
        cuts = sorted(draw.sample(range(90), 4))
        return {"cuts": [cuts, [cuts[1], cuts[3]]]}
    first = draw.choice((1, 2, 5, 10))
    widths = [first, first * 2, first * draw.choice((4, 8))][: draw.choice((1, 2, 3))]
    return {"widths": widths, **({"start": draw.choice((0, 3))} if draw.random() < 0.5 else {})}


def _masking(draw: Random, values: list[str], name: str, files: Files) -> Recipe:
    found: Recipe = {"from": draw.choice(("left", "right"))} if draw.random() < 0.5 else {}
    if draw.random() < 0.4:
        found["levels"] = draw.choice((1, 2, 3))
    return {**found, **({"character": draw.choice("x#.")} if draw.random() < 0.3 else {})}


def _dates(draw: Random, values: list[str], name: str, files: Files) -> Recipe:
    steps = ["day", "month", "quarter", "year", "decade"]
    return {} if draw.random() < 0.5 else {"steps": draw.sample(steps, draw.choice((1, 2, 3)))}


def _order(draw: Random, values: list[str], name: str, files: Files) -> Recipe:
    return {"fanout": draw.choice((2, 3)), **_given_order(draw, values, 0.4)}


def _given_order(draw: Random, values: list[str], share: float) -> Recipe:
    return {"order": draw.sample(values, len(values))} if values and draw.random() < share else {}


def _collection(draw: Random, values: list[str], name: str, files: Files) -> Recipe:
    """Draw subsets of a shuffled domain, one after the other, with labels that are no values."""
    domain = draw.sample(values, len(values)) or ["only"]
    cut = draw.randint(1, len(domain))
    parts = [part for part in (domain[:cut], domain[cut:]) if part]
    return {"subsets": parts, "labels": [f"{name} part {number}" for number in range(len(parts))]}


def _ranges(draw: Random, values: list[str], name: str, files: Files) -> Recipe:
    found = _given_order(draw, values, 0.2)
    if not found and "grid" in HIERARCHIES["ranges"].__dataclass_fields__ and draw.random() < 0.3:
        found["grid"] = draw.choice(("none", 5, 10))
    return found


_MAKERS: dict[str, Callable[[Random, list[str], str, Files], Recipe]] = {
    "levels": _levels,
    "taxonomy": _taxonomy,
    "intervals": _intervals,
    "masking": _masking,
    "dates": _dates,
    "order": _order,
    "collection": _collection,
    "ranges": _ranges,
}
"""What fields alone do not tell; a type that is not here is drawn by its fields."""
