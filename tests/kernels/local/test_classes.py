"""Classes that change record by record, against their records."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels.local.classes import close_class, copy_state, fill_classes, leave_each_out, move_record, total_price
from tests.search.searches import MEASURE_NAMES, Search, check_arrays, random_tally, weighed

SEEDS = st.integers(0, 10**6)


@settings(max_examples=60)
@given(seed=SEEDS, measure=st.sampled_from(MEASURE_NAMES))
def test_filled_classes_have_their_records_and_prices(seed: int, measure: str) -> None:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    search = Search.of(weighed(rng, random_tally(rng, rng.randint(1, 40))), measure, 1)
    label = search.random_label(rng, 1)
    classes = search.annealer.classes(label)
    assert classes.records["label"].tolist() == label.tolist()
    check_arrays(search, classes)
    points = [[int(point)] for point in search.annealer.records.point]
    assert np.allclose(classes.records["alone"], search.prices(points))
    assert total_price(classes.groups) == pytest.approx(search.loss(label))


@settings(max_examples=60)
@given(seed=SEEDS, measure=st.sampled_from(MEASURE_NAMES))
def test_each_record_is_left_out(seed: int, measure: str) -> None:
    rng = Random(seed)  # noqa: S311
    search = Search.of(random_tally(rng, rng.randint(1, 40)), measure, 1)
    classes = search.annealer.classes(search.random_label(rng, 1))
    for c in np.flatnonzero(classes.groups["size"]):
        leave_each_out(search.annealer.columns, classes, int(c))
    assert classes.groups["fresh"][classes.groups["size"] > 0].all()
    sizes: NDArray[np.int64] = classes.groups["size"][classes.records["label"]]
    assert np.all(classes.records["left"][sizes == 1] == 0)
    check_arrays(search, classes)


@settings(max_examples=40)
@given(seed=SEEDS)
def test_records_move_and_classes_close_again(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    search = Search.of(weighed(rng, random_tally(rng, rng.randint(2, 40))), "lm", 1)
    classes = search.annealer.classes(search.random_label(rng, 2))
    for _ in range(20):
        i, target = rng.randrange(len(classes.records)), rng.randrange(len(classes.groups))
        source, room = int(classes.records["label"][i]), classes.groups[target]
        if source == target or room["size"] == room["capacity"]:
            continue
        move_record(classes.records, classes.groups, classes.members, i, target)
        close_class(search.annealer.columns, classes, source)
        close_class(search.annealer.columns, classes, target)
        assert classes.records["label"][i] == target
        assert (classes.groups["price"][source] == 0) or classes.groups["size"][source] > 0
    check_arrays(search, classes)
    before = classes.groups["price"].copy()
    fill_classes(search.annealer.columns, classes)
    assert np.allclose(before, classes.groups["price"])


def test_a_row_is_copied() -> None:
    source, target = np.arange(12, dtype=np.int64).reshape(4, 3), np.zeros((2, 3), dtype=np.int64)
    copy_state(target, 1, source, 2)
    assert target.tolist() == [[0, 0, 0], [6, 7, 8]]
