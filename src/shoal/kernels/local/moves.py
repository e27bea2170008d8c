"""Moves of single records between classes: tried, and kept if they lower the loss or chance allows it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel
from shoal.kernels.local.classes import Classes, copy_state, leave_each_out, move
from shoal.kernels.local.states import Columns, join_into, joined_price
from shoal.kernels.sufficient_tests import SufficientTests, passes


class MoveContext(NamedTuple):
    """Where a search looks, and what it must keep.

    Args:
        near: `near[point]`, points near it, the nearest first.
        firsts: Where the records of each point begin.
        region: The region of each record; a search touches only records of its own.
        random: `random[region, 0]`, the state of its random numbers; wide rows, so that the cores do not meet.
        opening: The number of records that a class is opened with.
        suppressed: The class of the suppressed records of the first region, those of the others follow; or -1.
    """

    near: NDArray[np.int32]
    firsts: NDArray[np.int64]
    region: NDArray[np.int8]
    random: NDArray[np.uint64]
    opening: int
    suppressed: int


@inner_kernel
def draw(random: NDArray[np.uint64], region: int) -> float:
    """Return the next of a region's random numbers between 0 and 1 (xorshift)."""
    bits = random[region, 0]
    bits ^= bits << np.uint64(13)
    bits ^= bits >> np.uint64(7)
    bits ^= bits << np.uint64(17)
    random[region, 0] = bits
    return np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@inner_kernel
def accepted(change: float, temperature: float, random: NDArray[np.uint64], region: int) -> bool:
    """Decide on a change of the loss: a gain always, a loss the less likely the larger it is for the temperature."""
    return change <= 0 or draw(random, region) < np.exp(-change / temperature)


@inner_kernel
def near_record(setting: MoveContext, point: int, region: int) -> int:
    """Return a record of a point or of one near it, nearer ones more often."""
    near, firsts, _, random, _, _ = setting
    share = draw(random, region)
    place = int(share * share * (near.shape[1] + 1)) - 1
    chosen = point if place < 0 else int(near[point, place])
    count = firsts[chosen + 1] - firsts[chosen]
    return firsts[chosen] if count == 1 else firsts[chosen] + int(draw(random, region) * count)


@inner_kernel
def keeps(sufficient_tests: SufficientTests, classes: Classes, c: int, region: int) -> bool:
    """Tell whether a class passes all tests; nothing is asked of suppressed records."""
    _, records, groups, members, _, _ = classes
    begin, end = groups[c].begin, groups[c].begin + groups[c].size
    return groups[c].least == 0 or passes(sufficient_tests, records, members, begin, end, region)


@inner_kernel
def price_with(columns: Columns, classes: Classes, c: int, before: NDArray[np.int64], b: int, i: int) -> float:
    """Return the price of a class that was row `b` of `before`, with a record more."""
    if classes.groups[c].least == 0:
        return classes.groups[c].price
    return joined_price(columns, before, b, classes.states, classes.records[i].point)


@inner_kernel
def leaving(records: NDArray[Any], groups: NDArray[Any], i: int) -> float:
    """Return how the loss changes in the class that a record leaves; what is left of it must be fresh."""
    group = groups[records[i].label]
    if group.least == 0:
        return -group.price
    return (group.size - 1) * records[i].left - group.size * group.price


@inner_kernel
def close_without(classes: Classes, c: int, i: int) -> None:
    """Close the class that a record has left, by what was worked out before."""
    _, records, groups, _, closed, without = classes
    if groups[c].least == 0:
        return
    copy_state(closed, c, without, i)
    groups[c].price = records[i].left
    groups[c].fresh = 0


@inner_kernel
def close_joined(columns: Columns, classes: Classes, c: int, before: NDArray[np.int64], b: int, i: int) -> None:
    """Close a class that was row `b` of `before`, and which a record has joined."""
    states, records, groups, _, closed, _ = classes
    if groups[c].least == 0:
        return
    join_into(columns, closed, c, before, b, states, records[i].point)
    groups[c].price = joined_price(columns, closed, c, closed, c)
    groups[c].fresh = 0


