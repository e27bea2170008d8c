"""The earth mover's ground distances as trees: the path between two values is as long as they are apart."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from shoal.classes.tally import SensitiveColumn
from shoal.models.earth_mover import edges_of, ground_distance_tree, held
from shoal.tables.hierarchies.hierarchy import Hierarchy
from tests.models.cases import HIERARCHY, ORDER, ROWS, ground, histogram

REFERENCES = ((3, 2, 2, 1), (2, 0, 3, 1), (0, 2, 1), (4,), (1, 1), (2, 1, 0))
every_table = pytest.mark.parametrize("reference", REFERENCES, ids=str)


def column_of(reference: tuple[int, ...], hierarchy: Hierarchy | None = None) -> SensitiveColumn:
    """Return a column with the values of a table; its hierarchy has the same ones in the same order by default."""
    values = ORDER[: len(reference)]
    return SensitiveColumn("illness", values, hierarchy or Hierarchy.of_rows(ROWS[: len(reference)], "rows"))


def path(parents: list[int], edges: list[float], first: int, second: int) -> float:
    """Return the length of the path between two nodes; a parent has a higher number than its children."""
    length = 0.0
    while first != second:
        first, second = min(first, second), max(first, second)
        length, first = length + edges[first], parents[first]
    return length


@every_table
@pytest.mark.parametrize("kind", ["equal", "ordered", "hierarchical", "matrix"])
@pytest.mark.parametrize("same", [True, False], ids=["own hierarchy", "larger hierarchy"])
def test_the_tree_has_the_distances_as_its_paths(reference: tuple[int, ...], kind: str, same: bool) -> None:
    column = column_of(reference, None if same else HIERARCHY)
    parents, edges = ground_distance_tree(column, np.array(reference), kind)
    last = len(parents) - 1
    assert len(edges) == len(parents)
    assert parents[last] == last
    assert all(node < parent <= last for node, parent in enumerate(parents[:last].tolist()))
    shown = "equal" if kind == "matrix" or (kind == "hierarchical" and not same) else kind  # an upper bound
    occurring = [value for value, count in zip(column.values, reference, strict=True) if count]
    for first, second in combinations(occurring, 2):
        far = ground(shown, first, second, occurring)
        found = path(parents.tolist(), edges.tolist(), column.values.index(first), column.values.index(second))
        assert found == pytest.approx(float(far))
        assert far >= ground(kind, first, second, occurring)


@every_table
@pytest.mark.parametrize("kind", ["ordered", "hierarchical"])
@pytest.mark.parametrize("same", [True, False], ids=["own hierarchy", "larger hierarchy"])
def test_the_edges_between_two_values_have_their_distance(reference: tuple[int, ...], kind: str, same: bool) -> None:
    column = column_of(reference, None if same else HIERARCHY)
    sides, lengths = edges_of(column, np.array(reference), kind)
    assert sides.shape == (len(lengths), len(column.values))
    assert all(side.any() and not side.all() for side in sides)
    splits = {frozenset([tuple(side.tolist()), tuple((~side).tolist())]) for side in sides}
    assert len(splits) == len(sides)
    occurring = [value for value, count in zip(column.values, reference, strict=True) if count]
    for first, second in combinations(occurring, 2):
        between = sides[:, column.values.index(first)] != sides[:, column.values.index(second)]
        crossed = [length for length, apart in zip(lengths, between, strict=True) if apart]
        assert sum(crossed, Fraction(0)) == ground(kind, first, second, occurring)


def test_what_many_persons_hold_is_counted_exactly() -> None:
    """In one class all hold five values, in 32 others the first: those have more, or less, of the other four."""
    some = 2**28
    blocks = histogram([[some] * 5, *[[some, 0, 0, 0, 0]] * 32])
    persons = replace(blocks, sizes=np.array([some] * 33), persons=33 * some)
    work, scale = held([persons])
    assert (work.tolist(), scale) == ([4 * 32 * some**2, *[4 * some**2] * 32], 1)
    assert held([persons] * 2)[0].tolist() == [2 * one for one in work.tolist()]


@pytest.mark.parametrize(
    ("values", "persons", "levels", "plain"),
    [
        (2**31 - 1, 2**30, 1, True),
        (2**31, 2**30, 1, False),
        (2**30 - 1, 2**30, 2, True),
        (2**30, 2**30, 2, False),
        (2**61 - 1, 1, 1, True),
    ],
)
def test_small_numbers_are_plain(values: int, persons: int, levels: int, *, plain: bool) -> None:
    blocks = replace(histogram([[values]]), sizes=np.array([persons]), persons=persons)
    few = replace(blocks, counts=np.array([1]), reference=np.array([1]))
    for given in ([blocks] * levels, [*[few] * (levels - 1), blocks], [blocks, *[few] * (levels - 1)]):
        work, scale = held(given)
        assert (work.dtype == np.int64, scale) == (plain, levels)
