"""What a published cell covers, by every type of hierarchy and by the notations of other tools."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audits.covers import Cover, cover_of
from shoal.audits.notations import Mask, Range, items, read_mask, read_range
from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies import (
    Dates,
    Hierarchy,
    HierarchySpec,
    Intervals,
    Masking,
    Order,
    Ranges,
    Sets,
    Suppression,
    Taxonomy,
)

quick = settings(deadline=None, max_examples=30)
WHOLE = st.lists(st.integers(0, 60).map(str), min_size=1, max_size=12, unique=True)
DECIMAL = st.lists(st.integers(-200, 600).map(lambda n: f"{n / 10:.1f}"), min_size=1, max_size=12, unique=True)
CODES = st.lists(st.text("012ab", min_size=1, max_size=4), min_size=1, max_size=12, unique=True)
WORDS = st.lists(st.text("abxy", min_size=1, max_size=3), min_size=1, max_size=12, unique=True)
DAYS = st.lists(st.dates().filter(lambda day: day.year >= 1000).map(str), min_size=1, max_size=12, unique=True)
TREE = {"Any": {"left": ["a", "b"], "right": {"far": ["x"], "near": ["y", "z"]}}}
CASES: list[tuple[HierarchySpec, st.SearchStrategy[list[str]]]] = [
    (Intervals(widths=(5, 10, 40)), WHOLE),
    (Intervals(widths=(Fraction(1, 2), 10)), DECIMAL),
    (Intervals(cuts=((18, 30, 45), (30,))), WHOLE),
    (Masking(), CODES),
    (Masking(side="left", character="x", levels=2), CODES),
    (Dates(), DAYS),
    (Dates(steps=("month", "decade")), DAYS),
    (Order(fanout=2), WHOLE),
    (Order(fanout=3), WORDS),
    (Order(fanout=2, order=("y", "b", "x", "a", "z")), st.just(["a", "b", "x", "y", "z"])),
    (Ranges(), WHOLE),
    (Ranges(), DECIMAL),
    (Ranges(), DAYS),
    (Ranges(), WORDS),
    (Ranges(order=("y", "b", "x", "a")), st.just(["a", "b", "x", "y"])),
    (Sets(), WORDS),
    (Suppression(), WORDS),
    (Taxonomy(tree=TREE), st.just(["a", "b", "x", "y", "z"])),
]


def covered(cover: Cover, cells: list[str], values: list[str], cell: str) -> set[str]:
    row = cover.rows(np.array([cells.index(cell)]))[0]
    return {value for value, told in zip(values, row[:-1], strict=True) if told}


def below(hierarchy: Hierarchy, label: str) -> set[str]:
    """Return all values with this label at some level."""
    return {
        str(value)
        for level, labels in enumerate(hierarchy.labels)
        for leaf, value in enumerate(hierarchy.values)
        if labels[hierarchy.codes[level][leaf]] == label
    }


@pytest.mark.parametrize(("recipe", "drawn"), CASES, ids=[f"{i}-{case[0].name}" for i, case in enumerate(CASES)])
def test_a_node_covers_the_values_below_it(recipe: HierarchySpec, drawn: Any) -> None:
    @quick
    @given(drawn)
    def check(values: list[str]) -> None:
        hierarchy = recipe.build(values, "c")
        for labels in hierarchy.labels:
            cells = [str(label) for label in labels]
            cover = cover_of(cells, values, "c", recipe)
            for cell in cells:
                assert covered(cover, cells, values, cell) == below(hierarchy, cell) & set(values), cell

    check()


@pytest.mark.parametrize(("recipe", "drawn"), [case for case in CASES if isinstance(case[0], Ranges | Sets)])
def test_a_free_range_or_set_covers_its_values(recipe: HierarchySpec, drawn: Any) -> None:
    @quick
    @given(drawn, st.data())
    def check(values: list[str], data: st.DataObject) -> None:
        ordered = [str(value) for value in recipe.build(values, "c").values]
        chosen = sorted(data.draw(st.sets(st.integers(0, len(ordered) - 1), min_size=2 if len(ordered) > 1 else 1)))
        if len(chosen) < 2:
            return
        if isinstance(recipe, Sets):
            cell, wanted = "{" + ", ".join(ordered[i] for i in chosen) + "}", {ordered[i] for i in chosen}
        else:
            cell, wanted = f"{ordered[chosen[0]]} - {ordered[chosen[-1]]}", set(ordered[chosen[0] : chosen[-1] + 1])
        assert covered(cover_of([cell], values, "c", recipe), [cell], values, cell) == wanted

    check()


def test_a_set_may_name_values_that_hold_commas() -> None:
    values = ["flu", "flu, severe", "gout", "severe"]
    cell = "{flu, severe,, gout}"
    assert covered(cover_of([cell], values, "c", Sets()), [cell], values, cell) >= {"flu, severe", "gout"}


@pytest.mark.parametrize(
    ("cell", "values"),
    [
        ("20-29", {"20", "29"}),
        ("20 - 29", {"20", "29"}),
        ("20..29", {"20", "29"}),
        ("20 to 29", {"20", "29"}),
        ("[20, 30)", {"20", "29", "29.5"}),
        ("[20,30]", {"20", "29", "29.5", "30"}),
        ("(20, 30]", {"29", "29.5", "30"}),
        ("]20;30]", {"29", "29.5", "30"}),
        ("[20-30[", {"20", "29", "29.5"}),
        ("<20", {"-4"}),
        ("<= 20", {"-4", "20"}),
        (">29", {"29.5", "30", "65"}),
        (">=65", {"65"}),
        ("65+", {"65"}),
        ("-10--1", {"-4"}),
        ("[-1e1, -1.5]", {"-4"}),
        ("20.0", {"20"}),
        ("{20, 65}", {"20", "65"}),
        ("{20;65}", {"20", "65"}),
        ("2*", {"20", "29", "29.5"}),
        ("6*", {"65"}),
        ("*", {"-4", "20", "29", "29.5", "30", "65"}),
        ("**", {"-4", "20", "29", "29.5", "30", "65"}),
        ("21", set()),
    ],
)
def test_numbers_of_other_tools(cell: str, values: set[str]) -> None:
    domain = ["-4", "20", "29", "29.5", "30", "65"]
    cells = [cell, "*"]
    assert covered(cover_of(cells, domain, "c"), cells, domain, cell) == values


@pytest.mark.parametrize(
    ("cell", "values"),
    [
        ("02139", {"02139"}),
        ("0213*", {"02138", "02139"}),
        ("02***", {"02138", "02139", "02474", "02"}),
        ("***38", {"02138"}),
        ("0**38", {"02138"}),
        ("{02138, 10115}", {"02138", "10115"}),
        ("02140", set()),
    ],
)
def test_codes_of_other_tools(cell: str, values: set[str]) -> None:
    domain = ["02", "02138", "02139", "02474", "10115"]
    cells = [cell, "*"]
    assert covered(cover_of(cells, domain, "c"), cells, domain, cell) == values


@pytest.mark.parametrize(
    ("cell", "values"),
    [
        ("2024-03", {"2024-03-15"}),
        ("2024-Q1", {"2024-01-31", "2024-03-15"}),
        ("2024", {"2024-01-31", "2024-03-15", "2024-12-01"}),
        ("2020s", {"2024-01-31", "2024-03-15", "2024-12-01"}),
        ("2024-01-31 - 2024-06-01", {"2024-01-31", "2024-03-15"}),
        ("[2024-01-31, 2024-03-15)", {"2024-01-31"}),
        ("1989-11-09", {"1989-11-09"}),
        ("1989-11-10", set()),
        ("1930s", set()),
        ("1930-Q2", set()),
    ],
)
def test_dates_of_other_tools(cell: str, values: set[str]) -> None:
    domain = ["1989-11-09", "2024-01-31", "2024-03-15", "2024-12-01"]
    cells = [cell, "*"]
    assert covered(cover_of(cells, domain, "c"), cells, domain, cell) == values


def test_a_missing_value_is_a_wildcard_or_a_value() -> None:
    cells = ["a", "*"]  # and the missing cell, which is the last
    free = cover_of(cells, ["a", "b"], "c").rows(np.arange(3)).tolist()
    assert free == [[True, False, True], [True, True, True], [True, True, True]]
    strict = cover_of(cells, ["a", "b"], "c", wildcard=False).rows(np.arange(3)).tolist()
    assert strict == [[True, False, False], [True, True, True], [False, False, True]]


def test_a_top_covers_values_that_its_hierarchy_lacks() -> None:
    cells, values = ["Any", "left"], ["a", "new"]
    cover = cover_of(cells, values, "c", Taxonomy(tree=TREE))
    assert covered(cover, cells, values, "Any") == {"a", "new"}
    assert covered(cover, cells, values, "left") == {"a"}


@pytest.mark.parametrize(
    ("cells", "values", "recipe", "words"),
    [
        (
            ["20-29", "old", "young"],
            ["23", "71"],
            None,
            "2 of the 3 different cells of column 'c' of the release cannot",
        ),
        (["2024", "spring"], ["2024-03-01"], None, "1 of the 2 different cells"),
        (["been married"], ["married", "single"], None, "No cell of column 'c' of the release covers any value"),
        (
            ["left", "middle"],
            ["a"],
            Taxonomy(tree=TREE),
            "1 of the 2 different cells of column 'c' of the release are no",
        ),
        (["a - q", "y"], ["a", "y"], Ranges(order=("y", "a")), "are no nodes of its hierarchy (type 'ranges')"),
    ],
)
def test_cells_that_cannot_be_read_are_counted_and_not_shown(
    cells: list[str], values: list[str], recipe: HierarchySpec | None, words: str
) -> None:
    with pytest.raises(SpecError) as caught:
        cover_of(cells, values, "c", recipe)
    assert words in str(caught.value)
    assert not any(cell in str(caught.value).split() for cell in cells)


def test_cells_that_cover_nobody_are_counted(tmp_path: Path) -> None:
    assert cover_of(["a", "b", "d"], ["a", "c"], "c").idle == 2


def test_notations() -> None:
    assert read_range("5-3") is None
    assert read_range("[3, 5") is None
    assert read_range("20-24", whole=True) == Range(Fraction(20), Fraction(25), high_in=False)
    assert read_range("20.5-24", whole=True) == Range(Fraction("20.5"), Fraction(24))
    assert items("a, b") is None
    assert read_mask("a*b*") is None
    assert read_mask("a*") == Mask("a", "", None)
    assert read_mask("abc") is None
