"""What every promise about a whole release gives to searches."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.models.by_hand import classes_by_hand
from shoal.models.table_model import TableModel
from tests.models.cases import WHOLE, models
from tests.oracles.promises import keep_together

SIZES = st.lists(st.sampled_from([1, 1, 1, 2, 2, 3, 5, 9]), min_size=1, max_size=8)
every_model = pytest.mark.parametrize("name", WHOLE)


def array(sizes: Sequence[int]) -> np.ndarray:
    return np.array(sizes, dtype=np.int64)


def kept(model: TableModel, sizes: Sequence[int]) -> bool:
    """Tell by the definition whether classes of these sizes keep a promise."""
    return keep_together(model, [[{}] * size for size in sizes])


@every_model
@settings(deadline=None, max_examples=120)
@given(data=st.data(), sizes=SIZES)
def test_all_classes_hold_if_and_only_if_the_release_keeps_the_promise(
    name: str, data: st.DataObject, sizes: list[int]
) -> None:
    model = cast(TableModel, data.draw(models(name)))
    held = model.holds(classes_by_hand([["a"] * size for size in sizes]))
    assert held.all() == kept(model, sizes)
    left = array(sizes)[held].tolist()
    assert not left or kept(model, left)
    assert max(array(sizes)[~held], default=0) < min(left, default=10)


@every_model
@settings(deadline=None, max_examples=120)
@given(data=st.data(), sizes=SIZES)
def test_a_release_of_classes_of_enough_records_keeps_the_promise(
    name: str, data: st.DataObject, sizes: list[int]
) -> None:
    model = cast(TableModel, data.draw(models(name)))
    assert kept(model, [max(size, model.enough) for size in sizes])


@every_model
@settings(deadline=None, max_examples=120)
@given(data=st.data(), sizes=SIZES)
def test_the_sum_decides_and_falls_with_the_size(name: str, data: st.DataObject, sizes: list[int]) -> None:
    model = cast(TableModel, data.draw(models(name)))
    lacking = model.lacking(array(sorted(sizes)))
    if lacking is not None:
        assert (float(lacking.sum()) <= 1e-9) == kept(model, sizes)
        assert (np.diff(lacking) <= 0).all()


@every_model
@settings(deadline=None, max_examples=60)
@given(data=st.data(), sizes=st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_no_refinement_suppresses_fewer_records(name: str, data: st.DataObject, sizes: list[int]) -> None:
    model = cast(TableModel, data.draw(models(name)))
    parts = {size: [(), *_partitions(size)] for size in range(1, 5)}
    least = sum(sizes)
    for released in product(*(parts[size] for size in sizes)):
        fine = [part for parts_of_class in released for part in parts_of_class]
        if fine and kept(model, fine):
            least = min(least, sum(sizes) - sum(fine))
    found = model.fewest_lost(array(sizes))
    assert found <= least
    exact = [combination for n in range(1, len(sizes) + 1) for combination in combinations(sizes, n)]
    if model.lacking(array(sizes)) is not None:
        assert found == min([sum(sizes) - sum(one) for one in exact if kept(model, one)], default=sum(sizes))


def _partitions(size: int) -> list[tuple[int, ...]]:
    """Return all ways to release up to so many records in parts."""
    found: list[tuple[int, ...]] = []
    for total in range(1, size + 1):
        found += _sums(total, total)
    return found


def _sums(total: int, most: int) -> list[tuple[int, ...]]:
    if total == 0:
        return [()]
    return [(part, *rest) for part in range(min(total, most), 0, -1) for rest in _sums(total - part, part)]


@every_model
@settings(deadline=None, max_examples=60)
@given(data=st.data(), sizes=SIZES)
def test_what_is_reached_is_what_suffices(name: str, data: st.DataObject, sizes: list[int]) -> None:
    model = cast(TableModel, data.draw(models(name)))
    reached = model.reached(array(sizes))
    assert 0 <= reached <= 1
    if abs(reached - float(model.asked["most"])) > 1e-12:
        assert (reached < float(model.asked["most"])) == kept(model, sizes)


def test_a_limit_of_one_third_is_met_exactly() -> None:
    from shoal.models import AverageRisk, SampleUniqueness

    assert AverageRisk(most=Fraction(1, 3)).kept(array([3]))
    assert not AverageRisk(most=Fraction(1, 3)).kept(array([3, 2]))
    assert SampleUniqueness(most=Fraction(1, 3)).kept(array([1, 2]))
    assert not SampleUniqueness(most=Fraction(333, 1000)).kept(array([1, 2]))
