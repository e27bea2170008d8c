import numpy as np

from shoal.search.local.components import Components, connected_components


def test_nodes_without_an_edge_are_left_out() -> None:
    parts = connected_components(7, np.array([[0, 4], [5, 2], [4, 6]], dtype=np.int32))
    assert [part.tolist() for part in parts] == [[0, 4, 6], [2, 5]]
    assert connected_components(3, np.zeros((0, 2), dtype=np.int32)) == []


def test_nodes_that_hang_together_are_not_joined_again() -> None:
    components = Components(4)
    assert components.join(3, 1)
    assert components.join(1, 2)
    assert not components.join(2, 3)
    assert [components.leader(node) for node in range(4)] == [0, 1, 1, 1]
