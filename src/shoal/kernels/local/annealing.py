"""Simulated annealing of a partition: records move between classes, and classes are opened, dissolved and rebuilt."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel
from shoal.kernels.local.classes import Classes, close_class, copy_state, leave_each_out, move_record
from shoal.kernels.local.moves import (
    MoveContext,
    accepted,
    chain_records,
    class_passes,
    close_joined,
    close_without,
    draw,
    draw_near_record,
    leaving_change,
    may_grow,
    passes_with,
    price_with,
    relocate_record,
    swap_record,
)
from shoal.kernels.local.states import Columns, joined_price
from shoal.kernels.sufficient_tests import SufficientTests

Count = int | np.int64

MOST_REBUILT = 4  # the largest number of classes that one move rebuilds
_NEVER = 1e300  # the change of loss of a move that is impossible
_CLASS_MOVES = 0.2  # the share of moves that change whole classes; of these
_OPEN = 0.15  # below this, a class is opened
_CLOSE = 0.3  # below this, one is dissolved; above, some are rebuilt
_RELOCATE = 0.7  # the share of moves to another class, where the record's class can spare one
_CHAIN = 0.3  # else the share of chains; the others are swaps
_SUPPRESS = 0.1  # the share of moves that suppress a record


class AnnealingWorkspace(NamedTuple):
    """Arrays that the search in one region overwrites.

    Moves that change whole classes log each record they move (`moved`), so that a rejected move can be undone.

    Args:
        moved: `moved[n]`, the n-th record that was moved, and the class that it came from.
        found: Records that a new class may take.
        prices: For each of these, the price of the new class with it when that was last computed.
        seen: The time at which each class was last visited; the last entry is the current time.
        free: A stack of empty classes; the last entry is their number.
        slots: The classes that are being rebuilt.
    """

    moved: NDArray[np.int64]
    found: NDArray[np.int64]
    prices: NDArray[np.float64]
    seen: NDArray[np.int64]
    free: NDArray[np.int64]
    slots: NDArray[np.int64]


@inner_kernel
def anneal_classes(
    columns: Columns,
    classes: Classes,
    setting: MoveContext,
    sufficient_tests: SufficientTests,
    workspace: AnnealingWorkspace,
    inside: NDArray[np.int64],
    tries: int,
    temperature: float,
    region: int,
) -> float:
    """Try moves of the records of one region at one temperature; return the change of the loss.

    A move changes a single record (relocate, swap, chain, suppress) or whole classes; `accepted` decides on it.
    """
    _, records, groups, _, _, _ = classes
    _, _, regions, random, _, suppressed = setting
    change = 0.0
    for _ in range(tries):
        i = inside[int(draw(random, region) * inside.shape[0])]
        source = records[i].label
        group = groups[source]
        settled = group.price <= records[i].alone
        if settled and group.size <= group.least:
            continue
        kind = draw(random, region) / _CLASS_MOVES
        if kind < 1:
            if not settled:
                change += _class_move(
                    columns, classes, setting, sufficient_tests, workspace, i, kind, temperature, region
                )
            continue
        if suppressed >= 0 and draw(random, region) < _SUPPRESS:
            target = suppressed + region
        else:
            other = draw_near_record(setting, records[i].point, region)
            target = records[other].label if regions[other] == region else source
        if target == source:
            continue
        if group.fresh == 0:
            leave_each_out(columns, classes, source)
        kind = draw(random, region)
        roomy = groups[target].size < groups[target].capacity
        leaves = groups[target].least == 0
        if roomy and group.size > group.least and (leaves or kind < _RELOCATE):
            change += relocate_record(columns, classes, setting, sufficient_tests, i, target, temperature, region)
        elif kind >= _CHAIN and not leaves:
            change += swap_record(columns, classes, setting, sufficient_tests, i, target, temperature, region)
        elif group.least > 0 and records[i].left < group.price:
            change += chain_records(columns, classes, setting, sufficient_tests, i, target, temperature, region)
    return change


@inner_kernel
def _class_move(
    columns: Columns,
    classes: Classes,
    setting: MoveContext,
    tests: SufficientTests,
    workspace: AnnealingWorkspace,
    i: int,
    kind: float,
    temperature: float,
    region: int,
) -> float:
    """Open a class near a record, dissolve its class, or rebuild some classes; return the change made.

    To rebuild is to dissolve the class and some near it, and then to open others.
    """
    source = classes.records[i].label
    size, least = classes.groups[source].size, classes.groups[source].least
    free, last = workspace.free, workspace.free.shape[0] - 1
    none = np.int64(0)  # a literal 0 is a type of its own, for which the callees would be compiled once more
    n_slots = 0
    if kind < _OPEN:
        if free[last] == 0 or size <= least:
            return 0.0
        change, end = open_class(columns, classes, setting, tests, workspace, i, free[free[last] - 1], none, region)
    else:
        if size >= 2 * setting.opening or least == 0:
            return 0.0
        change, n_slots, end = _dissolve_some(
            columns, classes, setting, tests, workspace, source, kind >= _CLOSE, region
        )
        if kind >= _CLOSE and change < _NEVER:
            change, n_slots, end = _reopen(columns, classes, setting, tests, workspace, change, n_slots, end, region)
    if (
        change >= _NEVER
        or not accepted(change, temperature, setting.random, region)
        or not _kept(tests, classes, workspace, end, region)
    ):
        undo(columns, classes, workspace, none, end)
        return 0.0
    if kind < _OPEN:
        free[last] -= 1
    for slot in range(n_slots):
        free[free[last]] = workspace.slots[slot]
        free[last] += 1
    return change


@inner_kernel
def _dissolve_some(
    columns: Columns,
    classes: Classes,
    setting: MoveContext,
    tests: SufficientTests,
    workspace: AnnealingWorkspace,
    source: int,
    several: bool,
    region: int,
) -> tuple[float, int, Count]:
    """Dissolve a class, and if `several` some near it; return the change, their number and the end of the log."""
    _, records, groups, _, _, _ = classes
    random = setting.random
    wanted = 1
    while several and wanted < MOST_REBUILT and draw(random, region) < 0.5:
        wanted += 1
    change, end = dissolve(columns, classes, setting, tests, workspace, source, np.int64(0), region)
    workspace.slots[0] = source
    n_slots = 1
    tries = 0
    while change < _NEVER and n_slots < wanted and tries < 2 * wanted:
        tries += 1
        i = workspace.moved[int(draw(random, region) * end), 0]
        if draw(random, region) < 0.5:
            i = draw_near_record(setting, records[i].point, region)
        if setting.region[i] != region:
            continue
        group = groups[records[i].label]
        if group.size >= 2 * setting.opening or group.price <= records[i].alone or group.least == 0:
            continue
        workspace.slots[n_slots] = records[i].label
        more, end = dissolve(columns, classes, setting, tests, workspace, workspace.slots[n_slots], end, region)
        change += more
        n_slots += 1
    return change, n_slots, end


@inner_kernel
def _reopen(
    columns: Columns,
    classes: Classes,
    setting: MoveContext,
    tests: SufficientTests,
    workspace: AnnealingWorkspace,
    change: float,
    n_slots: int,
    end: Count,
    region: int,
) -> tuple[float, int, Count]:
    """Open classes around records that were just moved, each only if it lowers the loss.

    Returns the change of the loss so far, the number of classes that are still empty, and the end of the log.
    """
    n_moved = end
    for _ in range(n_slots + 1):
        if n_slots == 0:
            break
        seed = workspace.moved[int(draw(setting.random, region) * n_moved), 0]
        group = classes.groups[classes.records[seed].label]
        if group.size <= group.least:
            continue
        more, last = open_class(
            columns, classes, setting, tests, workspace, seed, workspace.slots[n_slots - 1], end, region
        )
        if more < 0:
            change, n_slots, end = change + more, n_slots - 1, last
        else:
            undo(columns, classes, workspace, end, last)
    return change, n_slots, end


@inner_kernel
def dissolve(
    columns: Columns,
    classes: Classes,
    setting: MoveContext,
    tests: SufficientTests,
    workspace: AnnealingWorkspace,
    source: int,
    end: Count,
    region: int,
) -> tuple[float, Count]:
    """Move every record of a class to the near class where it costs least; return the change and the end of the log.

    Records are suppressed where that costs less. The change is `_NEVER` if a record fits nowhere.
    """
    _, records, groups, members, closed, _ = classes
    near, firsts, regions, _, _, suppressed = setting
    moved, seen = workspace.moved, workspace.seen
    time = seen.shape[0] - 1
    change = -groups[source].weight * groups[source].price
    while groups[source].size > 0:
        i = members[groups[source].begin + groups[source].size - 1]
        own = records[i].point
        seen[time] += 1
        best, target = _NEVER, -1
        if suppressed >= 0 and groups[suppressed + region].size < groups[suppressed + region].capacity:
            best, target = records[i].weight * groups[suppressed + region].price, suppressed + region
        for rank in range(-1, near.shape[1]):
            point = own if rank < 0 else int(near[own, rank])
            for other in range(firsts[point], min(firsts[point + 1], firsts[point] + 4)):
                c = records[other].label if regions[other] == region else source
                if c == source or seen[c] == seen[time] or groups[c].size >= groups[c].capacity:
                    continue
                seen[c] = seen[time]
                weight, now = groups[c].weight, groups[c].price
                if records[i].weight * now >= best:  # a further record costs at least the present price
                    continue
                price = price_with(columns, classes, c, closed, c, i)
                more = (weight + records[i].weight) * price - weight * now
                if more < best and passes_with(tests, classes, c, i, region):
                    best, target = more, c
        if target < 0:
            return _NEVER, end
        change += best
        moved[end, 0], moved[end, 1] = i, source
        end += 1
        move_record(records, groups, members, i, target)
        close_joined(columns, classes, target, closed, target, i)
    groups[source].price = 0.0
    groups[source].fresh = 0
    return change, end


@inner_kernel
def open_class(
    columns: Columns,
    classes: Classes,
    setting: MoveContext,
    tests: SufficientTests,
    workspace: AnnealingWorkspace,
    seed: int,
    target: int,
    end: Count,
    region: int,
) -> tuple[float, Count]:
    """Fill an empty class with records near a seed that their classes can spare.

    Returns the change of the loss and the end of the log. Each time the record that lowers the loss most is taken, of
    those with which the class may pass. Its price never falls: what was computed last is a lower bound.
    """
    states, records, groups, members, closed, _ = classes
    opening, found, prices = setting.opening, workspace.found, workspace.prices
    n_found = _spare(classes, setting, found, seed, region)
    if n_found < opening:
        return _NEVER, end
    copy_state(closed, target, states, records[seed].point)
    prices[:n_found] = -_NEVER
    change = 0.0
    i = seed
    while True:
        source = records[i].label
        if groups[source].fresh == 0:
            leave_each_out(columns, classes, source)
        change += leaving_change(records, groups, i)
        workspace.moved[end, 0], workspace.moved[end, 1] = i, source
        end += 1
        move_record(records, groups, members, i, target)
        close_without(classes, source, i)
        close_joined(columns, classes, target, closed, target, i)
        if groups[target].size == opening:
            return change + groups[target].weight * groups[target].price, end
        best, i = _NEVER, -1
        mean = groups[target].weight / groups[target].size  # as if those that are to come weighed as much
        room, now = opening * mean, groups[target].price
        candidate = 0
        while candidate < n_found:
            other = found[candidate]
            c = records[other].label
            if c == target or groups[c].size <= groups[c].least:
                n_found -= 1
                found[candidate], prices[candidate] = found[n_found], prices[n_found]
                continue
            if groups[c].fresh == 0:
                leave_each_out(columns, classes, c)
            left = leaving_change(records, groups, other) + (records[other].weight - mean) * now
            if room * max(prices[candidate] - now, 0.0) + left < best:
                prices[candidate] = joined_price(columns, closed, target, states, records[other].point)
                more = room * (prices[candidate] - now) + left
                if more < best and may_grow(tests, classes, target, other, opening, region):
                    best, i = more, other
            candidate += 1
        if i < 0:
            return _NEVER, end


@inner_kernel
def _spare(classes: Classes, setting: MoveContext, found: NDArray[np.int64], seed: int, region: int) -> int:
    """List the records near a seed that their classes can spare; return how many."""
    _, records, groups, _, _, _ = classes
    near, firsts, regions, _, opening, _ = setting
    own = records[seed].point
    n_found = 0
    for rank in range(-1, near.shape[1]):
        point = own if rank < 0 else near[own, rank]
        for other in range(firsts[point], min(firsts[point + 1], firsts[point] + 2 * opening)):
            if n_found == found.shape[0]:
                return n_found
            group = groups[records[other].label]
            if regions[other] == region and group.size > group.least:
                found[n_found] = other
                n_found += 1
    return n_found


@inner_kernel
def undo(columns: Columns, classes: Classes, workspace: AnnealingWorkspace, begin: Count, end: Count) -> None:
    """Take back the logged moves `begin` to `end`, and recompute the classes that they touched."""
    _, records, groups, members, _, _ = classes
    moved = workspace.moved
    for note in range(end - 1, begin - 1, -1):
        i, before = moved[note, 0], moved[note, 1]
        now = records[i].label
        move_record(records, groups, members, i, before)
        groups[now].fresh, groups[before].fresh = 2, 2
        moved[note, 0] = now
    for note in range(begin, end):
        for side in range(2):
            if groups[moved[note, side]].fresh == 2:
                close_class(columns, classes, moved[note, side])


@inner_kernel
def _kept(
    sufficient_tests: SufficientTests, classes: Classes, workspace: AnnealingWorkspace, end: Count, region: int
) -> bool:
    """Return whether all classes that the logged moves touched pass all tests."""
    for note in range(end if sufficient_tests.tests.shape[0] > 0 else 0):
        now, before = classes.records[workspace.moved[note, 0]].label, workspace.moved[note, 1]
        if not class_passes(sufficient_tests, classes, now, region):
            return False
        if classes.groups[before].size > 0 and not class_passes(sufficient_tests, classes, before, region):
            return False
    return True
