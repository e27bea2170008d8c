"""Earth mover's distance: how far the values of each class are from those of the whole table, by four ground distances.

Each function returns the work of each block as an integer, and a scale: the distance, from 0 to 1, is `work / (scale *
size * total)` for a block of `size` records in a table of `total`. If the numbers may not fit into 64 bits, the same
code runs on Python integers.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Histogram
from shoal.classes.tally import SensitiveColumn
from shoal.foundation.errors import SpecError
from shoal.foundation.exact import at_most
from shoal.kernels.emd import plain, transport, work_equal, work_hierarchical, work_ordered
from shoal.tables.distance_matrix import DistanceMatrix
from shoal.tables.hierarchies.hierarchy import Hierarchy

_ROOM = 2**62
_ROUNDING = 1e-12  # far above that of sums of shares; what is claimed is less by it
_MOST_RECORDS = 2_000  # of a class that is tried: larger ones may be needed, and are not told
_MOST_ENTRIES = 5_000_000  # of a table of shares at a time

Work = tuple[NDArray[Any], int]


def _total(blocks: Histogram) -> int:
    return blocks.total


def _numbers(blocks: Histogram, scale: int) -> np.dtype[Any]:
    """Return the type of number that holds `scale` times the records of a block and of the table, and twice that."""
    largest = int(blocks.sizes.max(initial=1)) * max(_total(blocks), 1) * scale
    return np.dtype(np.int64 if largest < _ROOM else object)


def _whole(blocks: Histogram, work: NDArray[Any], scale: int) -> NDArray[Any]:
    """Return the work of each block that would be the distance 1."""
    return blocks.sizes.astype(work.dtype) * (_total(blocks) * scale)


def distance_at_most(blocks: Histogram, work: NDArray[Any], scale: int, limit: Fraction) -> NDArray[np.bool_]:
    """Return which blocks have a distance of at most `limit` from the table, decided exactly."""
    whole = _whole(blocks, work, scale)
    if not work.dtype.hasobject:
        return at_most(work, whole, limit)
    pairs = zip(work, whole, strict=True)
    return np.array([done * limit.denominator <= limit.numerator * all_ for done, all_ in pairs], dtype=np.bool_)


def distances_of(blocks: Histogram, work: NDArray[Any], scale: int) -> NDArray[np.float64]:
    """Return the distance of each block, as a float."""
    return (work / _whole(blocks, work, scale)).astype(np.float64)


def farthest(blocks: Histogram, work: NDArray[Any], scale: int) -> float:
    """Return the largest distance of any block, rounded once; 0 if there is none."""
    if not len(work):
        return 0.0
    worst = int(np.argmax(distances_of(blocks, work, scale)))
    return int(work[worst]) / int(_whole(blocks, work, scale)[worst])


def equal(blocks: Histogram) -> Work:
    """Two different values have distance 1: half the sum of the absolute differences."""
    numbers = _numbers(blocks, 1)
    counts, sizes, reference = (part.astype(numbers) for part in (blocks.counts, blocks.sizes, blocks.reference))
    work = np.zeros(len(sizes), dtype=numbers)
    run = plain(work_equal) if numbers.hasobject else work_equal
    run(blocks.offsets, blocks.values, counts, sizes, reference, _total(blocks), work)
    return work, 1


def ordered(blocks: Histogram, also: NDArray[np.bool_] | None = None) -> Work:
    """The values that occur, or are said to, are evenly spaced on a line of length 1."""
    occurs = blocks.reference > 0
    occurs[blocks.values] = True
    occurs |= False if also is None else also
    scale = max(int(occurs.sum()) - 1, 1)
    numbers = _numbers(blocks, scale + 1)
    below = np.cumsum(blocks.reference[occurs].astype(numbers))
    sums = np.append(np.zeros(1, dtype=numbers), np.cumsum(below))
    ranks = (np.cumsum(occurs) - 1)[blocks.values].astype(numbers)
    work = np.zeros(len(blocks.sizes), dtype=numbers)
    run = plain(work_ordered) if numbers.hasobject else work_ordered
    if len(work):
        run(blocks.offsets, ranks, blocks.counts.astype(numbers), blocks.sizes.astype(numbers), below, sums, work)
    return work, scale


def hierarchical(blocks: Histogram) -> Work:
    """The distance of two values is the level at which they meet, divided by the hierarchy's height."""
    hierarchy = _hierarchy_of(blocks.column)
    scale = 2 * hierarchy.height
    numbers = _numbers(blocks, scale)
    same = hierarchy.values == blocks.column.values
    leaves = slice(None) if same else hierarchy.encode(blocks.column.values, blocks.column.name)
    nodes = np.ascontiguousarray(hierarchy.codes[:-1, leaves])
    parts = np.zeros((hierarchy.height, hierarchy.n_leaves), dtype=np.int64)
    for level, row in enumerate(nodes):
        np.add.at(parts[level], row, blocks.reference)
    work = np.zeros(len(blocks.sizes), dtype=numbers)
    run = plain(work_hierarchical) if numbers.hasobject else work_hierarchical
    counts, sizes, parts = (part.astype(numbers) for part in (blocks.counts, blocks.sizes, parts))
    run(blocks.offsets, blocks.values, counts, sizes, nodes, parts, _total(blocks), work)
    return work, scale


