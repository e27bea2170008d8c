"""Edits of rows: whatever is done, every value keeps exactly one path, and levels stay nested."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies import Hierarchy
from shoal.tables.hierarchies.edits import grouped, moved, renamed, with_level, without_level
from shoal.tables.hierarchies.rows import Rows, with_distinct_labels

FLAT = [["flu", "*"], ["cold", "*"], ["ulcer", "*"], ["gastritis", "*"]]
STATES = [["a", "P", "*"], ["b", "P", "*"], ["c", "P", "*"], ["d", "Q", "*"], ["e", "Q", "*"]]


def test_values_are_put_together_and_a_level_is_made_where_there_is_none() -> None:
    once = grouped(FLAT, ["cold", "flu"], "lungs")
    assert once == [
        ["flu", "lungs", "*"],
        ["cold", "lungs", "*"],
        ["ulcer", "ulcer", "*"],
        ["gastritis", "gastritis", "*"],
    ]
    twice = grouped(once, ["gastritis", "ulcer"], "stomach")
    assert [row[1] for row in twice] == ["lungs", "lungs", "stomach", "stomach"]
    assert len(twice[0]) == 3


def test_groups_are_put_together_one_level_higher() -> None:
    rows = grouped(grouped(FLAT, ["flu", "cold"], "lungs"), ["lungs", "ulcer"], "inner")
    assert rows == [
        ["flu", "lungs", "inner", "*"],
        ["cold", "lungs", "inner", "*"],
        ["ulcer", "ulcer", "inner", "*"],
        ["gastritis", "gastritis", "gastritis", "*"],
    ]


def test_a_group_of_some_values_of_a_group_lies_within_it() -> None:
    rows = grouped(STATES, ["a", "b"], "N")
    assert rows[:3] == [["a", "N", "P", "*"], ["b", "N", "P", "*"], ["c", "c", "P", "*"]]


def test_a_group_of_values_of_several_groups_lies_beside_them() -> None:
    rows = grouped(STATES, ["a", "d"], "N")
    assert rows == [["a", "N", "*"], ["b", "P", "*"], ["c", "P", "*"], ["d", "N", "*"], ["e", "Q", "*"]]


def test_what_lies_below_another_chosen_node_goes_with_it() -> None:
    assert grouped(STATES, ["a", "P", "d"], "N") == grouped(STATES, ["P", "d"], "N")
    alone = [["a", "A", "*"], ["b", "b", "*"]]  # a group of one value
    assert grouped(alone, ["a", "A", "b"], "N") == grouped(alone, ["A", "b"], "N")


def test_a_name_that_is_there_is_joined() -> None:
    assert grouped(STATES, ["d", "e"], "P") == moved(STATES, ["d", "e"], "P")
    assert [row[1] for row in grouped(STATES, ["d"], "P")] == ["P", "P", "P", "P", "Q"]


def test_a_value_moves_to_another_group_and_out_of_all() -> None:
    assert [row[1] for row in moved(STATES, ["a", "b"], "Q")] == ["Q", "Q", "P", "Q", "Q"]
    assert [row[1] for row in moved(STATES, ["a"], "*")] == ["a", "P", "P", "Q", "Q"]


def test_a_group_moves_into_another() -> None:
    rows = moved(STATES, ["Q"], "P")
    assert rows == [
        ["a", "a", "P", "*"],
        ["b", "b", "P", "*"],
        ["c", "c", "P", "*"],
        ["d", "Q", "P", "*"],
        ["e", "Q", "P", "*"],
    ]


def test_a_high_group_moves_into_a_low_one_which_rises_with_all_above_it() -> None:
    rows = [["a", "A", "P", "*"], ["b", "b", "P", "*"], ["c", "C", "Q", "*"], ["d", "C", "Q", "*"]]
    assert moved(rows, ["Q"], "A") == [
        ["a", "a", "a", "A", "P", "*"],
        ["b", "b", "b", "b", "P", "*"],
        ["c", "C", "Q", "A", "P", "*"],
        ["d", "C", "Q", "A", "P", "*"],
    ]


def test_a_value_may_move_into_the_group_that_it_is_in() -> None:
    assert moved(STATES, ["a"], "P") == STATES
    assert moved([["a", "A", "*"], ["b", "b", "*"]], ["a"], "A") == [["a", "A", "*"], ["b", "b", "*"]]


def test_a_group_and_the_top_get_other_names() -> None:
    assert [row[1:] for row in renamed(STATES, "P", "x")][:4] == [["x", "*"], ["x", "*"], ["x", "*"], ["Q", "*"]]
    assert {row[-1] for row in renamed(STATES, "*", "all")} == {"all"}
    assert renamed(STATES, "P", "P") == STATES


def test_levels_come_and_go() -> None:
    more = with_level(STATES, 1)
    assert more[0] == ["a", "P", "P", "*"]
    assert without_level(more, 2) == STATES
    assert without_level(STATES, 1) == [[row[0], "*"] for row in STATES]


@pytest.mark.parametrize(
    ("done", "words"),
    [
        (lambda: grouped(STATES, [], "N"), "at least one"),
        (lambda: grouped(STATES, ["nobody"], "N"), "no such value"),
        (lambda: grouped(STATES, ["*"], "N"), "stays the top"),
        (lambda: grouped(STATES, ["a"], "  "), "needs a name"),
        (lambda: grouped(STATES, ["a", "b"], "c"), "below a value"),
        (lambda: moved(STATES, ["a"], "b"), "below a value"),
        (lambda: moved(grouped(STATES, ["P", "Q"], "N"), ["N"], "P"), "below what lies in it"),
        (lambda: renamed(STATES, "a", "x"), "keeps its name"),
        (lambda: renamed(STATES, "P", "Q"), "already"),
        (lambda: renamed(STATES, "P", "a"), "already"),
        (lambda: renamed(STATES, "P", ""), "needs a name"),
        (lambda: with_level(STATES, 2), "from 0 to 1"),
        (lambda: without_level(STATES, 0), "from 1 to 1"),
        (lambda: without_level(FLAT, 1), "there is none"),
    ],
)
def test_what_cannot_be_done_is_told_without_a_value(done: object, words: str) -> None:
    with pytest.raises(SpecError, match=words) as told:
        done()  # type: ignore[operator]
    assert "nobody" not in str(told.value)


LABELS = st.text('ab*<" \n;é\u202e', min_size=1, max_size=3).filter(str.strip)


@st.composite
def hierarchies(draw: st.DrawFn) -> Rows:
    values = draw(st.lists(LABELS, min_size=1, max_size=7, unique=True))
    below: list[list[str]] = [values]
    for _ in range(draw(st.integers(0, 3))):
        parent = {label: draw(LABELS) for label in sorted(set(below[-1]))}
        below.append([parent[label] for label in below[-1]])
    return with_distinct_labels([[*row, "*"] for row in zip(*below, strict=True)])


def _done(what: str, rows: Rows, some: list[str], name: str, level: int) -> Rows:
    return {
        "grouped": lambda: grouped(rows, some, name),
        "moved": lambda: moved(rows, some, name),
        "renamed": lambda: renamed(rows, some[0], name),
        "with": lambda: with_level(rows, level),
        "without": lambda: without_level(rows, level),
    }[what]()


@given(hierarchies(), st.data())
def test_whatever_is_done_every_value_keeps_one_path_and_levels_stay_nested(rows: Rows, data: st.DataObject) -> None:
    values = [row[0] for row in rows]
    for _ in range(data.draw(st.integers(1, 4))):
        labels = sorted({label for row in rows for label in row})
        what = data.draw(st.sampled_from(("grouped", "moved", "renamed", "with", "without")))
        some = data.draw(st.lists(st.sampled_from(labels), min_size=1, max_size=3))
        name, level = data.draw(LABELS | st.sampled_from(labels)), data.draw(st.integers(0, len(rows[0]) - 1))
        try:
            rows = _done(what, rows, some, name, level)
        except SpecError:
            continue
        assert [row[0] for row in rows] == values
        Hierarchy.of_rows(rows, "rows")
        if what == "grouped":
            assert all(name in row for row in rows if set(row) & set(some))
    assert with_distinct_labels(rows) == rows
