from pathlib import Path

import pytest

from shoal.audits.categories import are_categories
from shoal.tables.formats.codebook import Entry
from shoal.tables.hierarchies import HierarchySpec, Intervals, Levels, Masking, Ranges, Sets, Suppression, Taxonomy

DIGITS = ["1", "2", "3"]
LABELS = {"1": "north", "2": "south", "3": "west"}


def levels(folder: Path, *groups: str) -> Levels:
    rows = [f"{value};{group};*" for value, group in zip(DIGITS, groups, strict=True)]
    (folder / "levels.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return Levels(path="levels.csv")


def test_digits_are_numbers_unless_all_of_them_have_labels(tmp_path: Path) -> None:
    for entry, told in (
        (Entry(), False),
        (Entry(values={"1": "one or fewer"}), False),  # of a number, the ends alone may have labels
        (Entry(values=LABELS), True),
        (Entry(values={"1": "north", "2": "south"}, missing=(("3",),)), True),  # a reason is no value
        (Entry(values={"3": "refused"}, missing=(("3",),)), False),
        (Entry(values=LABELS, missing=(("1", "2", "3"),)), False),  # nothing is left to be named
    ):
        assert are_categories(DIGITS, entry, None, "place", tmp_path) is told


@pytest.mark.parametrize(
    ("recipe", "told"),
    [
        (Masking(), True),
        (Taxonomy(path="places.toml"), True),
        (Sets(), True),
        (Suppression(), False),
        (Ranges(), False),
        (Intervals(widths=(5,)), False),
        (Levels(path="nowhere.csv"), False),  # nobody can tell
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_a_hierarchy_that_groups_by_name_tells_categories(recipe: HierarchySpec, told: bool, tmp_path: Path) -> None:
    assert are_categories(DIGITS, Entry(), recipe, "place", tmp_path) is told


def test_levels_of_ranges_are_those_of_numbers(tmp_path: Path) -> None:
    for groups, told in ((("1-2", "1-2", "3-4"), False), (("a", "a", "b"), True), (("1*", "2*", "3*"), True)):
        assert are_categories(DIGITS, Entry(), levels(tmp_path, *groups), "place", tmp_path) is told
