"""Number: the difference of two numbers or dates."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.tally import QuasiColumn
from shoal.clusters.distances.reading import WHOLE, Numbers, count_strangers, occurring_leaves, read_days, read_numbers
from shoal.clusters.distances.spec import DistanceSpec
from shoal.clusters.metric import Axis
from shoal.foundation.errors import FieldError, SpecError
from shoal.kernels.clusters.metrics import HOLED, NUMBER
from shoal.tables.hierarchies.numeric import DecimalMark

ScaledBy = Literal["range", "deviation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(DistanceSpec):
    """The distance of two numbers, or of two dates in days, is their absolute difference, divided by a unit.

    It is a metric, as on the real line. A missing value has the range of the column as its distance from every number
    (one unit if all are equal). No two numbers are farther apart than the range, so the triangle inequality holds.

    Args:
        scale: The unit: the `range` of the column's values, or their standard `deviation` over all records. If neither
            this nor `unit` is given, the deviation if all quasi columns are numbers, else the range.
        unit: The unit itself, in the numbers of the column; for dates, in days.
        format: The date format, as for `strptime`; ISO dates and times if None.
        decimal: What stands before the decimals of a number. Before a comma, points may stand between groups of three
            digits. Centres are written in the same way, without groups.
    """

    name: ClassVar[str] = "number"

    scale: ScaledBy | None = None
    unit: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    format: str | None = None
    decimal: DecimalMark = "."

    def __post_init__(self) -> None:
        """Refuse two units."""
        DistanceSpec.__post_init__(self)
        if self.scale is not None and self.unit is not None:
            raise FieldError("'scale' and 'unit' both define a distance of 1: give one of them")

    @property
    def unit_given(self) -> bool:
        """As was asked for."""
        return self.unit is not None

    def axis(self, columns: Sequence[QuasiColumn], at: int, folder: Path = Path()) -> Axis:
        """Read the numbers and return their axis."""
        column = columns[at]
        found = self._read(column)
        known = ~np.isnan(found.numbers)
        reach = float(np.ptp(found.numbers[known])) if known.any() else 0.0
        unit = self._unit(found.numbers[known], column.leaf_counts[known], reach)
        holed = column.hierarchy.missing_leaf >= 0
        return Axis(
            kind=HOLED if holed else NUMBER,
            columns=(at,),
            leaves=(found.numbers,),
            weight=column.weight / unit,
            table=np.array([[reach or unit]]) if holed else None,
            decimals=found.published,
            days=found.days,
            form=self.format,
            decimal=self.decimal,
        )

    def _read(self, column: QuasiColumn) -> Numbers:
        values = occurring_leaves(column)
        numbers = read_numbers(values, self.decimal) if self.format is None else None
        found = numbers or read_days(values, self.format)
        if found is None:
            wanted = "numbers or dates as YYYY-MM-DD" if self.format is None else f"dates as '{self.format}'"
            raise SpecError(
                f"The distance 'number' of column '{column.name}' needs {wanted}: "
                f"{count_strangers(values, self.format, self.decimal)}. Clean them, say which mark stands before "
                "decimals (decimal), or choose another distance, such as 'equal'."
            )
        if found.inexact:
            raise SpecError(
                f"Column '{column.name}' has {found.inexact} whole numbers beyond {WHOLE:,} that doubles cannot "
                "represent: distances of its values would not be exact. Subtract a constant from all of them, "
                "choose the distance 'equal', or an algorithm that publishes ranges, such as 'tightest'."
            )
        return found

    def _unit(self, numbers: NDArray[np.float64], counts: NDArray[np.int64], reach: float) -> float:
        """Return the difference that counts as distance 1; 1 if all numbers are equal."""
        if self.unit is not None:
            return self.unit
        if reach == 0:
            return 1.0
        if self.scale != "deviation":
            return reach
        shares = (numbers - numbers.min()) / reach  # scaled to 0..1: the squares neither overflow nor underflow
        mean = np.average(shares, weights=counts)
        return reach * float(np.sqrt(np.average((shares - mean) ** 2, weights=counts)))
