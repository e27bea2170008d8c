"""Propagation: how many persons of a cohort may have each value, if several releases show what they show."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.orders import first_at_least


@inner_kernel
def place_of(values: NDArray[np.int32], begin: int, end: int, value: int) -> int:
    """Return where a value stands in an ascending part of `values`; -1 if it does not. O(log n)."""
    place = first_at_least(values, begin, end, value)
    return place if place < end and values[place] == value else -1


@inner_kernel
def _root_of(parents: NDArray[np.int64], place: int) -> int:
    """Return the root of a tree, and halve the way to it. Nearly O(1) over many calls."""
    while parents[place] != place:
        parents[place] = parents[parents[place]]
        place = parents[place]
    return place


@kernel
def count_candidates(
    lists: NDArray[np.int32],
    offsets: NDArray[np.int64],
    values: NDArray[np.int32],
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    found: NDArray[np.int32],
    highs: NDArray[np.int64],
) -> NDArray[np.int64]:
    """List the values that each cohort may have: those that every one of its lists shows. O(values of the lists).

    Args:
        lists: `lists[cohort, step]`, a list of values with counts; negative if the step says nothing.
        offsets: Where each list begins.
        values: The values of the lists, ascending in each.
        counts: How often each is shown.
        sizes: The number of persons of each cohort.
        found: Filled with these values, cohort after cohort; empty to count them alone.
        highs: Filled with the most persons of the cohort who may have each.

    Returns:
        Where the values of each cohort begin.
    """
    n_cohorts, n_steps = lists.shape
    begins = np.zeros(n_cohorts + 1, dtype=np.int64)
    end, writing = 0, found.shape[0] > 0
    for c in range(n_cohorts):
        shortest = -1
        for j in range(n_steps):
            one = lists[c, j]
            if one >= 0 and (
                shortest < 0 or offsets[one + 1] - offsets[one] < offsets[shortest + 1] - offsets[shortest]
            ):
                shortest = one
        if shortest >= 0:
            for e in range(offsets[shortest], offsets[shortest + 1]):
                high = min(sizes[c], counts[e])
                for j in range(n_steps):
                    one = lists[c, j]
                    if one >= 0 and one != shortest and high > 0:
                        at = place_of(values, offsets[one], offsets[one + 1], values[e])
                        high = min(high, counts[at]) if at >= 0 else 0
                if high > 0:
                    if writing:
                        found[end] = values[e]
                        highs[end] = high
                    end += 1
        begins[c + 1] = end
    return begins


@kernel
def link_entries(
    begins: NDArray[np.int64],
    values: NDArray[np.int32],
    firsts: NDArray[np.int64],
    members: NDArray[np.int32],
    offsets: NDArray[np.int64],
    shown: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Find where the value of each pair stands in each sum that its cohort is in; -1 if nowhere.

    Args:
        begins: Where the pairs of each cohort begin.
        values: The value of each pair.
        firsts: Where the sums of each cohort begin.
        members: The sums that the cohorts are in.
        offsets: Where the values of each sum begin.
        shown: The values of the sums, ascending in each.

    Returns:
        Where the links of each cohort begin, and the links: for each pair those to all sums of its cohort.
    """
    n_cohorts = begins.shape[0] - 1
    starts = np.zeros(n_cohorts + 1, dtype=np.int64)
    for c in range(n_cohorts):
        starts[c + 1] = starts[c] + (begins[c + 1] - begins[c]) * (firsts[c + 1] - firsts[c])
    links = np.empty(starts[n_cohorts], dtype=np.int32)
    at = 0
    for c in range(n_cohorts):
        for p in range(begins[c], begins[c + 1]):
            for m in range(firsts[c], firsts[c + 1]):
                links[at] = place_of(shown, offsets[members[m]], offsets[members[m] + 1], values[p])
                at += 1
    return starts, links