@inner_kernel
def relocate(
    columns: Columns,
    classes: Classes,
    setting: MoveContext,
    sufficient_tests: SufficientTests,
    i: int,
    target: int,
    temperature: float,
    region: int,
) -> float:
    """Try to move a record to another class; return the change of the loss that was made."""
    _, records, groups, members, closed, _ = classes
    source, size = records[i].label, groups[target].size
    price = price_with(columns, classes, target, closed, target, i)
    change = leaving(records, groups, i) + (size + 1) * price - size * groups[target].price
    if not accepted(change, temperature, setting.random, region):
        return 0.0
    move(records, groups, members, i, target)
    if sufficient_tests.tests.shape[0] > 0 and not (
        keeps(sufficient_tests, classes, source, region) and keeps(sufficient_tests, classes, target, region)
    ):
        move(records, groups, members, i, source)
        return 0.0
    close_without(classes, source, i)
    close_joined(columns, classes, target, closed, target, i)
    return change


@inner_kernel
def chain(
    columns: Columns,
    classes: Classes,
    setting: MoveContext,
    sufficient_tests: SufficientTests,
    i: int,
    target: int,
    temperature: float,
    region: int,
) -> float:
    """Try to move a record to another class while one from a third, which can spare it, takes its place.

    The third may be the target where that holds what is suppressed.
    """
    _, records, groups, members, closed, without = classes
    source = records[i].label
    fellow = members[groups[source].begin + int(draw(setting.random, region) * groups[source].size)]
    filler = near_record(setting, records[fellow].point, region)
    if fellow == i or setting.region[filler] != region:
        return 0.0
    third = records[filler].label
    if third == source or groups[third].size <= groups[third].least:
        return 0.0
    if third == target:
        if groups[third].least > 0:
            return 0.0
    elif groups[target].size >= groups[target].room:
        return 0.0
    if groups[third].fresh == 0:
        leave_each_out(columns, classes, third)
    price = price_with(columns, classes, source, without, i, filler)
    change = groups[source].size * (price - groups[source].price) + leaving(records, groups, filler)
    size, price = groups[target].size, price_with(columns, classes, target, closed, target, i)
    change += (size + 1) * price - size * groups[target].price
    if not accepted(change, temperature, setting.random, region):
        return 0.0
    move(records, groups, members, i, target)
    move(records, groups, members, filler, source)
    if sufficient_tests.tests.shape[0] > 0 and not (
        keeps(sufficient_tests, classes, source, region)
        and keeps(sufficient_tests, classes, target, region)
        and keeps(sufficient_tests, classes, third, region)
    ):
        move(records, groups, members, filler, third)
        move(records, groups, members, i, source)
        return 0.0
    close_without(classes, third, filler)
    close_joined(columns, classes, source, without, i, filler)
    close_joined(columns, classes, target, closed, target, i)
    return change


@inner_kernel
def swap(
    columns: Columns,
    classes: Classes,
    setting: MoveContext,
    sufficient_tests: SufficientTests,
    i: int,
    target: int,
    temperature: float,
    region: int,
) -> float:
    """Try to swap a record, perhaps a suppressed one, with the best one of a class.

    Without its record a class pays least, so that what both pay then bounds the change from below: most pairs are
    dropped by that alone, or after one of the two joins.
    """
    _, records, groups, members, _, without = classes
    source = records[i].label
    here, there = groups[source], groups[target]
    if there.size == 1 or (here.size == 1 and here.least > 0):  # without its record there is no closure
        return 0.0
    if there.fresh == 0:
        leave_each_out(columns, classes, target)
    spared = here.size * (records[i].left - here.price) if here.least > 0 else 0.0
    best, chosen = 12.0 * temperature, -1  # beyond which chance says no
    for place in range(there.begin, there.begin + there.size):
        other = members[place]
        if spared + there.size * (records[other].left - there.price) >= best:
            continue
        change = there.size * (price_with(columns, classes, target, without, other, i) - there.price)
        if change + spared >= best:
            continue
        change += here.size * (price_with(columns, classes, source, without, i, other) - here.price)
        if change < best:
            best, chosen = change, other
    if chosen < 0 or not accepted(best, temperature, setting.random, region):
        return 0.0
    exchange(records, members, i, chosen)
    if sufficient_tests.tests.shape[0] > 0 and not (
        keeps(sufficient_tests, classes, source, region) and keeps(sufficient_tests, classes, target, region)
    ):
        exchange(records, members, i, chosen)
        return 0.0
    close_joined(columns, classes, source, without, i, chosen)
    close_joined(columns, classes, target, without, chosen, i)
    return best


@inner_kernel
def exchange(records: NDArray[Any], members: NDArray[np.int64], i: int, k: int) -> None:
    """Let two records change places; the closures are the caller's business."""
    one, other = records[i], records[k]
    members[one.slot], members[other.slot] = k, i
    label, slot = one.label, one.slot
    one.label, one.slot = other.label, other.slot
    other.label, other.slot = label, slot
