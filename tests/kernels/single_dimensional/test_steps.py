"""A look at a state against its twin in plain Python, and its bounds against all sets of steps."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.single_dimensional.step_classes import OPEN, SIZE, TAKEN, RecordSets
from shoal.kernels.single_dimensional.steps import COST, LEAVE, LOST, TAKE, USE, evaluate_state
from shoal.search.single_dimensional.recodings import workspace_for
from tests.kernels.plain_steps import Plain, random_plain


@settings(max_examples=120)
@given(st.integers(0, 10**6))
def test_a_look_finds_what_the_definitions_say(seed: int) -> None:
    plain, state = random_plain(seed)
    workspace, borders = workspace_for(plain.points, plain.steps)
    totals, found = evaluate_state(plain.points, plain.steps, plain.terms, state, borders, workspace)
    taken, opened = np.flatnonzero(state == TAKEN).tolist(), np.flatnonzero(state == OPEN).tolist()
    classes = plain.split(range(len(plain.points.keys)), taken)
    passing = [members for members in classes if plain.passes(members)]
    lost, cost = plain.cost(taken)
    useful = {members: plain.useful(members, opened, taken) for members in passing}
    bounds = {members: plain.bound(members, useful[members]) for members in passing}
    atoms = [plain.size(atom) for members in passing for atom in plain.split(members, [*taken, *opened])]
    assert totals.tolist() == [lost, cost, lost * plain.terms.full + sum(bounds.values()), len(atoms)]
    assert sorted(workspace.kept.counts[: len(atoms), SIZE].tolist()) == sorted(atoms)
    for step in opened:
        assert found[USE, step] == any(step in steps for steps in useful.values())
        if plain.steps.needs[step] in (-1, *taken):
            more_lost, changed = plain.cost([*taken, step])
            assert (found[LOST, step], found[COST, step]) == (more_lost - lost, changed - cost)
            assert found[LEAVE, step] == sum(
                plain.bound(members, [one for one in useful[members] if one not in plain.below(step)]) - bound
                for members, bound in bounds.items()
            )
            assert found[TAKE, step] == sum(
                _taken(plain, members, step, bound, [*taken, *opened], used=step in useful[members])
                for members, bound in bounds.items()
            )


def _taken(plain: Plain, members: tuple[int, ...], step: int, bound: int, fine: list[int], *, used: bool) -> int:
    """Return by how much the bound of a class grows if a step is taken."""
    parts = plain.split(members, [step])
    failing = [part for part in parts if not plain.passes(part)]
    full = plain.terms.full * sum(map(plain.size, failing))
    if used:
        return full - sum(map(plain.least, failing))
    return max(full + sum(plain.bound(part, fine) for part in parts if plain.passes(part)) - bound, 0)


@settings(max_examples=120)
@given(st.integers(0, 10**6))
def test_no_set_of_steps_costs_less_than_its_bounds(seed: int) -> None:
    plain, state = random_plain(seed)
    workspace, borders = workspace_for(plain.points, plain.steps)
    totals, found = evaluate_state(plain.points, plain.steps, plain.terms, state, borders, workspace)
    taken = np.flatnonzero(state == TAKEN).tolist()
    costs = {chosen: plain.cost(chosen)[1] for chosen in plain.within(state.tolist())}
    assert totals[2] <= min(costs.values())
    for step in np.flatnonzero(state == OPEN).tolist():
        if plain.steps.needs[step] in (-1, *taken):
            assert totals[2] + found[TAKE, step] <= min(cost for some, cost in costs.items() if step in some)
            assert totals[2] + found[LEAVE, step] <= min(cost for some, cost in costs.items() if step not in some)
    used = {step for step in range(plain.n_steps) if found[USE, step]}
    assert min(costs.values()) == min(cost for some, cost in costs.items() if set(some) <= {*taken, *used})


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_what_is_kept_gives_the_same_look_within(seed: int) -> None:
    plain, state = random_plain(seed)
    workspace, borders = workspace_for(plain.points, plain.steps)
    totals, _ = evaluate_state(plain.points, plain.steps, plain.terms, state, borders, workspace)
    rows, keys, counts, words = workspace.kept
    n = totals[3]
    kept = RecordSets(rows[:n].copy(), keys[:n], counts[:n].copy(), words[:n].copy())
    ready = [
        step
        for step in np.flatnonzero(state == OPEN)
        if plain.steps.needs[step] in (-1, *np.flatnonzero(state == TAKEN))
    ]
    for step in ready:
        state[step] = TAKEN
        whole, all_found = evaluate_state(plain.points, plain.steps, plain.terms, state, borders, workspace)
        some, some_found = evaluate_state(kept, plain.steps, plain.terms, state, borders, workspace)
        gone = totals[0] * np.array([1, plain.terms.full, plain.terms.full, 0])
        assert whole.tolist() == (some + gone).tolist()
        assert all_found.tolist() == some_found.tolist()
        state[step] = OPEN
