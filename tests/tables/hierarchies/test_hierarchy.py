from pathlib import Path

import numpy as np
import pytest

from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies import Hierarchy, Intervals

ROWS = [("a", "ab", "*"), ("b", "ab", "*"), ("c", "c?", "*")]


def test_rows_become_levels() -> None:
    hierarchy = Hierarchy.of_rows(ROWS, "hierarchy")
    assert hierarchy.values == ("a", "b", "c")
    assert hierarchy.height == 2
    assert [hierarchy.leaves(level).tolist() for level in range(3)] == [[1, 1, 1], [2, 1], [3]]
    assert hierarchy.lift(0, 1).tolist() == [0, 0, 1]
    assert hierarchy.lift(1, 2).tolist() == [0, 0]
    first, second = np.array([0, 0, 0], dtype=np.int32), np.array([0, 1, 2], dtype=np.int32)
    assert hierarchy.meeting_level(first, second).tolist() == [0, 1, 2]


def test_rows_are_numbered_from_one_unless_numbers_are_given() -> None:
    with pytest.raises(SpecError, match=r"^Duplicate value in the hierarchy: rows 1 and 2 describe the same value\.$"):
        Hierarchy.of_rows([("SECRET", "*"), ("SECRET", "*")], "hierarchy")
    with pytest.raises(SpecError, match=r"^Duplicate value in the hierarchy: rows 4 and 9 describe the same value\.$"):
        Hierarchy.of_rows([("SECRET", "*"), ("SECRET", "*")], "hierarchy", [4, 9])


def test_the_missing_value_lies_apart_below_the_top() -> None:
    hierarchy = Hierarchy.of_rows(ROWS, "hierarchy").with_missing()
    assert hierarchy.labels == (("a", "b", "c", None), ("ab", "c?", None), ("*",))
    assert hierarchy.codes.tolist() == [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 0]]
    assert hierarchy.missing_leaf == 3
    assert Hierarchy.of_rows(ROWS, "hierarchy").missing_leaf == -1
    assert hierarchy.encode([None, "b"], "column").tolist() == [3, 1]
    tree = hierarchy.tree()
    assert tree.parent[3] == len(tree.parent) - 1


def test_the_missing_value_has_no_width() -> None:
    hierarchy = Intervals(widths=(5,)).build(["1", "7"], "age", Path()).with_missing()
    assert hierarchy.spans is not None
    assert [span.tolist() for span in hierarchy.spans] == [[0, 0, 0], [4, 2, 0], [6]]


def test_a_tree_is_read_level_by_level() -> None:
    parent = np.array([5, 4, 4, 5, 5, 5], dtype=np.int32)
    widths = np.array([0, 0, 0, 0, 3.0, 9.0])
    hierarchy = Hierarchy.of_parents(4, parent, ["a", "b", "c", "d", "bc", "*"], "tree", widths)
    assert hierarchy.labels == (("a", "b", "c", "d"), ("a", "bc", "d"), ("*",))
    assert hierarchy.codes.tolist() == [[0, 1, 2, 3], [0, 1, 1, 2], [0, 0, 0, 0]]
    assert hierarchy.spans is not None
    assert [span.tolist() for span in hierarchy.spans] == [[0] * 4, [0, 3, 0], [9]]


def test_two_nodes_of_a_level_may_not_share_a_label() -> None:
    with pytest.raises(SpecError) as caught:
        Hierarchy.of_parents(3, np.array([3, 3, 4, 4, 4], dtype=np.int32), ["a", "b", "SECRET", "SECRET", "*"], "tree")
    assert str(caught.value) == (
        "Two nodes of level 1 of the tree have the same label, so that a release could not tell them apart. Give them "
        "different labels."
    )
