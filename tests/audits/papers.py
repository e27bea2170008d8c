"""The tables of the papers, record by record."""

from collections.abc import Sequence

import polars as pl

FIGURE_1 = [
    ("1", "22030", "married", "F", "hypertension"),
    ("2", "22030", "married", "F", "hypertension"),
    ("3", "22030", "single", "M", "obesity"),
    ("4", "22032", "single", "M", "HIV"),
    ("5", "22032", "single", "M", "obesity"),
    ("6", "22032", "divorced", "F", "hypertension"),
    ("7", "22045", "divorced", "M", "obesity"),
    ("8", "22047", "widow", "M", "HIV"),
    ("9", "22047", "widow", "M", "HIV"),
    ("10", "22047", "single", "F", "obesity"),
]
"""002 Figure 1, the private table: the numbers of its tuples, the quasi columns and the disease."""

_CELLS = [("2203*", "been married", "F"), ("2203*", "never married", "M"), ("2204*", "been married", "M")]
_CLASS_OF = [0, 0, 1, 1, 1, 0, 2, 2, 2]

FIGURE_18 = [(*_CELLS[c], FIGURE_1[i][4]) for i, c in enumerate(_CLASS_OF)]
"""002 Figure 18, a 3-anonymous table: tuple 10 is suppressed."""

_FIGURE_19 = ["N 230", "N 220", "Y 250", "Y 260", "N 250", "N 275", "N 285", "Y 210", "N 190"]
FIGURE_19 = [(*_CELLS[c], *shown.split()) for c, shown in zip(_CLASS_OF, _FIGURE_19, strict=True)]
"""002 Figure 19, 3-anonymous and 2-diverse: diabetes and cholesterol."""

STATUS = {"any": {"been married": ["married", "divorced", "widow"], "never married": ["single"]}}
"""002 Figure 3, the hierarchy of the marital status."""

TABLE_1 = [
    ("1", "98765", "38", "Bachelor", "viral"),
    ("2", "98654", "39", "Doctorate", "heart"),
    ("3", "98543", "32", "Master", "heart"),
    ("4", "97654", "65", "Bachelor", "cancer"),
    ("5", "96689", "45", "Bachelor", "viral"),
    ("6", "97427", "33", "Bachelor", "viral"),
    ("7", "96552", "54", "Bachelor", "heart"),
    ("8", "97017", "69", "Doctorate", "cancer"),
    ("9", "97023", "55", "Master", "cancer"),
    ("10", "97009", "62", "Bachelor", "cancer"),
]
"""004 Table 1, the raw microdata."""


def _split(parts: dict[tuple[str, str, str], tuple[int, ...]]) -> list[tuple[str, str, str, str]]:
    return [(*cells, TABLE_1[i - 1][4]) for cells, part in parts.items() for i in part]


TABLE_2 = _split(
    {("98***", "3*", "*"): (1, 2, 3), ("9****", "**", "Bachelor"): (4, 5, 6, 7), ("970**", "**", "*"): (8, 9, 10)}
)
"""004 Table 2, a 3-anonymous partition."""

TABLE_3 = _split(
    {("98***", "3*", "*"): (1, 2), ("9****", "**", "*"): (3, 5, 8, 9), ("9****", "**", "Bachelor"): (4, 6, 7, 10)}
)
"""004 Table 3, a 2-diverse partition; the zip code of its last group is the one that covers all four."""

CHAPTER = ("zip", "status", "sex")
MICRODATA = ("zip", "age", "education")


def frame(records: Sequence[tuple[str | None, ...]], *names: str) -> pl.DataFrame:
    return pl.DataFrame(records, schema=dict.fromkeys(names, pl.String), orient="row")


def voters() -> pl.DataFrame:
    """Return the persons of Figure 1 as a public list: Hellen is tuple 1, Bob tuple 4."""
    return frame([record[:4] for record in FIGURE_1], "number", *CHAPTER)


def figure_18() -> pl.DataFrame:
    return frame([*FIGURE_18], *CHAPTER, "disease")
