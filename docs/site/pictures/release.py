"""The way of a record, and a class with its cells: both from a release of the hospital's table."""

from functools import cache

import polars as pl

import shoal
from docs.site.contents import ROOT
from docs.site.pictures.shapes import BLUE, FAINT, INK, arrow, box, line, picture, rows
from shoal.reports.drawing.svg import lettering

_TABLE = ROOT / "examples" / "hospital" / "patients.csv"
_QUASI = ["birth_date", "zip", "sex"]


@cache
def released() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return five raw records that are published alike, and their cells."""
    names = [*_QUASI, "diagnosis"]
    raw = pl.read_csv(_TABLE, infer_schema=False)
    release = shoal.anonymize(
        raw.select(*names, "name").with_row_index("row").with_columns(pl.col("row").cast(pl.String)),
        quasi={"birth_date": "dates", "zip": "masking", "sex": "suppression"},
        sensitive=["diagnosis"],
        insensitive=["row"],  # to find the records again: a picture is for us, and its table is made up
        drop=["name"],
        k=5,
        require=["distinct-l-diversity:l=4,column=diagnosis"],
        algorithm="mondrian",
        seed=1,
    )
    data = release.data.with_columns(pl.all().cast(pl.String))
    sizes = data.group_by(_QUASI).agg(pl.len(), pl.col("row"), pl.col("diagnosis").n_unique().alias("kinds"))
    some = sizes.filter(
        (pl.col("len") == 5) & pl.col("birth_date").str.ends_with("s") & pl.col("zip").str.ends_with("**")
    )
    chosen = some.sort(_QUASI).row(0, named=True)
    numbers = sorted(map(int, chosen["row"]))
    cells = data.filter(pl.col("row").is_in(chosen["row"])).sort(pl.col("row").cast(pl.Int64))
    return raw[numbers].select("name", *names), cells.select(names)


def way_of_a_record() -> str:
    """Return five records before and after: who could be found by name, and five who look the same."""
    raw, cells = released()
    before = [["name", "birth date", "zip", "sex", "diagnosis"], *map(list, raw.iter_rows())]
    after = [["birth date", "zip", "sex", "diagnosis"], *map(list, cells.iter_rows())]
    parts = [
        lettering(10, 20, "What you have: one row for each person", size=13),
        rows(10, 32, [104, 78, 50, 32, 110], before, marked=[1, 2, 3]),
        arrow(394, 92, 434, 92),
        lettering(446, 20, "What you release (k = 5): five who look the same", size=13),
        rows(446, 32, [78, 50, 32, 110], after, marked=[0, 1, 2]),
        lettering(
            10, 174, "shaded: what a neighbour may know; by it each of them is the only one in the table", size=11
        ),
        lettering(446, 174, "nobody can tell whose diagnosis is which", size=11),
    ]
    words = (
        "On the left five patients with name, birth date, zip code, sex and diagnosis; on the right the same without "
        "names, with equal coarser values."
    )
    return picture("Five records before and after", words, 740, 186, parts)


def class_and_cells() -> str:
    """Return how a column becomes a cell: the values of a class, and the lowest node of the tree above them."""
    raw, cells = released()
    values = sorted(raw["zip"].to_list())
    label = str(cells["zip"][0])
    parts = [lettering(10, 20, "A class, its values of one column, and its cell", size=13)]
    steps = [label, *sorted({value[:4] + "*" for value in values}), *sorted(set(values))]
    places: dict[str, tuple[float, float]] = {}
    for level, names in enumerate(([steps[0]], sorted({value[:4] + "*" for value in values}), sorted(set(values)))):
        for number, name in enumerate(names):
            places[name] = (60 + 560 * (number + 0.5) / len(names), 56 + 62 * level)
    for name, (x, y) in places.items():
        above = label if name.endswith("*") else name[:4] + "*"
        if name != label:
            parts.append(line((x, y - 12), (places[above][0], places[above][1] + 12), stroke=FAINT, heavy=1.5))
    for name, (x, y) in places.items():
        chosen = name == label
        parts.append(
            box(
                x - 32,
                y - 13,
                64,
                26,
                "#e8f1f6" if chosen else "#ffffff",
                BLUE if chosen else FAINT,
                2 if chosen else 1,
            )
        )
        parts.append(lettering(x, y + 4, name, "middle", 12))
        held = values.count(name)
        if held:
            parts.append(lettering(x, y + 28, "\u25cf" * held, "middle", 11))
    parts.append(line((10, 30), (630, 30), stroke=FAINT))
    parts.append(
        lettering(
            10,
            244,
            f"Each dot is a record. The cell is {label}, the lowest node above all five: its price is what it covers "
            "beyond one value.",
            size=11,
        )
    )
    return picture(
        "A class and its cell",
        f"A tree of zip codes: five records at its leaves, and the lowest node above all of them, {label}.",
        650,
        256,
        parts,
    ).replace('fill="' + INK + '"', 'fill="' + INK + '"', 1)
