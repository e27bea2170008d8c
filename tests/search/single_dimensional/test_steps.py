"""The steps of columns: cut points, nodes, missing values, and which are taken if there are too many."""

import numpy as np
import pytest

from shoal.classes.tally import QuasiColumn
from shoal.search.single_dimensional.steps import ColumnSteps, column_steps
from shoal.tables.hierarchies import Ranges, Suppression, Taxonomy
from shoal.tables.hierarchies.hierarchy import Hierarchy


def steps_of(hierarchy: Hierarchy, counts: list[int], most: int = 32) -> ColumnSteps:
    return column_steps(QuasiColumn("q", hierarchy, np.array(counts)), most)


def numbers(n: int) -> Hierarchy:
    return Ranges().build([str(number) for number in range(n)], "q")


TREE = Taxonomy(tree={"*": {"west": {"north": ["a", "b"], "south": ["c"]}, "east": ["d", "e", "f"]}}).build(
    list("abcdef"), "q"
)


def test_a_cut_lies_between_two_values_that_occur() -> None:
    found = steps_of(numbers(5), [3, 0, 2, 1, 0])
    assert found.grains.tolist() == [0, 0, 1, 2, 0]
    assert found.owner.tolist() == [-1, 0, 1]
    assert found.needs.tolist() == [-1, -1]
    assert (found.n_steps, found.n_possible, found.n_grains) == (2, 2, 3)


@pytest.mark.parametrize("counts", [[4], [0, 4], [0, 0]])
def test_a_column_of_one_value_has_no_step(counts: list[int]) -> None:
    for hierarchy in (numbers(len(counts)), Suppression().build([str(i) for i in range(len(counts))], "q")):
        found = steps_of(hierarchy, counts)
        assert (found.n_steps, found.n_possible) == (0, 0)


def test_a_missing_value_is_parted_first() -> None:
    found = steps_of(numbers(3).with_missing(), [1, 1, 1, 2])
    assert found.grains.tolist() == [0, 1, 2, 3]
    assert found.owner.tolist() == [-1, 0, 1, 2]
    assert found.needs.tolist() == [2, 2, -1]
    assert found.spans.tolist() == [False, False, True]
    assert (found.begin.tolist(), found.end.tolist()) == ([0, 0, 0], [3, 3, 4])


def test_a_single_value_is_parted_from_a_missing_one() -> None:
    found = steps_of(numbers(2).with_missing(), [0, 3, 2])
    assert (found.grains.tolist(), found.owner.tolist()) == ([0, 0, 1], [-1, 0])
    assert (found.spans.tolist(), found.begin.tolist(), found.end.tolist()) == ([True], [0], [2])


def test_a_missing_value_is_one_of_the_steps_that_there_may_be() -> None:
    found = steps_of(numbers(8).with_missing(), [1] * 8 + [2], most=4)
    assert (found.n_steps, found.n_possible) == (4, 8)
    assert found.grains.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4]


def test_only_missing_values_are_one_value() -> None:
    assert steps_of(numbers(3).with_missing(), [0, 0, 0, 2]).n_steps == 0


def test_a_node_is_parted_after_the_one_above() -> None:
    """The root, then the east with its three values, the west, and the north; the south has one value."""
    found = steps_of(TREE, [1, 1, 1, 2, 2, 2])
    assert found.needs.tolist() == [-1, 0, 0, 2]
    assert found.owner.tolist() == [-1, 3, 2, 0, 1, 1]
    assert (found.begin.tolist(), found.end.tolist()) == ([0, 3, 0, 0], [6, 6, 3, 2])
    assert found.spans.all()


def test_a_node_with_one_child_that_occurs_is_no_step() -> None:
    found = steps_of(TREE, [1, 1, 0, 2, 0, 0])
    assert found.n_possible == 2
    assert found.needs.tolist() == [-1, 0]
    assert found.grains.tolist() == [0, 1, 0, 2, 0, 0]


def test_of_too_many_nodes_those_with_most_records_are_taken() -> None:
    found = steps_of(TREE, [1, 1, 1, 2, 2, 2], most=2)
    assert (found.n_steps, found.n_possible) == (2, 4)
    assert found.owner.tolist() == [-1, 0, 1, 1]
    assert found.grains.tolist() == [0, 0, 0, 1, 2, 3]


def test_leaves_of_a_node_are_neighbours_whatever_their_order() -> None:
    mixed = Hierarchy.of_rows([("a", "x", "*"), ("b", "y", "*"), ("c", "x", "*"), ("d", "y", "*")], "rows")
    found = steps_of(mixed, [1, 1, 1, 1])
    assert found.grains.tolist() == [0, 2, 1, 3]
    assert found.owner.tolist() == [-1, 1, 0, 2]


def test_of_too_many_cuts_those_that_part_the_records_evenly_are_taken() -> None:
    assert steps_of(numbers(8), [1] * 8, most=3).grains.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    heavy = steps_of(numbers(6), [1, 100, 1, 1, 1, 1], most=3)
    assert heavy.grains.tolist() == [0, 1, 2, 2, 3, 3]
    many = steps_of(numbers(20_000), [1] * 20_000, most=32)
    assert (many.n_steps, many.n_possible) == (32, 19_999)
    sizes = np.bincount(many.grains)
    assert sizes.max() <= 2 * sizes.min() + 1
