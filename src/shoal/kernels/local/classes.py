"""Classes that change record by record: their records, closures and prices, and the prices without each record."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel
from shoal.kernels.local.states import (
    RANGE,
    SMALL_SET,
    Columns,
    join_into,
    joined_price,
    leave_out_range,
    leave_out_set,
    leave_out_tree,
)

RECORD = np.dtype(
    [
        ("point", np.int64),  # the number of its quasi tuple
        ("profile", np.int64),  # the number of its sensitive tuple
        ("label", np.int64),  # its class
        ("slot", np.int64),  # its index in `members`
        ("weight", np.int64),  # its sampling weight; 1 if there are none
        ("left", np.float64),  # the price of its class without it, if the class is `fresh`
        ("alone", np.float64),  # the price of a class of this record alone
    ]
)
GROUP = np.dtype(
    [
        ("begin", np.int64),  # where its records begin in `members`
        ("capacity", np.int64),  # how many records fit into its part of `members`
        ("size", np.int64),  # its number of records; 0 if it is free to be opened
        ("weight", np.int64),  # the sum of their sampling weights, which the price counts for
        ("fresh", np.int64),  # 1 if `without` and `left` are up to date for its records
        ("least", np.int64),  # its least size; 0 for the class of suppressed records, whose price is given
        ("price", np.float64),  # the price of each of its records, for a weight of 1
    ]
)


class Classes(NamedTuple):
    """A partition of records into classes; a change takes time in proportion to what it touches.

    Args:
        states: `states[point, field]`, the closure of each point alone.
        records: One `RECORD` for each record; the records of a point are adjacent.
        groups: One `GROUP` for each class.
        members: The records of each class, one class after another.
        closed: `closed[class, field]`, the closure of each class.
        without: `without[record, field]`, the closure of the record's class without it, if the class is `fresh`.
    """

    states: NDArray[np.int64]
    records: NDArray[Any]
    groups: NDArray[Any]
    members: NDArray[np.int64]
    closed: NDArray[np.int64]
    without: NDArray[np.int64]


@inner_kernel
def fill_classes(columns: Columns, classes: Classes) -> None:
    """Put every record into the class of its label, and compute all closures and prices. O(records x fields)."""
    states, records, groups, members, _, _ = classes
    for c in range(groups.shape[0]):
        groups[c].size, groups[c].weight = 0, 0
    for i in range(records.shape[0]):
        group = groups[records[i].label]
        records[i].slot = group.begin + group.size
        records[i].alone = joined_price(columns, states, records[i].point, states, records[i].point)
        members[records[i].slot] = i
        group.size += 1
        group.weight += records[i].weight
    for c in range(groups.shape[0]):
        close_class(columns, classes, c)


@inner_kernel
def close_class(columns: Columns, classes: Classes, c: int) -> None:
    """Compute the closure and the price of a class from its records. O(records x fields).

    The class of suppressed records has no closure, and its price is given.
    """
    states, records, groups, members, closed, _ = classes
    group = groups[c]
    group.fresh = 1 if group.least == 0 else 0
    if group.least == 0:
        return
    group.price = 0.0
    if group.size == 0:
        return
    copy_state(closed, c, states, records[members[group.begin]].point)
    for i in range(group.begin + 1, group.begin + group.size):
        join_into(columns, closed, c, closed, c, states, records[members[i]].point)
    group.price = joined_price(columns, closed, c, closed, c)


@inner_kernel
def leave_each_out(columns: Columns, classes: Classes, c: int) -> None:
    """Compute, for each record of a class, the closure and the price of the others. O(records x fields)."""
    states, records, groups, members, _, without = classes
    begin, end = groups[c].begin, groups[c].begin + groups[c].size
    groups[c].fresh = 1
    if end - begin == 1:
        records[members[begin]].left = 0.0
        return
    for f in range(states.shape[1]):
        first = states[records[members[begin]].point, f]
        same = True
        for i in range(begin + 1, end):
            if states[records[members[i]].point, f] != first:
                same = False
                break
        if same:  # the common case: one value
            for i in range(begin, end):
                without[members[i], f] = first
        elif f < columns.cuts[RANGE]:
            leave_out_tree(columns, f, states, records, members, begin, end, without)
        elif f < columns.cuts[SMALL_SET]:
            leave_out_range(f, states, records, members, begin, end, without)
        else:
            leave_out_set(f, states, records, members, begin, end, without)
    for i in range(begin, end):
        records[members[i]].left = joined_price(columns, without, members[i], without, members[i])


@inner_kernel
def move_record(records: NDArray[Any], groups: NDArray[Any], members: NDArray[np.int64], i: int, target: int) -> None:
    """Move a record to another class; the caller updates the closures. O(1)."""
    record, source, group = records[i], groups[records[i].label], groups[target]
    source.size -= 1
    source.weight -= record.weight
    last = members[source.begin + source.size]
    members[record.slot] = last
    records[last].slot = record.slot
    record.slot = group.begin + group.size
    members[record.slot] = i
    record.label = target
    group.size += 1
    group.weight += record.weight


@inner_kernel
def copy_state(target: NDArray[np.int64], t: int, source: NDArray[np.int64], s: int) -> None:
    """Copy row `s` of `source` to row `t` of `target`."""
    for f in range(target.shape[1]):
        target[t, f] = source[s, f]


@inner_kernel
def total_price(groups: NDArray[Any]) -> float:
    """Return the sum of the prices of all records, times their weights. O(classes)."""
    paid = 0.0
    for c in range(groups.shape[0]):
        paid += groups[c].weight * groups[c].price
    return paid
