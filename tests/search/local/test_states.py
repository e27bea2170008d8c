"""How columns become fields of a state."""

from dataclasses import replace
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest

from shoal.classes.tally import QuasiColumn, Tally
from shoal.kernels.local.states import LARGE_SET, LARGE_TREE, RANGE, SMALL_SET, SMALL_TREE, WORD
from shoal.search.local.states import _meets, encoding_of
from shoal.tables.hierarchies.hierarchy import Hierarchy
from tests.oracles.local.tables import Form
from tests.search.searches import Search, random_hierarchy


def column(form: Form, size: int, *, missing: bool = False) -> QuasiColumn:
    hierarchy = random_hierarchy(Random(1), form, size, missing=missing)  # noqa: S311  (tables, not secrets)
    return QuasiColumn("q", hierarchy, np.ones(hierarchy.n_leaves, dtype=np.int64))


def searching(*columns: QuasiColumn) -> Search:
    """Return a search over a table that has every value of each column."""
    n = max(one.hierarchy.n_leaves for one in columns)
    codes = np.stack([np.arange(n) % one.hierarchy.n_leaves for one in columns], axis=1).astype(np.int32)
    zeros = np.zeros(n, dtype=np.int32)
    return Search.of(Tally(columns, (), codes, zeros, np.zeros((1, 0), dtype=np.int32), np.ones(n, dtype=np.int64)))


def test_fields_are_ordered_by_kind() -> None:
    search = searching(
        column("sets", 70), column("sets", 16), column("ranges", 5), column("tree", 9), column("sets", 17)
    )
    encoding = encoding_of(search.tally.quasi, search.forms)
    assert encoding.order.tolist() == [3, 2, 1, 0, 0, 4]
    assert encoding.columns.cuts.tolist() == [0, 1, 1, 2, 3, 6]
    assert encoding.columns.words.tolist() == [3, 5, 6]
    assert (SMALL_TREE, LARGE_TREE, RANGE, SMALL_SET, LARGE_SET) == (0, 1, 2, 3, 4)


def test_a_large_tree_has_no_table() -> None:
    rows = [(f"v{value}", f"g{value // 9}", "*") for value in range(2_500)]
    hierarchy = Hierarchy.of_rows(rows, "hierarchy")
    search = searching(QuasiColumn("q", hierarchy, np.ones(2_500, dtype=np.int64)), column("tree", 8))
    columns = search.annealer.columns
    assert columns.cuts.tolist() == [0, 1, 2, 2, 2, 2]
    assert len(columns.meets) < 2_500
    label = np.arange(2_500) // 5
    assert search.annealer.loss(label) == pytest.approx(search.loss(label))


def test_leaves_become_states() -> None:
    search = searching(column("sets", 130), column("ranges", 4))
    encoding = encoding_of(search.tally.quasi, search.forms)
    states = encoding.states(np.array([[0, 3], [61, 0], [62, 1], [129, 2]], dtype=np.int32))
    assert states[:, 0].tolist() == [(3 << 32) | 3, 0, (1 << 32) | 1, (2 << 32) | 2]
    assert states[:, 1].tolist() == [1, 1 << 61, 0, 0]
    assert states[:, 2].tolist() == [0, 0, 1, 0]
    assert states[:, 3].tolist() == [0, 0, 0, 1 << (129 - 2 * WORD)]


def test_all_values_of_a_set_alike() -> None:
    """A linear price of leaves that each add the same is counted, not summed; not where a value is missing."""
    alike, missing = column("sets", 40), column("sets", 40, missing=True)
    assert searching(alike).annealer.columns.fields["even"][0] > 0
    assert searching(missing).annealer.columns.fields["even"][0] == -1
    heavy = replace(alike, weight=0.0)
    search = searching(heavy, alike)
    label = np.arange(40) // 7
    assert search.annealer.loss(label) == pytest.approx(search.loss(label))


@pytest.mark.parametrize("seed", range(12))
def test_meets_of_all_nodes(seed: int) -> None:
    """The table of a tree that is drawn is the plain one: the first ancestor of the one that the other has too."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 40))
    parent = [min(size - 1, node + 1 + int(rng.integers(0, 6))) for node in range(size)]

    def above(node: int) -> list[int]:
        return [node] if node == size - 1 else [node, *above(parent[node])]

    tree = SimpleNamespace(parent=np.array(parent, dtype=np.int32))
    found = _meets(SimpleNamespace(hierarchy=SimpleNamespace(tree=lambda: tree)))  # type: ignore[arg-type]
    plain = [next(one for one in above(a) if one in above(b)) for a in range(size) for b in range(size)]
    assert found.tolist() == plain
