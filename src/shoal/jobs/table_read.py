"""Table read: a table as it came from its place, before a job's words for missing values are looked at."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.jobs.engine_limits import MOST_VALUES
from shoal.tables.formats.codebook import Codebook
from shoal.tables.formats.column_type import Types
from shoal.tables.formats.frames import FrameKind

if TYPE_CHECKING:
    from shoal.search.engines.apart import ApartColumns
    from shoal.search.engines.kept_rows import KeptRows


@dataclass(frozen=True, slots=True, eq=False)
class TableRead:
    """A table as it was read.

    Args:
        frame: The columns that leave, as text.
        counts: The number of records of each row; None if each is one.
        kind: The kind of frame that it came as.
        delimiter: What separates the fields of its file.
        codebook: What its file says about its columns and values.
        types: The types of its columns, as far as it tells them.
        spilled: The rows, if the engine keeps them; `frame` then holds the values of each column alone.
        apart: The columns that leave and are not in the frame, since they are too different to count by.
    """

    frame: pl.DataFrame
    counts: NDArray[np.int64] | None
    kind: FrameKind
    delimiter: str | None = None
    codebook: Codebook = field(default_factory=Codebook)
    types: Types = field(default_factory=dict)
    spilled: "KeptRows | None" = None
    apart: "ApartColumns | None" = None

    @property
    def n_records(self) -> int:
        """The number of records."""
        if self.spilled is not None:
            return self.spilled.n_records
        return self.frame.height if self.counts is None else int(self.counts.sum())

    @property
    def left(self) -> str:
        """What the user should know of columns that are not counted by."""
        names = [] if self.apart is None else self.apart.names
        told = f"column{'s' * (len(names) > 1)} {', '.join(map(repr, names))}"
        return f"not counted by {told}, which nothing looks at, with more than {MOST_VALUES:,} different values"
