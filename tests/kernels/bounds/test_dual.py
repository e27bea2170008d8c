"""The kernels of the dual against twins of a few lines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.bounds.charges import Charges, excess
from shoal.kernels.bounds.dual import cut_charges, lower_charges, project_charges, total_excess
from shoal.kernels.bounds.families import PatternList
from tests.kernels.bounds.test_charges import charged, members_of, plain_excess, quick, room


@quick
@given(charged())
def test_cutting_costs_the_excess_and_ends_it(drawn: tuple[Charges, PatternList]) -> None:
    charges, patterns = drawn
    for p, price in enumerate(patterns.prices):
        members = members_of(patterns, p)
        found, before = excess(charges, price, members, room(charges.k)), charges.own @ charges.counts
        if found.total > 0:
            cut_charges(charges, price, members, found)
            assert charges.own @ charges.counts == pytest.approx(before - found.total)
            assert plain_excess(charges, price, members) == pytest.approx(0, abs=1e-9)


@quick
@given(charged())
def test_a_projection_is_the_nearest_that_the_class_allows(drawn: tuple[Charges, PatternList]) -> None:
    charges, patterns = drawn
    price, members, others = patterns.prices[0], members_of(patterns, 0), room(charges.k)
    found, before = excess(charges, price, members, others), charges.own.copy()
    if found.total <= 0:
        return
    project_charges(charges, price, members, others, found)
    inside = np.where(before - np.maximum(price, charges.floors) > 0, charges.counts, 0)
    inside[[i for i in range(len(inside)) if i not in members.tolist()]] = 0
    inside[others.points[1 : found.others]] = charges.counts[others.points[1 : found.others]]
    if found.others:
        inside[others.points[0]] = found.taken
    moved = before - charges.own
    assert moved @ inside == pytest.approx(found.total)  # the excess is gone
    direction = inside / charges.counts  # the nearest, each record counted, is straight along the class
    assert moved == pytest.approx(direction * (found.total / (direction @ inside)))


@quick
@given(charged(), st.booleans())
def test_after_a_sweep_no_pattern_is_charged_too_much(drawn: tuple[Charges, PatternList], forward: bool) -> None:
    charges, patterns = drawn
    before, quiet = charges.own.copy(), np.zeros(len(patterns.prices))
    lower_charges(charges, patterns, quiet, 0.0, forward)
    assert (charges.own <= before).all()
    for p, price in enumerate(patterns.prices):
        assert plain_excess(charges, price, members_of(patterns, p)) <= 1e-9


@quick
@given(charged(), st.lists(st.floats(0, 1), min_size=8, max_size=8))
def test_a_pattern_stays_quiet_while_charges_rise_by_its_margin(
    drawn: tuple[Charges, PatternList], shares: list[float]
) -> None:
    charges, patterns = drawn
    quiet = np.zeros(len(patterns.prices))
    lower_charges(charges, patterns, quiet, 0.0, True)
    for p, price in enumerate(patterns.prices):
        raised = charges.own + quiet[p] * np.array(shares[: len(charges.own)])
        assert plain_excess(charges._replace(own=raised), price, members_of(patterns, p)) <= 1e-9


@quick
@given(charged())
def test_the_penalty_is_the_sum_of_all_excesses(drawn: tuple[Charges, PatternList]) -> None:
    charges, patterns = drawn
    excesses = [
        plain_excess(charges, price, members_of(patterns, p)) for p, price in enumerate(patterns.prices.tolist())
    ]
    assert total_excess(charges, patterns) == pytest.approx(sum(max(found, 0.0) for found in excesses))
