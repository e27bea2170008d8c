"""States: the closure of a class in each column as integers that are quick to join and to price.

Each column has one field; a large set has one for every 62 leaves. The state of a tree is a node. That of a range is
its first leaf times 2^32 plus its last leaf. That of a set has one bit for each leaf. The fields are sorted by kind,
with one loop for each kind. Nothing is sliced or looked up by name inside a loop: both cost more than the work itself.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel
from shoal.kernels.local.closures import meet
from shoal.kernels.prices import price_subset

SMALL_TREE, LARGE_TREE, RANGE, SMALL_SET, LARGE_SET = range(5)
WORD = 62  # leaves in one field of a set
_LOW = np.int64((1 << 32) - 1)
_HIGH = np.int64(32)


FIELD = np.dtype(
    [
        ("start", np.int64),  # where the column begins in the arrays by node, or the subsets of a small set in `prices`
        ("width", np.int64),  # the number of nodes of a small tree
        ("table", np.int64),  # where a small tree begins in `meets`
        ("rule", np.int64),  # how the two sums become a price
        ("missing", np.int64),  # the leaf of the missing value, or -1
        ("constant", np.float64),  # the constant of the rule
        ("weight", np.float64),  # the weight of the column
        ("top", np.float64),  # the price of the top node
        ("even", np.float64),  # what each leaf adds to a large set's linear price; -1 if unequal or one is missing
    ]
)
LOWER, UPPER, ADDS = 0, 2, 4  # rows of `sums`, two of each: before each leaf, up to it, of it alone


class Columns(NamedTuple):
    """The meaning of the fields of a state. The fields of kind t are `cuts[t]` to before `cuts[t + 1]`.

    Args:
        cuts: Where each kind begins.
        words: Where each large set begins; the last entry is where the last one ends.
        fields: One `FIELD` for each field.
        meets: `meets[table + a * width + b]`, the lowest common ancestor of two nodes of a small tree.
        parent: The parent of each node.
        prices: The price of each node or leaf, and of each subset of a small set.
        sums: By leaf, the two sums that price ranges and sets.
    """

    cuts: NDArray[np.int64]
    words: NDArray[np.int64]
    fields: NDArray[Any]
    meets: NDArray[np.int32]
    parent: NDArray[np.int32]
    prices: NDArray[np.float64]
    sums: NDArray[np.float64]


@inner_kernel
def _count_bits(bits: np.int64) -> np.int64:
    """Return how many bits are set, by adding adjacent groups of 1, 2 and 4 bits in parallel."""
    bits = bits - ((bits >> np.int64(1)) & np.int64(0x5555555555555555))
    bits = (bits & np.int64(0x3333333333333333)) + ((bits >> np.int64(2)) & np.int64(0x3333333333333333))
    bits = (bits + (bits >> np.int64(4))) & np.int64(0x0F0F0F0F0F0F0F0F)
    return (bits * np.int64(0x0101010101010101)) >> np.int64(56)


@inner_kernel
def joined_price(columns: Columns, left: NDArray[np.int64], i: int, right: NDArray[np.int64], k: int) -> float:
    """Return the price of the closure of two states, row `i` of `left` and row `k` of `right`. O(fields)."""
    cuts, words, fields, meets, parent, prices, sums = columns
    price = 0.0
    for f in range(cuts[SMALL_TREE], cuts[LARGE_TREE]):
        field = fields[f]
        price += prices[field.start + meets[field.table + left[i, f] * field.width + right[k, f]]]
    for f in range(cuts[LARGE_TREE], cuts[RANGE]):
        start = fields[f].start
        price += prices[start + meet(parent, start, left[i, f], right[k, f])]
    for f in range(cuts[RANGE], cuts[SMALL_SET]):
        field = fields[f]
        low = min(left[i, f] >> _HIGH, right[k, f] >> _HIGH)
        high = max(left[i, f] & _LOW, right[k, f] & _LOW)
        if low == high:
            price += prices[field.start + low]
        elif high == field.missing:
            price += field.top
        else:
            first = sums[UPPER, field.start + high] - sums[LOWER, field.start + low]
            second = sums[UPPER + 1, field.start + high] - sums[LOWER + 1, field.start + low]
            price += field.weight * price_subset(field.rule, first, second, field.constant)
    for f in range(cuts[SMALL_SET], cuts[LARGE_SET]):
        price += prices[fields[f].start + (left[i, f] | right[k, f])]
    for w in range(words.shape[0] - 1):
        field = fields[words[w]]
        count, leaf = np.int64(0), np.int64(0)
        for f in range(words[w], words[w + 1]):
            count += _count_bits(left[i, f] | right[k, f])
        if field.even >= 0 and count > 1:  # then none of the values is the missing one
            price += field.weight * (count * field.even + field.constant)
            continue
        first, second = 0.0, 0.0
        for f in range(words[w], words[w + 1]):
            for bit in range(WORD):
                if ((left[i, f] | right[k, f]) >> bit) & 1:
                    leaf = (f - words[w]) * WORD + bit
                    first += sums[ADDS, field.start + leaf]
                    second += sums[ADDS + 1, field.start + leaf]
        if count == 1:
            price += prices[field.start + leaf]
        elif leaf == field.missing:
            price += field.top
        else:
            price += field.weight * price_subset(field.rule, first, second, field.constant)
    return price


@inner_kernel
def join_into(
    columns: Columns,
    target: NDArray[np.int64],
    t: int,
    left: NDArray[np.int64],
    i: int,
    right: NDArray[np.int64],
    k: int,
) -> None:
    """Write the closure of two states, row `i` of `left` and row `k` of `right`, into row `t` of `target`.

    O(fields).
    """
    cuts, _, fields, meets, parent, _, _ = columns
    for f in range(cuts[SMALL_TREE], cuts[LARGE_TREE]):
        target[t, f] = meets[fields[f].table + left[i, f] * fields[f].width + right[k, f]]
    for f in range(cuts[LARGE_TREE], cuts[RANGE]):
        target[t, f] = meet(parent, fields[f].start, left[i, f], right[k, f])
    for f in range(cuts[RANGE], cuts[SMALL_SET]):
        low = min(left[i, f] >> _HIGH, right[k, f] >> _HIGH)
        high = max(left[i, f] & _LOW, right[k, f] & _LOW)
        target[t, f] = (low << _HIGH) | high
    for f in range(cuts[SMALL_SET], target.shape[1]):
        target[t, f] = left[i, f] | right[k, f]


@inner_kernel
def _met(columns: Columns, f: int, first: np.int64, second: np.int64) -> np.int64:
    """Return the lowest common ancestor of two nodes of a tree."""
    field = columns.fields[f]
    if f < columns.cuts[LARGE_TREE]:
        return np.int64(columns.meets[field.table + first * field.width + second])
    return np.int64(meet(columns.parent, field.start, int(first), int(second)))


@inner_kernel
def leave_out_tree(
    columns: Columns,
    f: int,
    states: NDArray[np.int64],
    records: NDArray[Any],
    members: NDArray[np.int64],
    begin: int,
    end: int,
    without: NDArray[np.int64],
) -> None:
    """Write, for each member of a class, the lowest common ancestor of all others. O(members x height).

    It is that of the ancestor of the members before it and of the ancestor of those after it, each found in one pass.
    """
    node = states[records[members[end - 1]].point, f]
    for i in range(end - 2, begin - 1, -1):
        without[members[i], f] = node
        node = _met(columns, f, node, states[records[members[i]].point, f])
    node = states[records[members[begin]].point, f]
    for i in range(begin + 1, end - 1):
        record = members[i]
        without[record, f] = _met(columns, f, node, without[record, f])
        node = _met(columns, f, node, states[records[record].point, f])
    without[members[end - 1], f] = node


@inner_kernel
def leave_out_range(
    f: int,
    states: NDArray[np.int64],
    records: NDArray[Any],
    members: NDArray[np.int64],
    begin: int,
    end: int,
    without: NDArray[np.int64],
) -> None:
    """Write, for each member of a class, the range of all others. O(members).

    The two least and the two greatest leaves suffice: a member that has the least leaf leaves the second least one.
    """
    least, less = _LOW, _LOW
    most, more = np.int64(-1), np.int64(-1)
    for i in range(begin, end):
        leaf = states[records[members[i]].point, f] & _LOW
        if leaf < least:
            least, less = leaf, least
        elif leaf < less:
            less = leaf
        if leaf > most:
            most, more = leaf, most
        elif leaf > more:
            more = leaf
    for i in range(begin, end):
        leaf = states[records[members[i]].point, f] & _LOW
        low = less if leaf == least else least
        high = more if leaf == most else most
        without[members[i], f] = (low << _HIGH) | high


@inner_kernel
def leave_out_set(
    f: int,
    states: NDArray[np.int64],
    records: NDArray[Any],
    members: NDArray[np.int64],
    begin: int,
    end: int,
    without: NDArray[np.int64],
) -> None:
    """Write, for each member of a class, the set of all others: its own leaf is dropped if no other has it.

    O(members).
    """
    once, twice = np.int64(0), np.int64(0)
    for i in range(begin, end):
        leaf = states[records[members[i]].point, f]
        twice |= once & leaf
        once |= leaf
    for i in range(begin, end):
        without[members[i], f] = once & ~(states[records[members[i]].point, f] & ~twice)
