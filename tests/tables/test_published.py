"""Tests of the records that leave."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shoal.tables.formats.parquet import Parquet
from shoal.tables.published import PublishedRows


def published(n_values: int, seed: int) -> PublishedRows:
    """Return records in a random order, whose categories have numbers in another order than that of their texts."""
    rng = np.random.default_rng(seed)
    pl.Series([f"v{one}" for one in rng.permutation(n_values + 50)]).cast(pl.Categorical)  # known before
    values = pl.Series([*(f"v{one}" for one in rng.permutation(n_values)), None], dtype=pl.String)
    codes = np.append(np.arange(n_values + 1), rng.integers(0, n_values + 1, 200)).astype(np.uint32)
    rows = pl.DataFrame(
        {"*": values.gather(pl.Series(codes)).cast(pl.Categorical), "text": pl.Series(codes).cast(pl.String)}
    )
    counts = rng.integers(1, 4, rows.height)
    order = np.repeat(np.arange(rows.height, dtype=np.int32), counts)
    rng.shuffle(order)
    return PublishedRows(rows, counts, order)


@pytest.mark.parametrize(
    ("n_values", "kind"), [(1, pl.UInt8), (254, pl.UInt8), (255, pl.UInt16), (65_534, pl.UInt16), (65_535, pl.UInt32)]
)
def test_records_in_less_memory_are_the_same_and_give_the_same_bytes(
    n_values: int, kind: type[pl.DataType], tmp_path: Path
) -> None:
    made = published(n_values, n_values)
    frame, brief = made.frame(), made.brief()

    assert brief["*"].to_physical().dtype == kind
    assert brief.cast(pl.String).equals(frame.cast(pl.String))
    for name, one in (("frame", frame), ("brief", brief)):
        Parquet().write(one, tmp_path / f"{name}.parquet")
    assert (tmp_path / "brief.parquet").read_bytes() == (tmp_path / "frame.parquet").read_bytes()
