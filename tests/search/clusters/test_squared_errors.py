"""Bounds on squared errors never exceed the best partition, and are near it on the tables of the literature."""

from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.search.clusters.squared_errors import near_charges, squares_bound
from tests.oracles.numbers import least_squared_errors, squared_errors

DATA = Path(__file__).parents[4] / "shared" / "data" / "microaggregation"


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(4, 9), k=st.integers(1, 4), width=st.integers(1, 3))
def test_no_partition_is_below_the_bound(seed: int, n: int, k: int, width: int) -> None:
    rows = np.random.default_rng(seed).integers(0, 12, (n, width)).astype(np.float64)
    best = least_squared_errors(rows, k)
    for program in (False, True):
        bound = squares_bound(rows, k, program=program)
        assert 0 <= bound <= best * (1 + 1e-9)


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_no_class_is_charged_more_than_it_costs(k: int) -> None:
    rows = np.random.default_rng(k).integers(0, 30, (9, 2)).astype(np.float64)
    charges = near_charges(rows, k)
    for size in range(k, min(2 * k, 9) + 1):
        for some in combinations(range(9), size):
            assert charges[list(some)].sum() <= squared_errors(rows, some) * (1 + 1e-9)


def test_the_program_is_better_than_the_nearest_records() -> None:
    rows = np.random.default_rng(1).standard_normal((60, 3))
    found = [squares_bound(rows, k, program=program) for k in (3, 5) for program in (False, True)]
    assert found[1] > 1.1 * found[0]
    assert found[3] > 1.02 * found[2]


def test_groups_far_apart_are_proven() -> None:
    """Three records each at three places far apart: the bound is what they lose."""
    rows = np.array([[x + y, 0.0] for x in (0, 100, 200) for y in (0, 1, 5)])
    assert squares_bound(rows, 3) == pytest.approx(3 * squared_errors(rows, [0, 1, 2]), rel=1e-6)


def test_a_release_tells_its_bound() -> None:
    rows = np.random.default_rng(1).integers(0, 99, (40, 2))
    frame = pl.DataFrame({"a": rows[:, 0], "b": rows[:, 1]})
    losses = {
        bound: shoal.anonymize(
            frame, quasi=["a", "b"], k=3, algorithm={"name": "microaggregation", "bound": bound}
        ).certificate["loss"]
        for bound in ("program", "near", "none")
    }
    assert losses["none"]["bound"] is None
    assert losses["near"]["bound"] < losses["program"]["bound"] <= losses["program"]["total"]


def test_nothing_is_claimed_where_records_may_be_left_out() -> None:
    frame = pl.DataFrame({"a": [0, 1, 2, 50, 51, 52, 99] * 4, "b": range(28)})
    release = shoal.anonymize(frame, quasi=["a", "b"], k=3, algorithm="microaggregation", max_suppressed=0.1)
    assert release.certificate["loss"]["bound"] is None


def test_the_gap_on_a_small_table() -> None:
    rows = np.random.default_rng(1).standard_normal((40, 3)).round(2)
    frame = pl.DataFrame(rows, schema=["a", "b", "c"])
    asked = {"name": "microaggregation", "bound": "program"}
    found = shoal.anonymize(frame, quasi=frame.columns, k=3, algorithm=asked).certificate["loss"]
    assert 1 < found["ratio"] < 1.2


@pytest.mark.deep
@pytest.mark.parametrize(("name", "records"), [("census", 1080), ("tarragona", 834)])
def test_the_gap_on_the_tables_of_the_literature(name: str, records: int) -> None:
    if not (DATA / f"{name}.csv").is_file():
        pytest.skip(f"There is no table in '{DATA.name}/{name}.csv': shoal does not ship it.")
    frame = pl.read_csv(DATA / f"{name}.csv")
    assert frame.shape == (records, 13)
    asked = {"name": "microaggregation", "effort": 3_000}
    found = shoal.anonymize(frame, quasi=frame.columns, k=3, algorithm=asked).certificate["loss"]
    assert 1 < found["ratio"] < (1.04 if name == "census" else 1.065)