@kernel
def tighten(
    groups: tuple[NDArray[np.int64], NDArray[np.int64]],
    begins: NDArray[np.int64],
    sizes: NDArray[np.int64],
    starts: NDArray[np.int64],
    links: NDArray[np.int32],
    lows: NDArray[np.int64],
    highs: NDArray[np.int64],
    least: NDArray[np.int64],
    most: NDArray[np.int64],
    clashes: NDArray[np.bool_],
    work: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Narrow the bounds of all pairs, group by group, until nothing changes or so much work is done. O(work).

    A pair has at least what the other pairs of a sum cannot supply, and at most what these leave; likewise in its
    cohort. However much is done, the bounds hold.

    Args:
        groups: The cohorts, those that share sums side by side, and where each group of them ends.
        begins: Where the pairs of each cohort begin.
        sizes: The number of persons of each cohort.
        starts: Where the links of each cohort begin.
        links: For each pair the sums that it counts in; negative if none.
        lows: The least number of each pair; narrowed in place.
        highs: The largest; narrowed in place.
        least: The least that each sum can be.
        most: The most.
        clashes: Set for each cohort with a pair whose bounds contradict each other.
        work: The most links that are followed, about.

    Returns:
        The sums of the lows and of the highs, for each sum.
    """
    order, ends = groups
    low_sums, high_sums = np.zeros(least.shape[0], dtype=np.int64), np.zeros(least.shape[0], dtype=np.int64)
    for c in range(begins.shape[0] - 1):
        at, each = starts[c], (starts[c + 1] - starts[c]) // max(begins[c + 1] - begins[c], 1)
        for p in range(begins[c], begins[c + 1]):
            for e in links[at : at + each]:
                if e >= 0:
                    low_sums[e] += lows[p]
                    high_sums[e] += highs[p]
            at += each
    again = True
    while again and work > 0:
        again = False
        first = 0
        for end in ends:
            changed, sweeps = True, 0
            while changed and work > 0:
                changed = False
                sweeps += 1
                for i in range(first, end):
                    c = order[i]
                    work -= starts[c + 1] - starts[c]
                    low_total, high_total = 0, 0
                    for p in range(begins[c], begins[c + 1]):
                        low_total += lows[p]
                        high_total += highs[p]
                    if low_total == high_total and low_total == sizes[c]:
                        continue  # all is known of it
                    at, each = starts[c], (starts[c + 1] - starts[c]) // max(begins[c + 1] - begins[c], 1)
                    for p in range(begins[c], begins[c + 1]):
                        low = max(lows[p], sizes[c] - (high_total - highs[p]))
                        high = min(highs[p], sizes[c] - (low_total - lows[p]))
                        for e in links[at : at + each]:
                            if e >= 0:
                                low = max(low, least[e] - (high_sums[e] - highs[p]))
                                high = min(high, most[e] - (low_sums[e] - lows[p]))
                        if low > high:
                            clashes[c] = True
                        elif low > lows[p] or high < highs[p]:
                            changed = True
                            low_total += low - lows[p]
                            high_total += high - highs[p]
                            for e in links[at : at + each]:
                                if e >= 0:
                                    low_sums[e] += low - lows[p]
                                    high_sums[e] += high - highs[p]
                            lows[p], highs[p] = low, high
                        at += each
            again, first = again or sweeps > 1, end
    return low_sums, high_sums


@kernel
def join_classes(offsets: NDArray[np.int64], classes: NDArray[np.int32], n_classes: int) -> NDArray[np.int32]:
    """Number the groups of classes that lists of classes hold together. O(classes of the lists).

    Args:
        offsets: Where each list begins.
        classes: The classes of the lists.
        n_classes: The number of classes.
    """
    parents = np.arange(n_classes)
    for one in range(offsets.shape[0] - 1):
        for e in range(offsets[one] + 1, offsets[one + 1]):
            first, second = _root_of(parents, classes[e - 1]), _root_of(parents, classes[e])
            parents[max(first, second)] = min(first, second)
    groups, n_groups = np.empty(n_classes, dtype=np.int32), 0
    for c in range(n_classes):  # a root is the least of its group
        if parents[c] == c:
            groups[c] = n_groups
            n_groups += 1
        else:
            groups[c] = groups[_root_of(parents, c)]
    return groups


@kernel
def twin_runs(
    order: NDArray[np.int64],
    owners: NDArray[np.int64],
    begins: NDArray[np.int64],
    keys: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return for each run the first one in `order` that has the same owner, keys and counts. O(entries).

    Args:
        order: The runs, those that may be equal side by side.
        owners: The owner of each run.
        begins: Where each run begins.
        keys: The keys of the entries.
        counts: Their counts.
    """
    twins = np.empty(order.shape[0], dtype=np.int64)
    for i in range(order.shape[0]):
        run = order[i]
        twins[run] = run
        if i > 0:
            other = twins[order[i - 1]]
            length = begins[run + 1] - begins[run]
            equal = owners[run] == owners[other] and length == begins[other + 1] - begins[other]
            e = 0
            while equal and e < length:
                equal = keys[begins[run] + e] == keys[begins[other] + e]
                equal = equal and counts[begins[run] + e] == counts[begins[other] + e]
                e += 1
            if equal:
                twins[run] = other
    return twins


@kernel
def share_out(
    begins: NDArray[np.int64],
    sizes: NDArray[np.int64],
    lows: NDArray[np.int64],
    highs: NDArray[np.int64],
    twins: NDArray[np.int64],
    n_twins: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the least and the most persons of each cohort who have any of the values that are twins of a pair's.

    O(pairs).

    Args:
        begins: Where the pairs of each cohort begin.
        sizes: The number of persons of each cohort.
        lows: The least number of each pair.
        highs: The largest.
        twins: The group of each pair; negative if nobody can have the value.
        n_twins: The number of groups.
    """
    low_sums, high_sums = np.zeros(n_twins, dtype=np.int64), np.zeros(n_twins, dtype=np.int64)
    least, most = np.zeros(lows.shape[0], dtype=np.int64), np.zeros(lows.shape[0], dtype=np.int64)
    for c in range(begins.shape[0] - 1):
        low_total, high_total = 0, 0
        for p in range(begins[c], begins[c + 1]):
            if twins[p] >= 0:
                low_sums[twins[p]] += lows[p]
                high_sums[twins[p]] += highs[p]
                low_total += lows[p]
                high_total += highs[p]
        for p in range(begins[c], begins[c + 1]):
            if twins[p] >= 0:
                t = twins[p]
                least[p] = max(low_sums[t], sizes[c] - (high_total - high_sums[t]))
                most[p] = min(high_sums[t], sizes[c] - (low_total - low_sums[t]))
        for p in range(begins[c], begins[c + 1]):
            if twins[p] >= 0:
                low_sums[twins[p]] = 0
                high_sums[twins[p]] = 0
    return least, most
