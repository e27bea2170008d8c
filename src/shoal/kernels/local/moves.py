"""Moves of single records between classes: each is tried, and accepted or rejected as simulated annealing does."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel
from shoal.kernels.local.classes import Classes, copy_state, leave_each_out, move_record
from shoal.kernels.local.states import Columns, join_into, joined_price
from shoal.kernels.sufficient_tests import DISTINCT, SHARES, SufficientTests, passes_tests


class MoveContext(NamedTuple):
    """What a search in one region needs to know besides the classes.

    Args:
        near: `near[point]`, its nearest neighbours, the nearest first.
        firsts: The index of the first record of each point.
        region: The region of each record; a search touches only the records of its own region.
        random: `random[region, 0]`, the state of its random number generator; rows are wide to avoid false sharing.
        opening: The number of records of a class that is opened.
        suppressed: The class of suppressed records of region 0, or -1; those of the other regions follow it.
    """

    near: NDArray[np.int32]
    firsts: NDArray[np.int64]
    region: NDArray[np.int8]
    random: NDArray[np.uint64]
    opening: int
    suppressed: int


@inner_kernel
def draw(random: NDArray[np.uint64], region: int) -> float:
    """Return the next random number of a region, uniform in [0, 1) (xorshift)."""
    bits = random[region, 0]
    bits ^= bits << np.uint64(13)
    bits ^= bits >> np.uint64(7)
    bits ^= bits << np.uint64(17)
    random[region, 0] = bits
    return np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@inner_kernel
def accepted(change: float, temperature: float, random: NDArray[np.uint64], region: int) -> bool:
    """Decide on a change of the loss: always if it is no increase, else with probability exp(-change / temperature)."""
    return change <= 0 or draw(random, region) < np.exp(-change / temperature)


@inner_kernel
def draw_near_record(setting: MoveContext, point: int, region: int) -> int:
    """Return a random record of a point or of one of its nearest neighbours.

    The rank of the point is m u^2 with u uniform in [0, 1], so that nearer points are drawn more often.
    """
    near, firsts, _, random, _, _ = setting
    share = draw(random, region)
    rank = int(share * share * (near.shape[1] + 1)) - 1
    chosen = point if rank < 0 else int(near[point, rank])
    count = firsts[chosen + 1] - firsts[chosen]
    return firsts[chosen] if count == 1 else firsts[chosen] + int(draw(random, region) * count)


@inner_kernel
def class_passes(sufficient_tests: SufficientTests, classes: Classes, c: int, region: int) -> bool:
    """Return whether a class passes all tests; suppressed records need not."""
    _, records, groups, members, _, _ = classes
    begin, end = groups[c].begin, groups[c].begin + groups[c].size
    return groups[c].least == 0 or passes_tests(sufficient_tests, records, members, begin, end, region)


@inner_kernel
def passes_with(sufficient_tests: SufficientTests, classes: Classes, c: int, i: int, region: int) -> bool:
    """Return whether a class with room for one more passes all tests with record `i`; suppressed records need not."""
    _, records, groups, members, _, _ = classes
    begin, end = groups[c].begin, groups[c].begin + groups[c].size
    if groups[c].least == 0 or sufficient_tests.tests.shape[0] == 0:
        return True
    members[end] = i
    return passes_tests(sufficient_tests, records, members, begin, end + 1, region)


@inner_kernel
def pass_exchanged(sufficient_tests: SufficientTests, classes: Classes, i: int, k: int, region: int) -> bool:
    """Return whether the classes of two records pass all tests once these are exchanged."""
    _, records, _, members, _, _ = classes
    if sufficient_tests.tests.shape[0] == 0 or records[i].profile == records[k].profile:
        return True
    members[records[i].slot], members[records[k].slot] = k, i
    passed = class_passes(sufficient_tests, classes, records[i].label, region) and class_passes(
        sufficient_tests, classes, records[k].label, region
    )
    members[records[i].slot], members[records[k].slot] = i, k
    return passed


@inner_kernel
def may_grow(sufficient_tests: SufficientTests, classes: Classes, c: int, i: int, size: int, region: int) -> bool:
    """Return whether a class with record `i` may still pass all tests when it has `size` records.

    With its last record it must pass. Before that, no value may have more records than its cap, and no more records may
    repeat a value than a number of distinct values leaves room for; other tests are not looked at.
    """
    _, records, groups, members, _, _ = classes
    tests, values, codes, _, _ = sufficient_tests
    begin, end = groups[c].begin, groups[c].begin + groups[c].size
    if end - begin + 1 == size:
        return passes_with(sufficient_tests, classes, c, i, region)
    for t in range(tests.shape[0]):
        test = tests[t]
        if test.kind != SHARES and test.kind != DISTINCT:
            continue
        own, count, repeated = codes[records[i].profile, test.column], 1, 0
        for at in range(begin, end):
            value = codes[records[members[at]].profile, test.column]
            count += value == own
            for before in range(begin, at):
                if codes[records[members[before]].profile, test.column] == value:
                    repeated += 1
                    break
        if test.kind == SHARES and count * test.scale > values[test.start + own].cap * size:
            return False
        if test.kind == DISTINCT and repeated + (count > 1) > size - test.least:
            return False
    return True


@inner_kernel
def price_with(columns: Columns, classes: Classes, c: int, before: NDArray[np.int64], b: int, i: int) -> float:
    """Return the price of class `c` with record `i`, if its closure without it is row `b` of `before`."""
    if classes.groups[c].least == 0:
        return classes.groups[c].price
    return joined_price(columns, before, b, classes.states, classes.records[i].point)


@inner_kernel
def leaving_change(records: NDArray[Any], groups: NDArray[Any], i: int) -> float:
    """Return the change of the loss in the class that a record leaves; the class must be `fresh`."""
    group, weight = groups[records[i].label], records[i].weight
    if group.least == 0:
        return -weight * group.price
    return (group.weight - weight) * records[i].left - group.weight * group.price


@inner_kernel
def close_without(classes: Classes, c: int, i: int) -> None:
    """Update the closure and the price of a class that a record has left; computed before, so O(fields)."""
    _, records, groups, _, closed, without = classes
    if groups[c].least == 0:
        return
    copy_state(closed, c, without, i)
    groups[c].price = records[i].left
    groups[c].fresh = 0


@inner_kernel
def close_joined(columns: Columns, classes: Classes, c: int, before: NDArray[np.int64], b: int, i: int) -> None:
    """Update the closure and the price of class `c`, which was row `b` of `before`, after record `i` joined it."""
    states, records, groups, _, closed, _ = classes
    if groups[c].least == 0:
        return
    join_into(columns, closed, c, before, b, states, records[i].point)
    groups[c].price = joined_price(columns, closed, c, closed, c)
    groups[c].fresh = 0


@inner_kernel
def relocate_record(
    columns: Columns,
    classes: Classes,
    setting: MoveContext,
    sufficient_tests: SufficientTests,
    i: int,
    target: int,
    temperature: float,
    region: int,
) -> float:
    """Try to move a record to another class; return the change made."""
    _, records, groups, members, closed, _ = classes
    source, weight = records[i].label, groups[target].weight
    price = price_with(columns, classes, target, closed, target, i)
    change = leaving_change(records, groups, i) + (weight + records[i].weight) * price - weight * groups[target].price
    if not accepted(change, temperature, setting.random, region):
        return 0.0
    move_record(records, groups, members, i, target)
    if sufficient_tests.tests.shape[0] > 0 and not (
        class_passes(sufficient_tests, classes, source, region)
        and class_passes(sufficient_tests, classes, target, region)
    ):
        move_record(records, groups, members, i, source)
        return 0.0
    close_without(classes, source, i)
    close_joined(columns, classes, target, closed, target, i)
    return change


@inner_kernel
def chain_records(
    columns: Columns,
    classes: Classes,
    setting: MoveContext,
    sufficient_tests: SufficientTests,
    i: int,
    target: int,
    temperature: float,
    region: int,
) -> float:
    """Try to move a record to another class while a record of a third class takes its place; return the change made.

    The third class must be able to spare a record. It may be the target if the target holds suppressed records.
    """
    _, records, groups, members, closed, without = classes
    source = records[i].label
    fellow = members[groups[source].begin + int(draw(setting.random, region) * groups[source].size)]
    filler = draw_near_record(setting, records[fellow].point, region)
    if fellow == i or setting.region[filler] != region:
        return 0.0
    third = records[filler].label
    if third == source or groups[third].size <= groups[third].least:
        return 0.0
    if third == target:
        if groups[third].least > 0:
            return 0.0
    elif groups[target].size >= groups[target].capacity:
        return 0.0
    if groups[third].fresh == 0:
        leave_each_out(columns, classes, third)
    price = price_with(columns, classes, source, without, i, filler)
    more = (records[filler].weight - records[i].weight) * price
    change = groups[source].weight * (price - groups[source].price) + more + leaving_change(records, groups, filler)
    weight, price = groups[target].weight, price_with(columns, classes, target, closed, target, i)
    change += (weight + records[i].weight) * price - weight * groups[target].price
    if not accepted(change, temperature, setting.random, region):
        return 0.0
    move_record(records, groups, members, i, target)
    move_record(records, groups, members, filler, source)
    if sufficient_tests.tests.shape[0] > 0 and not (
        class_passes(sufficient_tests, classes, source, region)
        and class_passes(sufficient_tests, classes, target, region)
        and class_passes(sufficient_tests, classes, third, region)
    ):
        move_record(records, groups, members, filler, third)
        move_record(records, groups, members, i, source)
        return 0.0
    close_without(classes, third, filler)
    close_joined(columns, classes, source, without, i, filler)
    close_joined(columns, classes, target, closed, target, i)
    return change


@inner_kernel
def swap_record(
    columns: Columns,
    classes: Classes,
    setting: MoveContext,
    sufficient_tests: SufficientTests,
    i: int,
    target: int,
    temperature: float,
    region: int,
) -> float:
    """Try to swap a record, perhaps a suppressed one, with the best record of another class; return the change made.

    A class without one of its records costs no more than with any other in its place. So the change of removing both
    records is a lower bound on the change of the swap: most pairs are rejected by it, or after one of the two joins.
    """
    _, records, groups, members, _, without = classes
    source = records[i].label
    here, there = groups[source], groups[target]
    if there.size == 1 or (here.size == 1 and here.least > 0):  # without its only record a class has no closure
        return 0.0
    if there.fresh == 0:
        leave_each_out(columns, classes, target)
    own = records[i].left if here.least > 0 else here.price
    best, chosen = 12.0 * temperature, -1  # a larger change is accepted with probability below exp(-12)
    for slot in range(there.begin, there.begin + there.size):
        other = members[slot]
        more = records[i].weight - records[other].weight  # what the target gains in weight, and the source loses
        left = records[other].left
        spared = here.weight * (own - here.price) - more * own
        if spared + (there.weight * (left - there.price) + more * left) >= best:
            continue
        price = price_with(columns, classes, target, without, other, i)
        change = there.weight * (price - there.price) + more * price
        if change + spared >= best:
            continue
        price = price_with(columns, classes, source, without, i, other)
        change += here.weight * (price - here.price) - more * price
        if change < best and pass_exchanged(sufficient_tests, classes, i, other, region):
            best, chosen = change, other
    if chosen < 0 or not accepted(best, temperature, setting.random, region):
        return 0.0
    exchange_records(records, groups, members, i, chosen)
    close_joined(columns, classes, source, without, i, chosen)
    close_joined(columns, classes, target, without, chosen, i)
    return best


@inner_kernel
def exchange_records(records: NDArray[Any], groups: NDArray[Any], members: NDArray[np.int64], i: int, k: int) -> None:
    """Exchange the classes of two records; the caller updates the closures."""
    one, other = records[i], records[k]
    more = other.weight - one.weight
    groups[one.label].weight += more
    groups[other.label].weight -= more
    members[one.slot], members[other.slot] = k, i
    label, slot = one.label, one.slot
    one.label, one.slot = other.label, other.slot
    other.label, other.slot = label, slot
