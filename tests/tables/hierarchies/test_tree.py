import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.tables.hierarchies import Hierarchy


@st.composite
def hierarchies(draw: st.DrawFn) -> Hierarchy:
    """Random nested partitions: at each level, some nodes of the level below are joined."""
    n = draw(st.integers(1, 9))
    codes = [list(range(n))]
    for _ in range(draw(st.integers(0, 3))):
        size = max(codes[-1]) + 1
        target = draw(st.lists(st.integers(0, size - 1), min_size=size, max_size=size))
        used = {node: code for code, node in enumerate(dict.fromkeys(target))}
        codes.append([used[target[code]] for code in codes[-1]])
    rows = [(*(f"{level}:{at[leaf]}" for level, at in enumerate(codes)), "*") for leaf in range(n)]
    return Hierarchy.of_rows(rows, "hierarchy")


def test_a_node_that_spans_levels_stands_once() -> None:
    rows = [("a", "ab", "ab+", "*"), ("b", "ab", "ab+", "*"), ("c", "c1", "c2", "*")]
    tree = Hierarchy.of_rows(rows, "hierarchy").tree()
    assert tree.labels == ("a", "b", "c", "ab", "*")
    assert tree.parent.tolist() == [3, 3, 4, 4, 4]
    assert tree.depth.tolist() == [2, 2, 1, 1, 0]
    assert tree.leaves.tolist() == [1, 1, 1, 2, 3]
    assert [nodes.tolist() for nodes in tree.node_at] == [[0, 1, 2], [3, 2], [3, 2], [4]]


def test_one_leaf_is_the_root() -> None:
    tree = Hierarchy.of_rows([("a", "b", "*")], "hierarchy").tree()
    assert tree.parent.tolist() == [0]
    assert tree.labels == ("a",)


def test_without_leaves_there_is_a_root() -> None:
    tree = Hierarchy.below_star((), []).tree()
    assert tree.parent.tolist() == [0]
    assert tree.leaves.tolist() == [0]
    assert tree.labels == ("*",)


@settings(deadline=None)
@given(hierarchies(), st.booleans())
def test_the_nodes_are_the_different_sets_of_leaves(hierarchy: Hierarchy, missing: bool) -> None:
    hierarchy = hierarchy.with_missing() if missing else hierarchy
    tree = hierarchy.tree()
    below = [{leaf} for leaf in range(hierarchy.n_leaves)]
    below += [set() for _ in range(len(tree.parent) - hierarchy.n_leaves)]
    for node, parent in enumerate(tree.parent[:-1]):
        assert parent > node
        below[parent] |= below[node]
    expected = {
        frozenset(np.flatnonzero(codes == code).tolist()) for codes in hierarchy.codes for code in np.unique(codes)
    }
    assert {frozenset(leaves) for leaves in below} == expected
    assert len(below) == len(expected)
    assert tree.leaves.tolist() == [len(leaves) for leaves in below]
    for level, nodes in enumerate(tree.node_at):
        assert [below[node] for node in nodes] == [
            set(np.flatnonzero(hierarchy.codes[level] == code).tolist()) for code in range(hierarchy.size(level))
        ]


@settings(deadline=None)
@given(hierarchies(), st.booleans())
def test_lowest_common_ancestors_of_all_nodes(hierarchy: Hierarchy, missing: bool) -> None:
    tree = (hierarchy.with_missing() if missing else hierarchy).tree()
    n = len(tree.parent)

    def above(node: int) -> list[int]:
        path = [node]
        while tree.parent[path[-1]] != path[-1]:
            path.append(int(tree.parent[path[-1]]))
        return path

    assert tree.depth.tolist() == [len(above(node)) - 1 for node in range(n)]
    nodes = np.arange(n, dtype=np.int32)
    found = tree.lowest_common_ancestor(nodes[:, None], nodes[None, :])
    for first in range(n):
        for second in range(n):
            assert found[first, second] == next(node for node in above(first) if node in above(second))


@settings(deadline=None)
@given(hierarchies())
def test_a_tree_read_level_by_level_is_the_same_tree(hierarchy: Hierarchy) -> None:
    tree = hierarchy.tree()
    again = Hierarchy.of_parents(hierarchy.n_leaves, tree.parent, tree.labels, "tree").tree()
    again_below, below = (dict(zip(each.labels, each.leaves.tolist(), strict=True)) for each in (again, tree))
    assert again_below == below
    assert sorted(again.depth.tolist()) == sorted(tree.depth.tolist())
