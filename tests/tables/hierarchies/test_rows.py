from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies import Hierarchy, Levels, Masking
from shoal.tables.hierarchies.levels import read_rows
from shoal.tables.hierarchies.rows import (
    by_frequency,
    by_groups,
    rows_of,
    rows_text,
    with_distinct_labels,
    with_ungrouped,
)

TEXT = st.text("ab*;,\"'\n\r\té +", min_size=1, max_size=5) | st.sampled_from(["Other (2 values)", "Other (3 values)"])


def test_rare_values_are_put_together_first() -> None:
    rows = by_frequency({"a": 50, "b": 30, "c": 10, "d": 5, "e": 3, "f": 2})
    assert [row[0] for row in rows] == list("abcdef")
    assert rows[2] == ["c", "c", "Other (4 values)", "Other (5 values)", "*"]
    assert rows[5] == ["f", "Other (2 values)", "Other (4 values)", "Other (5 values)", "*"]
    assert by_frequency({"M": 2, "F": 3}) == [["F", "*"], ["M", "*"]]


def test_a_value_that_is_called_as_a_group_is_not_taken_for_it() -> None:
    rows = by_frequency({"2": 4, "Other (2 values)": 3, "0": 2, "1": 1})
    assert next(row for row in rows if row[0].startswith("O"))[:2] == ["Other (2 values)", "Other (2 values)"]
    assert [row[1] for row in rows if row[0] in "01"] == ["Other (2 values) +"] * 2
    grouped = by_groups(["a", "b", "c", "Other (2 values)"], [["a", "x"], ["Other (2 values)", "y"]], "groups")
    assert [row[1] for row in grouped] == ["x", "y", "Other (2 values) +", "Other (2 values) +"]


@given(st.dictionaries(TEXT, st.integers(1, 50), min_size=1, max_size=12))
def test_groups_by_frequency_are_proper_and_hide_the_rarest(counts: dict[str, int]) -> None:
    rows = by_frequency(counts)
    hierarchy = Hierarchy.of_rows(rows, "rows")
    assert set(hierarchy.values) == set(counts)
    tree = hierarchy.tree()
    assert len(set(tree.labels)) == len(tree.labels)
    for level in range(1, len(rows[0]) - 1):
        kept = [counts[row[0]] for row in rows if row[level] == row[0]]
        hidden = [counts[row[0]] for row in rows if row[level] != row[0]]
        assert len(hidden) >= 2
        assert min(kept) >= max(hidden)


@given(st.lists(TEXT, min_size=1, max_size=8, unique=True), st.lists(TEXT, max_size=4, unique=True))
def test_a_file_of_rows_reads_back_as_they_are(values: list[str], labels: list[str]) -> None:
    rows = with_distinct_labels([[value, *labels, "*"] for value in values])
    text = rows_text(rows)
    assert read_rows(text, ";", "rows")[0] == [row for row in rows if any(field.strip() for field in row)]


def test_labels_that_stand_for_two_things_are_told_apart(tmp_path: Path) -> None:
    rows = with_distinct_labels([["a", "a", "*"], ["b", "a", "*"], ["*", "q", "*"]])
    assert rows == [["a", "a +", "**"], ["b", "a +", "**"], ["*", "q", "**"]]
    (tmp_path / "h.csv").write_text(rows_text(rows))
    assert Levels(path="h.csv").build([], "column", tmp_path).labels[1] == ("a +", "q")


def test_rows_of_a_hierarchy_leave_the_missing_value_out() -> None:
    hierarchy = Masking().build(["021", "022"], "zip").with_missing()
    assert rows_of(hierarchy) == [["021", "02*", "0**", "*"], ["022", "02*", "0**", "*"]]
    assert with_ungrouped(rows_of(hierarchy), ["?"])[-1] == ["?", "?", "?", "*"]


def test_given_groups() -> None:
    given = [["a", "x"], ["b", "x"], ["c", "y"]]
    assert by_groups(["a", "b", "d"], given, "groups") == [
        ["a", "x", "*"],
        ["b", "x", "*"],
        ["c", "y", "*"],
        ["d", "d", "*"],
    ]
    assert by_groups(["d", "e"], [["a", "x", "Any"]], "groups")[1:] == [
        ["d", "Other (2 values)", "Any"],
        ["e", "Other (2 values)", "Any"],
    ]


@pytest.mark.parametrize("groups", [[["a"]], [["a", "x"], ["b"]], [["a", ""]], [["a", "x"], ["a", "y"]]])
def test_groups_that_cannot_be_read(groups: list[list[str]]) -> None:
    with pytest.raises(SpecError, match=r"of the groups cannot be read|stands twice in the groups"):
        by_groups(["a"], groups, "groups")
