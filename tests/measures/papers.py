"""The tables of the papers that the measures' tests share."""

from tests.measures.build import full_domain, suppressed_cells
from tests.measures.oracle import PlainColumn, PlainRelease

SKEWED = PlainColumn("value", (("1", "12", "*"), ("2", "12", "*"), ("3", "34", "*"), ("4", "34", "*")))
"""The tree of Gionis and Tassa, Example 4.7."""


def skewed(rare: int, n_records: int) -> list[str]:
    """Return the values of Example 4.7: `rare` records each of 2, 3 and 4, the others 1."""
    return ["1"] * (n_records - 3 * rare) + ["2"] * rare + ["3"] * rare + ["4"] * rare


FIGURE_1 = [
    ("22030", "married", "F"),
    ("22030", "married", "F"),
    ("22030", "single", "M"),
    ("22032", "single", "M"),
    ("22032", "single", "M"),
    ("22032", "divorced", "F"),
    ("22045", "divorced", "M"),
    ("22047", "widow", "M"),
    ("22047", "widow", "M"),
    ("22047", "single", "F"),
]
"""The private table of the chapter on k-anonymity, Figure 1."""

FIGURE_3 = [
    PlainColumn("zip", tuple((f"220{end}", f"220{end[0]}*", "220**") for end in ("30", "32", "45", "47"))),
    PlainColumn(
        "marital status",
        (
            ("married", "been married", "not released"),
            ("divorced", "been married", "not released"),
            ("widow", "been married", "not released"),
            ("single", "never married", "not released"),
        ),
    ),
    PlainColumn("sex", (("M", "not released"), ("F", "not released"))),
]
"""Its hierarchies, Figure 3."""


def figure_5(*levels: int) -> PlainRelease:
    """Return a generalization of Figure 1 with the classes of fewer than 3 suppressed."""
    return full_domain(FIGURE_3, FIGURE_1, levels, k=3)


def hospital() -> PlainRelease:
    """Return the 2-anonymous table of Aggarwal et al., section 1."""
    records = [
        ("47", "White", "Male", "21004"),
        ("35", "White", "Female", "21004"),
        ("27", "Hispanic", "Female", "92010"),
        ("27", "White", "Female", "92010"),
    ]
    return suppressed_cells(["age", "race", "gender", "zip"], records, [0, 0, 1, 1])


def digits() -> PlainRelease:
    """Return the 3-anonymous partition of Liang and Yuan, Table 2, where every digit is a column."""
    rows = """98765 38 Bachelor, 98654 39 Doctorate, 98543 32 Master, 97654 65 Bachelor, 96689 45 Bachelor,
              97427 33 Bachelor, 96552 54 Bachelor, 97017 69 Doctorate, 97023 55 Master, 97009 62 Bachelor"""
    records = []
    for row in rows.split(","):
        zip_code, age, education = row.split()
        records.append((*zip_code, *age, education))
    return suppressed_cells([*"12345", "tens", "ones", "education"], records, [0, 0, 0, 1, 1, 1, 1, 2, 2, 2])
