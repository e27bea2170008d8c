"""Simulated annealing of clusters: records move between clusters or are swapped, and some clusters are formed anew."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel
from shoal.kernels.clusters.centres import ClusterPricing, copy_column
from shoal.kernels.clusters.clustering_state import (
    ClusteringState,
    ClusterWorkspace,
    changed_cost,
    drafted_cost,
    draw_near_member,
    far_apart,
    list_changed,
    move_member,
    shift_sums,
)
from shoal.kernels.local.moves import accepted, draw
from shoal.kernels.sufficient_tests import SufficientTests, passes_tests

MOST_REFORMED = 4  # the largest number of clusters that one move forms anew


@inner_kernel
def anneal_clusters(
    pricing: ClusterPricing,
    state: ClusteringState,
    sufficient_tests: SufficientTests,
    workspace: ClusterWorkspace,
    inside: NDArray[np.int64],
    tries: int,
    temperature: float,
    region: int,
    share: float,
) -> float:
    """Try moves of the records of one region at one temperature; return the change of the cost.

    Args:
        pricing: What clusters cost.
        state: The clusters.
        sufficient_tests: Tests that imply the promises.
        workspace: Workspace of the region.
        inside: The records of the region.
        tries: How many moves to try.
        temperature: A move that raises the cost by c is accepted with probability exp(-c / temperature).
        region: The number of the region.
        share: The share of moves that form clusters anew.
    """
    records, groups = state.records, state.groups
    random = workspace.random
    change = 0.0
    for _ in range(tries):
        i = inside[int(draw(random, 0) * inside.shape[0])]
        if draw(random, 0) < share:
            change += _regroup(pricing, state, sufficient_tests, workspace, i, temperature, region)
            continue
        j = draw_near_member(state, random, records[i].point)
        source, target = records[i].label, records[j].label
        if source == target or records[j].region != region:
            continue
        roomy = groups[source].size > state.least and groups[target].size < groups[target].capacity
        if roomy and draw(random, 0) < 0.5:
            change += _exchange(pricing, state, sufficient_tests, workspace, i, -1, target, temperature, region)
        else:
            begin = groups[target].begin
            other = state.members[begin + int(draw(random, 0) * groups[target].size)]
            change += _exchange(pricing, state, sufficient_tests, workspace, i, other, target, temperature, region)
    return change


@inner_kernel
def _exchange(
    pricing: ClusterPricing,
    state: ClusteringState,
    sufficient_tests: SufficientTests,
    workspace: ClusterWorkspace,
    i: int,
    other: int,
    target: int,
    temperature: float,
    region: int,
) -> float:
    """Try to move a record to another cluster; return the change made.

    If `other` is not -1, that record of the target takes its place: a swap.
    """
    records, groups = state.records, state.groups
    source = records[i].label
    if pricing.flat:
        left = changed_cost(pricing, state, source, other, i)
        joined = changed_cost(pricing, state, target, i, other)
    else:
        begin = list_changed(state, workspace, source, other, i, 0)
        end = list_changed(state, workspace, target, i, other, begin)
        copy_column(workspace.trial, 0, state.centres, source)
        copy_column(workspace.trial, 1, state.centres, target)
        left = drafted_cost(pricing, state, workspace, 0, begin, 0)
        joined = drafted_cost(pricing, state, workspace, begin, end, 1)
    change = left + joined - groups[source].cost - groups[target].cost
    if not accepted(change, temperature, workspace.random, 0):
        return 0.0
    if sufficient_tests.tests.shape[0] > 0:
        begin = list_changed(state, workspace, source, other, i, 0)
        end = list_changed(state, workspace, target, i, other, begin)
        if not passes_tests(sufficient_tests, records, workspace.drafted, 0, begin, region):
            return 0.0
        if not passes_tests(sufficient_tests, records, workspace.drafted, begin, end, region):
            return 0.0
    move_member(state, i, target)
    if other >= 0:
        move_member(state, other, source)
    groups[source].cost, groups[target].cost = left, joined
    if pricing.flat:
        shift_sums(pricing, state, i, source, target)
        if other >= 0:
            shift_sums(pricing, state, other, target, source)
    else:
        copy_column(state.centres, source, workspace.trial, 0)
        copy_column(state.centres, target, workspace.trial, 1)
    return change


@inner_kernel
def _regroup(
    pricing: ClusterPricing,
    state: ClusteringState,
    sufficient_tests: SufficientTests,
    workspace: ClusterWorkspace,
    i: int,
    temperature: float,
    region: int,
) -> float:
    """Try to form a cluster and some near it anew; return the change made. Their number changes by at most one."""
    groups, random = state.groups, workspace.random
    n_old, total = _gather(state, workspace, i, region)
    if total == 0:
        return 0.0
    n_free = workspace.free[workspace.free.shape[0] - 1]
    n_new = min(n_old + int(draw(random, 0) * 3) - 1, total // state.least, n_old + n_free)
    if n_new < 1 or (n_new == 1 and n_old == 1):
        return 0.0
    _split(pricing, state, workspace, total, n_new)
    change = 0.0
    for old in range(n_old):
        change -= groups[workspace.chosen[old]].cost
    begin = 0
    for draft in range(n_new):
        for u in range(total):
            if workspace.owner[u] == draft:
                workspace.drafted[begin] = workspace.union[u]
                begin += 1
        workspace.ends[draft + 1] = begin
        c = workspace.chosen[draft] if draft < n_old else workspace.free[n_free - 1]
        if begin - workspace.ends[draft] > groups[c].capacity:
            return 0.0
        change += drafted_cost(pricing, state, workspace, workspace.ends[draft], begin, draft)
    if not accepted(change, temperature, random, 0):
        return 0.0
    for draft in range(n_new):
        if not passes_tests(
            sufficient_tests, state.records, workspace.drafted, workspace.ends[draft], workspace.ends[draft + 1], region
        ):
            return 0.0
    _put(pricing, state, workspace, n_old, n_new)
    return change


@inner_kernel
def _gather(state: ClusteringState, workspace: ClusterWorkspace, i: int, region: int) -> tuple[int, int]:
    """List the records of a cluster and of some near it in `union`; return the numbers of clusters and of records.

    Both are 0 if the cluster itself does not fit into the workspace.
    """
    records, groups, random = state.records, state.groups, workspace.random
    wanted = 1 + int(draw(random, 0) * MOST_REFORMED)
    n_old, total, tries = 0, 0, 0
    c = records[i].label
    while True:
        known = False
        for old in range(n_old):
            known = known or workspace.chosen[old] == c
        if not known and total + groups[c].size <= workspace.union.shape[0]:
            for m in range(groups[c].begin, groups[c].begin + groups[c].size):
                workspace.union[total] = state.members[m]
                total += 1
            workspace.chosen[n_old] = c
            n_old += 1
        if total == 0 or n_old == wanted or tries == 3 * wanted:
            return n_old, total
        tries += 1
        other = draw_near_member(state, random, records[workspace.union[int(draw(random, 0) * total)]].point)
        if records[other].region == region:
            c = records[other].label


@inner_kernel
def _split(
    pricing: ClusterPricing, state: ClusteringState, workspace: ClusterWorkspace, total: int, n_new: int
) -> None:
    """Assign the gathered records to `n_new` drafts of at least `least` records each.

    A seed is the record farthest from the seed before, or a random one. Each seed takes the `least - 1` unassigned
    records nearest to it. The records that remain go to the nearest seed. O(drafts x least x records).
    """
    owner, gaps, random = workspace.owner, workspace.gaps, workspace.random
    for u in range(total):
        owner[u] = -1
    left, far = total, -1
    for draft in range(n_new):
        seed = far
        if far < 0 or draw(random, 0) < 0.5:
            seed, skip = -1, int(draw(random, 0) * left)
            for u in range(total):
                if owner[u] < 0:
                    if skip == 0:
                        seed = u
                    skip -= 1
        owner[seed] = draft
        workspace.ends[draft + 1] = seed
        for u in range(total):
            gaps[u] = far_apart(pricing, state, workspace.union[u], workspace.union[seed])
        for _ in range(state.least - 1):
            best = -1
            for u in range(total):
                if owner[u] < 0 and (best < 0 or gaps[u] < gaps[best]):
                    best = u
            owner[best] = draft
        left -= state.least
        far = -1
        for u in range(total):
            if owner[u] < 0 and (far < 0 or gaps[u] > gaps[far]):
                far = u
        if not pricing.flat:
            copy_column(workspace.trial, draft, pricing.positions, state.records[workspace.union[seed]].point)
    for u in range(total):
        if owner[u] < 0:
            best, nearest = 0, np.inf
            for draft in range(n_new):
                gap = far_apart(pricing, state, workspace.union[u], workspace.union[workspace.ends[draft + 1]])
                if gap < nearest:
                    best, nearest = draft, gap
            owner[u] = best


@inner_kernel
def _put(pricing: ClusterPricing, state: ClusteringState, workspace: ClusterWorkspace, n_old: int, n_new: int) -> None:
    """Replace the chosen clusters by the drafts."""
    records, groups, free = state.records, state.groups, workspace.free
    last = free.shape[0] - 1
    if n_new > n_old:
        free[last] -= 1
        workspace.chosen[n_old] = free[free[last]]
    for draft in range(n_new):
        c, begin, end = workspace.chosen[draft], workspace.ends[draft], workspace.ends[draft + 1]
        groups[c].size = end - begin
        groups[c].cost = drafted_cost(pricing, state, workspace, begin, end, draft)
        for m in range(begin, end):
            slot = groups[c].begin + m - begin
            i = workspace.drafted[m]
            state.members[slot] = i
            records[i].slot, records[i].label = slot, c
        if pricing.flat:
            n_axes = pricing.coordinates.shape[1]
            for f in range(n_axes):
                state.sums[c, f] = workspace.sums[draft, f]
            groups[c].square = workspace.sums[draft, n_axes]
        else:
            copy_column(state.centres, c, workspace.trial, draft)
    for draft in range(n_new, n_old):
        c = workspace.chosen[draft]
        groups[c].size, groups[c].cost, groups[c].square = 0, 0.0, 0.0
        free[free[last]] = c
        free[last] += 1
