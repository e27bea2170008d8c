"""A lattice with its optimum, and Mondrian's cuts: both as shoal finds them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

import shoal
from docs.site.contents import ROOT
from docs.site.pictures.shapes import BLUE, FAINT, INK, PALE, line, picture
from shoal.reports.drawing.svg import lettering

_K, _LIMIT = 5, 0.02
_DATES = ("day", "month", "quarter", "year", "decade", "*")
_ZIPS = ("02407", "0240*", "024**", "02***", "0****", "*")


def lattice() -> str:
    """Return all levels of birth date and zip, which of them keep k, and the one of least loss."""
    raw = pl.read_csv(ROOT / "examples/hospital/patients.csv", infer_schema=False).select("birth_date", "zip")
    found = shoal.frontier(raw, quasi={"birth_date": "dates", "zip": "masking"}, k=_K, ks=[_K])
    best = found.best(_K, _LIMIT)
    if best is None:
        raise LookupError("No node of the lattice keeps k.")
    least, most = tuple(best["levels"].values()), int(_LIMIT * found.n_records)
    total = 2 * found.n_records
    nodes = {
        (int(node[0]), int(node[1])): (int(found.suppressed[i, 0]) <= most, float(found.loss[i, 0]) / total)
        for i, node in enumerate(found.nodes)
    }
    place = {levels: (330 + 54 * (levels[0] - levels[1]), 420 - 34 * sum(levels)) for levels in nodes}
    parts = [
        lettering(14, 22, f"Every level of two columns: the share that is lost (k = {_K}, up to 2% left out)", size=13)
    ]
    for a, b in nodes:
        parts += [line(place[a, b], place[up], stroke=FAINT) for up in ((a + 1, b), (a, b + 1)) if up in nodes]
    for levels, (kept, loss) in nodes.items():
        x, y = place[levels]
        stroke, heavy = (BLUE, 3) if levels == least else (INK, 1.2) if kept else (FAINT, 1)
        fill = PALE if kept else "#ffffff"
        parts.append(
            f'<ellipse cx="{x}" cy="{y}" rx="21" ry="13" fill="{fill}" stroke="{stroke}" stroke-width="{heavy:g}"/>'
        )
        parts.append(lettering(x, y + 4, f"{loss:.0%}" if kept else "\u2013", "middle", 11))
    for level in range(6):
        parts.append(lettering(330 + 54 * level + 26, 424 - 34 * level + 12, _DATES[level], size=10))
        parts.append(lettering(330 - 54 * level - 26, 424 - 34 * level + 12, _ZIPS[level], "end", 10))
    parts += [
        lettering(520, 440, "birth date, coarser to the right", "middle", 11),
        lettering(140, 440, "zip, coarser to the left", "middle", 11),
        lettering(
            14,
            462,
            "Shaded: the release keeps k. Thick: the least loss of them. Dash: too many records would be left out.",
            size=11,
        ),
    ]
    words = (
        "A lattice of 36 nodes; those higher up are coarser. Nodes that keep k show their loss, and the one of least "
        "loss is marked."
    )
    return picture("The lattice of two columns", words, 660, 474, parts)


class Bounds(NamedTuple):
    """A class as a box: its least and largest number along both axes."""

    left: float
    right: float
    low: float
    high: float


def mondrian() -> str:
    """Return points in a plane, the classes that Mondrian finds, and the cuts between them."""
    drawn = np.random.default_rng(4)
    ages = np.clip(drawn.normal(48, 15, 70), 20, 80).astype(int)
    incomes = np.clip(drawn.gamma(4, 9, 70) + (ages - 20) * 0.3, 8, 90).astype(int)
    table = pl.DataFrame({"age": ages, "income": incomes}).with_row_index("row").with_columns(pl.all().cast(pl.String))
    release = shoal.anonymize(
        table, quasi={"age": "ranges", "income": "ranges"}, insensitive=["row"], k=_K, algorithm="mondrian", seed=1
    )
    rows = (
        release.data.group_by("age", "income", maintain_order=True).agg(pl.col("row").cast(pl.Int64))["row"].to_list()
    )
    boxes = [
        Bounds(float(ages[one].min()), float(ages[one].max()), float(incomes[one].min()), float(incomes[one].max()))
        for one in sorted(rows)
    ]
    whole = Bounds(18, 82, 4, 94)

    def at(x: float, y: float) -> tuple[float, float]:
        return 60 + (x - whole.left) * 7.6, 380 - (y - whole.low) * 3.7

    parts = [
        lettering(
            14,
            22,
            f"Mondrian cuts the widest column in the middle, as long as {_K} records stay on both sides",
            size=13,
        )
    ]
    for box in boxes:
        (x, y), (to_x, to_y) = at(box.left - 0.4, box.high + 0.8), at(box.right + 0.4, box.low - 0.8)
        parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{to_x - x:.1f}" height="{to_y - y:.1f}" fill="{PALE}" '
            f'stroke="{BLUE}"/>'
        )
    for depth, one, other in _cuts(boxes, whole, 0):
        parts.append(
            line(at(*one), at(*other), stroke=INK, heavy=max(3.2 - 0.6 * depth, 0.6), dashes="" if depth < 2 else "5 3")
        )
    parts += [
        f'<circle cx="{at(x, y)[0]:.1f}" cy="{at(x, y)[1]:.1f}" r="2.4" fill="{INK}"/>'
        for x, y in zip(ages.tolist(), incomes.tolist(), strict=True)
    ]
    parts += [
        lettering(300, 408, "age", "middle", 12),
        lettering(14, 210, "income", size=12),
        lettering(
            14,
            432,
            f"{len(ages)} records in {len(boxes)} classes. The thickest line is the first cut; a box holds those of a "
            "class.",
            size=11,
        ),
    ]
    words = "Points in a plane of age and income, cut by lines along the axes into boxes of at least five points each."
    return picture("Mondrian's cuts", words, 660, 444, parts)


def _cuts(
    boxes: Sequence[Bounds], room: Bounds, depth: int
) -> list[tuple[int, tuple[float, float], tuple[float, float]]]:
    """Return the cuts that part some boxes: the most even one first, then those of both sides."""
    found = []
    for axis in (0, 1):
        for at in sorted({box[2 * axis] - 0.5 for box in boxes}):
            below = [box for box in boxes if box[2 * axis + 1] < at]
            above = [box for box in boxes if box[2 * axis] > at]
            if below and above and len(below) + len(above) == len(boxes):
                found.append((-abs(len(below) - len(above)), -axis, at, below, above))
    if not found:
        return []
    _, axis, at, below, above = max(found, key=lambda one: one[:3])
    if axis == 0:
        mine = (depth, (at, float(room.low)), (at, float(room.high)))
        rooms = room._replace(right=at), room._replace(left=at)
    else:
        mine = (depth, (float(room.left), at), (float(room.right), at))
        rooms = room._replace(high=at), room._replace(low=at)
    return [mine, *_cuts(below, rooms[0], depth + 1), *_cuts(above, rooms[1], depth + 1)]