def held(levels: Sequence[Histogram]) -> Work:
    """Return what the shares of those who hold each node of a level are above, or below, those of the release.

    At each level the larger of both sums counts, and all levels alike. The sums are equal if nobody holds two nodes.
    """
    sizes, total, scale = levels[0].sizes, levels[0].total, max(len(levels), 1)
    most = max(int(level.reference.sum()) for level in levels)  # no fewer than persons; a class may have most of them
    numbers = np.dtype(np.int64 if 2 * most * total * scale < _ROOM else object)
    work = np.zeros(len(sizes), dtype=numbers)
    for level in levels:
        counts, reference = level.counts.astype(numbers), level.reference.astype(numbers)
        gaps = counts * total - reference[level.values] * sizes.astype(numbers)[level.owners]
        above, all_ = np.zeros_like(work), np.zeros_like(work)
        np.add.at(above, level.owners, np.maximum(gaps, 0))
        np.add.at(all_, level.owners, counts * total)
        work += np.maximum(above, above - (all_ - sizes.astype(numbers) * int(level.reference.sum())))
    return work, scale


def levels_of(column: SensitiveColumn) -> list[tuple[NDArray[np.int32], int]]:
    """Return the node of each value at each level of the column's hierarchy below the top, and how many there are."""
    hierarchy = _hierarchy_of(column)
    leaves = hierarchy.encode(column.values, column.name)
    return [(hierarchy.codes[level, leaves], hierarchy.size(level)) for level in range(hierarchy.height)]


def _hierarchy_of(column: SensitiveColumn) -> Hierarchy:
    if column.hierarchy is None:
        raise SpecError(
            f"t-closeness with the hierarchical distance needs a hierarchy of the sensitive column "
            f"'{column.name}'. Give the column one, or choose another distance."
        )
    return column.hierarchy


def by_matrix(blocks: Histogram, matrix: DistanceMatrix, wanted: NDArray[np.bool_]) -> Work:
    """The distance of two values is an entry of the matrix, divided by its largest; work is 0 where not `wanted`.

    In a metric nothing is gained by moving mass that both distributions share, so only the differences move. The
    direction does not matter; the transport is faster from the side with fewer values. No path is longer than `scale`
    times the records of a block plus those of the table, and their sum is at most twice their product.
    """
    scale = matrix.largest
    numbers = _numbers(blocks, scale)
    entries = matrix.among(blocks.column.values, blocks.column.name).astype(numbers)
    reference = blocks.reference.astype(numbers)
    run = plain(transport) if numbers.hasobject else transport
    work = np.zeros(len(blocks.sizes), dtype=numbers)
    for number in np.flatnonzero(wanted):
        values, counts = blocks.of_class(int(number))
        mass = reference * -int(blocks.sizes[number])
        mass[values] += counts.astype(numbers) * _total(blocks)
        sides = sorted((np.flatnonzero(mass > 0), np.flatnonzero(mass < 0)), key=len)
        if len(sides[0]):
            work[number] = run(entries[np.ix_(*sides)], abs(mass[sides[0]]), abs(mass[sides[1]]))
    return work, scale


