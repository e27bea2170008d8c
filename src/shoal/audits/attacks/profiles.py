"""Profiles: the values of a record in the columns that are published unchanged, coded alike in several tables."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.kernels.grouping import merge_entries
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.table import Column


@dataclass(frozen=True, slots=True, eq=False)
class ProfileCounts:
    """The number of records of each profile in each class; those of class `c` are `offsets[c] : offsets[c + 1]`."""

    offsets: NDArray[np.int64]
    profiles: NDArray[np.int32]
    counts: NDArray[np.int64]
    n_profiles: int

    @classmethod
    def of(
        cls,
        classes: NDArray[np.int32],
        profiles: NDArray[np.int32],
        counts: NDArray[np.int64],
        n_classes: int,
        n_profiles: int,
    ) -> "ProfileCounts":
        """Count the records, given by rows with their class, their profile and their number."""
        return cls(*merge_entries(classes, profiles, counts, n_classes, n_profiles), n_profiles)

    def show(self, classes: NDArray[np.integer], profiles: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return for each pair whether the class has a record of the profile."""
        owners = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        known = owners * self.n_profiles + self.profiles
        wanted = classes.astype(np.int64) * self.n_profiles + profiles
        place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        return known[place] == wanted


def profiles_of(frames: Sequence[pl.DataFrame], names: Sequence[str]) -> tuple[list[NDArray[np.int32]], int]:
    """Return the profile of each row of each table, and the number of profiles (1 if there are no columns)."""
    heights = [frame.height for frame in frames]
    columns = [Column.of(pl.concat([frame[name].cast(pl.String) for frame in frames])) for name in names]
    sizes = [len(column.values) + 1 for column in columns]
    codes, rows = distinct_rows([column.codes for column in columns], sizes, sum(heights))
    return np.split(codes, np.cumsum(heights)[:-1]), len(rows)


def classes_of(frame: pl.DataFrame, quasi: Sequence[str]) -> NDArray[np.int32]:
    """Return the class of each row, numbered as in `Observed`, by the codes of the cells."""
    columns = [Column.of(frame[name]) for name in quasi]
    sizes = [len(column.values) + 1 for column in columns]
    return distinct_rows([column.codes for column in columns], sizes, frame.height)[0]
