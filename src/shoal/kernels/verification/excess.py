"""Excess: by how much the records of one combination of cells are charged above its price, in whole units.

This is a part of the checker of bounds. It shares nothing with the search that found the charges.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel


class ChargedRows(NamedTuple):
    """The different rows of a table, and what their records are charged.

    Args:
        ranks: `ranks[column, row]`, the rank of the leaf.
        own: The charge of each record, in units.
        counts: The number of records.
        values: The sensitive value of each row, if shares of values have caps; it is empty if a class is any `k`
            records or more.
        k: The least number of records of a class.
        caps: How many parts of a record each value may have among k records.
        spare: How many all values together may have above their caps.
        parts: How many parts a record has.
    """

    ranks: NDArray[np.int32]
    own: NDArray[np.int64]
    counts: NDArray[np.int64]
    values: NDArray[np.int32]
    k: int
    caps: NDArray[np.int64]
    spare: int
    parts: int


class BestSurpluses(NamedTuple):
    """Workspace.

    Args:
        surpluses: The best surpluses so far, of all records or of those of each value, in falling order.
        amounts: How many records have them.
        sizes: How many surpluses there are of each value; 0 between two uses.
        found: The values that occur.
        room: What is left of their caps.
        places: Which of their surpluses is next.
    """

    surpluses: NDArray[np.int64]
    amounts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    found: NDArray[np.int32]
    room: NDArray[np.int64]
    places: NDArray[np.int64]


@kernel
def make_space(table: ChargedRows) -> BestSurpluses:
    """Return a workspace."""
    n_values, slots = table.caps.shape[0], table.k
    if n_values > 0:  # so many records of one value may be under the caps, or begun
        slots = min(table.k, (table.caps.max() + table.spare) // table.parts + 1)
    return BestSurpluses(
        np.empty((max(n_values, 1), slots), dtype=np.int64),
        np.empty((max(n_values, 1), slots), dtype=np.int64),
        np.zeros(max(n_values, 1), dtype=np.int64),
        np.empty(n_values, dtype=np.int32),
        np.empty(n_values, dtype=np.int64),
        np.empty(n_values, dtype=np.int64),
    )


@inner_kernel
def excess(table: ChargedRows, price: int, rows: NDArray[np.int32], space: BestSurpluses) -> int:
    """Return by how much the class of these rows that is charged most is charged above a price, or at most 0.

    With caps it is that of k records, in parts of a unit.
    """
    above, records = 0, 0
    for row in rows:
        if table.own[row] > price:
            above += (table.own[row] - price) * table.counts[row]
            records += table.counts[row]
    if above == 0:
        return 0
    if table.values.shape[0] > 0:
        return _excess_under_caps(table, price, rows, space)
    size, lacking = 0, table.k - records
    for row in rows:  # of the others those that are charged most
        if lacking > 0 and table.own[row] <= price:
            size = _insert(space, 0, size, lacking, table.own[row] - price, table.counts[row])
    for slot in range(size):
        taken = min(lacking, space.amounts[0, slot])
        above += taken * space.surpluses[0, slot]
        lacking -= taken
    return above


@inner_kernel
def _excess_under_caps(table: ChargedRows, price: int, rows: NDArray[np.int32], space: BestSurpluses) -> int:
    """Return the excess of k records under the caps, in parts of a unit; 0 if there are no such records.

    What is allowed are the bases of a polymatroid: the record that is charged most comes first, as much as is allowed.
    """
    n_found = 0
    for row in rows:
        value = table.values[row]
        if space.sizes[value] == 0:
            space.found[n_found] = value
            n_found += 1
        most = space.surpluses.shape[1]
        size = _insert(space, value, space.sizes[value], most, table.own[row] - price, table.counts[row])
        space.sizes[value] = size
    for f in range(n_found):
        space.room[space.found[f]], space.places[space.found[f]] = table.caps[space.found[f]], 0
    total, left, spare = 0, table.k * table.parts, table.spare
    while left > 0:
        best, surplus = -1, 0
        for f in range(n_found):
            value = space.found[f]
            place = space.places[value]
            if place < space.sizes[value] and (best < 0 or space.surpluses[value, place] > surplus):
                best, surplus = value, space.surpluses[value, place]
        if best < 0:
            break
        most = min(left, space.room[best] + spare)
        taken = min(space.amounts[best, space.places[best]] * table.parts, most)
        space.places[best] += 1
        if taken > space.room[best]:
            spare -= taken - space.room[best]
            space.room[best] = 0
        else:
            space.room[best] -= taken
        total += taken * surplus
        left -= taken
    for f in range(n_found):
        space.sizes[space.found[f]] = 0
    return total if left == 0 else 0


@inner_kernel
def _insert(space: BestSurpluses, value: int, size: int, most: int, surplus: int, amount: int) -> int:
    """Insert a surplus among the best ones, in falling order; return how many they are then. O(most)."""
    surpluses, amounts = space.surpluses[value], space.amounts[value]
    slot = size
    if size == most:
        slot -= 1
        if surplus <= surpluses[slot]:
            return size
    while slot > 0 and surpluses[slot - 1] < surplus:
        surpluses[slot], amounts[slot] = surpluses[slot - 1], amounts[slot - 1]
        slot -= 1
    surpluses[slot], amounts[slot] = surplus, amount
    return min(size + 1, most)
