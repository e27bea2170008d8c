"""What classes are published as, on small hierarchies by hand."""

import numpy as np
import pytest

from shoal.classes.recoding import Recoding, Subsets, standing
from shoal.classes.tally import QuasiColumn
from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies import Hierarchy, Ranges, Sets

ROWS = [("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*")]
DEEP = [
    ("a", "one", "SECRET", "*"),
    ("b", "one", "SECRET", "*"),
    ("c", "SECRET", "three", "*"),
    ("d", "SECRET", "three", "*"),
    ("e", "e", "SECRET", "*"),
]
TREE = Hierarchy.of_rows(ROWS, "tree")


def column(hierarchy: Hierarchy) -> QuasiColumn:
    return QuasiColumn("letter", hierarchy, np.ones(hierarchy.n_leaves, dtype=np.int64))


def test_the_nodes_of_a_level() -> None:
    subsets = Subsets.of_level(TREE, 1)
    assert subsets.labels == ("ab", "c")
    assert subsets.leaves(TREE).tolist() == [2, 1]
    assert subsets.pick([np.zeros(3), np.array([5.0, 7.0]), np.zeros(1)]).tolist() == [5, 7]
    assert len(subsets) == 2


def test_nodes_of_the_tree_stand_at_their_lowest_level() -> None:
    levels, codes = standing(TREE)
    assert levels.tolist() == [0, 0, 0, 1, 2]
    assert codes.tolist() == [0, 1, 2, 0, 0]
    subsets = Subsets.of_nodes(TREE, [2, 3, 4], "letter")
    assert subsets.labels == ("c", "ab", "*")
    assert subsets.levels.tolist() == [0, 1, 2]
    assert subsets.leaves(TREE).tolist() == [1, 2, 3]
    assert len(Subsets.of_nodes(TREE, [], "letter")) == 0


@pytest.mark.parametrize(
    "hierarchy",
    [
        Hierarchy.of_rows([("SECRET", "SECRET", "*"), ("b", "SECRET", "*"), ("c", "c", "*")], "tree"),
        Hierarchy.of_rows(DEEP, "tree"),
    ],
    ids=["a leaf and a node", "two nodes"],
)
def test_two_nodes_of_different_levels_with_one_label_are_refused(hierarchy: Hierarchy) -> None:
    labels = hierarchy.tree().labels
    twice = [node for node, label in enumerate(labels) if labels.count(label) > 1]
    assert len(twice) == 2
    for node in twice:
        assert len(Subsets.of_nodes(hierarchy, [node], "letter")) == 1
    with pytest.raises(SpecError) as caught:
        Subsets.of_nodes(hierarchy, twice, "letter")
    assert str(caught.value).startswith("Two nodes of different levels in the hierarchy of column 'letter' have the")
    assert "SECRET" not in str(caught.value)


def test_ranges_and_sets_cover_what_they_name() -> None:
    """The first is a leaf, the second is named, the third is the top."""
    levels, codes = np.array([0, 1, 1], dtype=np.int32), np.array([1, 0, 0], dtype=np.int32)
    offsets = np.array([0, 0, 2, 2])
    for hierarchy, width in ((Ranges(order=("a", "b", "c", "d")).build([], "x"), 3), (Sets().build([*"abcd"], "x"), 2)):
        subsets = Subsets(("b", "a to c", "*"), levels, codes, offsets, np.array([0, 2], dtype=np.int32))
        assert subsets.leaves(hierarchy).tolist() == [1, width, 4]


def test_a_release_of_one_level_a_column() -> None:
    cells = np.array([[0, 0], [0, 0], [1, 0]], dtype=np.int32)
    recoding = Recoding.full_domain((column(TREE), column(TREE.with_missing())), [1, 2], cells)
    assert recoding.n_classes == 3
    assert recoding.published(0)[0] == ["ab", "c"]
    assert recoding.published(0)[1].tolist() == [0, 0, 1]
    assert recoding.star_cells().tolist() == [-2, 0]
    assert recoding.missing_cells().tolist() == [-1, -1]
    some = recoding.only(np.array([True, False, True]))
    assert some.cells.tolist() == [[0, 0], [1, 0]]


def test_only_what_classes_show_is_published() -> None:
    hierarchy = TREE.with_missing()
    recoding = Recoding.full_domain((column(hierarchy),), [0], np.array([[3], [1]], dtype=np.int32))
    assert recoding.published(0)[0] == ["b", None]
    assert recoding.published(0)[1].tolist() == [1, 0]
    assert recoding.missing_cells().tolist() == [3]
    assert recoding.star_cells().tolist() == [-2]