def ground_distance_tree(
    column: SensitiveColumn, reference: NDArray[np.int64], distance: str
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return a tree for a ground distance: the parent of each node, the values first, and the length of its edge.

    The path between two values has their ground distance as its length: a star for the equal distance (and, as an upper
    bound, for any other), a path for the ordered one, and the column's hierarchy for the hierarchical one.
    """
    n_values = len(column.values)
    if distance == "ordered":
        occurs = reference > 0
        length = 1 / max(int(occurs.sum()) - 1, 1)
        parents = np.minimum(np.arange(n_values) + 1, n_values - 1).astype(np.int32)
        return parents, np.where(occurs, length, 0.0)
    hierarchy = column.hierarchy if distance == "hierarchical" else None
    if hierarchy is None or hierarchy.values != column.values:
        parents = np.full(n_values + 1, n_values, dtype=np.int32)
        return parents, np.full(n_values + 1, 0.5)
    starts = np.cumsum([0, *(hierarchy.size(level) for level in range(hierarchy.height + 1))])
    steps = [starts[level + 1] + hierarchy.lift(level, level + 1) for level in range(hierarchy.height)]
    parents = np.concatenate([*steps, [starts[-1] - 1]]).astype(np.int32)
    return parents, np.full(len(parents), 1 / (2 * hierarchy.height))


def edges_of(
    column: SensitiveColumn, reference: NDArray[np.int64], distance: str
) -> tuple[NDArray[np.bool_], list[Fraction]]:
    """Return which values are on one side of each edge of a tree, and the lengths of the edges.

    The path between two values has their distance as its length: `equal`, `ordered` or `hierarchical`. Edges that split
    the values in the same way are one edge.
    """
    n_values = len(column.values)
    if distance == "equal":
        return np.eye(n_values, dtype=np.bool_), [Fraction(1, 2)] * n_values
    if distance == "ordered":
        occurs = np.flatnonzero(reference > 0)
        sides = np.arange(n_values) <= occurs[:-1, None]
        return _different(sides, Fraction(1, max(len(occurs) - 1, 1)))
    if "edges" not in column.read:  # the same for all releases
        hierarchy = _hierarchy_of(column)
        leaves = hierarchy.encode(column.values, column.name)
        nodes = [hierarchy.codes[level, leaves] for level in range(hierarchy.height)]
        sides = np.array([own == node for own in nodes for node in np.unique(own)]).reshape(-1, n_values)
        column.read["edges"] = _different(sides, Fraction(1, 2 * hierarchy.height))
    edges: tuple[NDArray[np.bool_], list[Fraction]] = column.read["edges"]
    return edges


def _different(sides: NDArray[np.bool_], length: Fraction) -> tuple[NDArray[np.bool_], list[Fraction]]:
    """Merge the edges, all of one length, that split the values in the same way, and drop those that split none."""
    alike = Counter((~side if side[0] else side).tobytes() for side in sides)
    alike.pop(bytes(sides.shape[1]), None)
    different = np.array([np.frombuffer(side, dtype=np.bool_) for side in alike], dtype=np.bool_)
    return different.reshape(len(alike), sides.shape[1]), [length * n_edges for n_edges in alike.values()]


def fewest_until_near(
    blocks: Histogram,
    far: NDArray[np.int64],
    edges: tuple[NDArray[np.bool_], list[Fraction]],
    limit: float,
    share: float,
) -> NDArray[np.float64]:
    """Return a lower bound on the records to remove from some blocks until they are within `limit` of the table.

    A potential f gives each value a number, and two values differ in it by at most their distance. So the distance of
    two distributions P and Q is at least the mean of f by P less that by Q, and for one potential it is just that: on a
    tree, each edge adds its length to the values on the side where P has more. Let f be that one for a block and the
    table, with 0 as its least number and M as the largest of the block's values. Whatever x of the n records are
    removed, the rest has a mean of at least (n P(f) - x M) / (n - x). Where a share s of the table may be suppressed,
    its mean is at most Q(f) / (1 - s). If the rest is within the limit t, then x is at least

        n (P(f) - t - Q(f) / (1 - s)) / (M - t - Q(f) / (1 - s)).

    Args:
        blocks: The blocks.
        far: Those that are farther than the limit.
        edges: What `edges_of` returns.
        limit: The largest distance.
        share: The share of the table that may be suppressed.
    """
    sides, lengths = edges
    table = blocks.reference / max(blocks.total, 1)
    lost = np.zeros(len(far))
    size = max(_MOST_ENTRIES // max(len(table), 1), 1)
    for start in range(0, len(far), size):
        some = far[start : start + size]
        own = blocks.dense(some)
        signs = np.sign((own - table) @ sides.T) * [float(length) for length in lengths]
        potential = signs @ sides
        known = (own > 0) | (table > 0)
        potential -= np.where(known, potential, np.inf).min(axis=1)[:, None]
        most = np.where(own > 0, potential, 0.0).max(axis=1)
        allowed = limit + potential @ table / max(1 - share, _ROUNDING)
        gap = (own * potential).sum(axis=1) - allowed
        found = blocks.sizes[some] * (gap - _ROUNDING) / np.maximum(most - allowed + _ROUNDING, _ROUNDING)
        lost[start : start + size] = np.where(gap > _ROUNDING, np.ceil(found - 1e-6), 0)
    return lost


def fewest_near(most: Sequence[NDArray[np.float64]], limit: float, n_records: int) -> int:
    """Return a number of records below which no class is within `limit` of a release with at most these shares.

    The distance is the mean over levels of what the shares of nodes are above those of the release. Of n records, each
    node can have the whole number below n times its largest share for nothing; the next one costs what is missing to
    that number, and any other 1 / n.

    Args:
        most: At each level, the largest share that each node may have in the release.
        limit: The largest distance.
        n_records: The number of records of the table.
    """
    for size in range(1, min(n_records, _MOST_RECORDS)):
        if sum(_least_above(shares, size) for shares in most) / len(most) <= limit + 1e-9:
            return size
    return min(n_records, _MOST_RECORDS)


def _least_above(shares: NDArray[np.float64], size: int) -> float:
    """Return the least sum, over all classes of so many records, of what their shares are above the given ones."""
    free = np.floor(shares * size + 1e-9)
    left = size - int(free.sum())
    if left <= 0:
        return 0.0
    next_ones = np.sort(np.maximum((free + 1) / size - shares, 0.0))[:left]
    return float(next_ones.sum()) + (left - len(next_ones)) / size
