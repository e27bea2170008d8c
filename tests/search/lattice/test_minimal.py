from shoal.search.lattice.lattice import Lattice
from shoal.search.lattice.minimal import least_nodes, minimal_nodes, preferred
from tests.oracles.papers import MAX_SUP, figure_1
from tests.oracles.problems import problem_of


def test_nodes_above_another_are_left_out() -> None:
    assert least_nodes([(2, 0), (1, 1), (2, 2), (0, 2), (1, 2)]) == [(0, 2), (1, 1), (2, 0)]
    assert least_nodes([(1, 1), (1, 1)]) == [(1, 1)]
    assert least_nodes([]) == []


def test_a_node_above_an_allowed_one_is_not_looked_at() -> None:
    space = figure_1()
    lattice = Lattice(problem_of(space.table, space.rules, "lm", MAX_SUP))
    assert minimal_nodes(lattice) == [(1, 1, 0), (0, 2, 1)]
    above = [node for node in lattice.all_nodes() if node[0] >= 1 and node[1] >= 1 and node != (1, 1, 0)]
    assert lattice.nodes_checked == lattice.n_nodes - len(above)


def test_ties_go_to_the_least_loss() -> None:
    space = figure_1()
    lattice = Lattice(problem_of(space.table, space.rules, "lm", MAX_SUP))
    same_height = [(0, 2, 1), (1, 1, 1), (2, 1, 0)]
    losses = {node: lattice.evaluate(node).loss for node in same_height}
    assert preferred(lattice, same_height, "absolute-distance").node == min(losses, key=lambda node: losses[node])
