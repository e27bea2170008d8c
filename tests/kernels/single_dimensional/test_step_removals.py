"""What becomes of a set of steps without one of them, against its twin in plain Python."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.single_dimensional.step_classes import TAKEN
from shoal.kernels.single_dimensional.step_removals import price_removals
from shoal.search.single_dimensional.recodings import workspace_for
from tests.kernels.plain_steps import random_plain


@settings(max_examples=120)
@given(st.integers(0, 10**6))
def test_a_removal_changes_what_the_definitions_say(seed: int) -> None:
    plain, state = random_plain(seed)
    workspace, borders = workspace_for(plain.points, plain.steps)
    found = price_removals(plain.points, plain.steps, plain.terms, state, borders, workspace)
    taken = np.flatnonzero(state == TAKEN).tolist()
    lost, cost = plain.cost(taken)
    for step in taken:
        fewer = [other for other in taken if other != step]
        if plain.closed(fewer):
            left, changed = plain.cost(fewer)
            assert found[:, step].tolist() == [changed - cost, left - lost]
