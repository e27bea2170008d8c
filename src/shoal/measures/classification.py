"""Iyengar's classification metric."""

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.grouping import Grouping
from shoal.classes.recoding import Recoding
from shoal.classes.tally import QuasiColumn
from shoal.foundation.errors import SpecError
from shoal.measures.measure import ClassSumMeasure


@dataclass(frozen=True, slots=True)
class Classification(ClassSumMeasure):
    """The number of records that do not have their class's most frequent value of `column`, or are suppressed.

    Monotone: the most frequent value of joined classes is at most as frequent as the sum of theirs, so
    joining never lowers the number of others; and a class of n has at most n - 1 others.

    Args:
        column: The sensitive column to be predicted; without it, the first one.
    """

    name: ClassVar[str] = "classification"
    reference: ClassVar[str] = "Iyengar 2002"
    words: ClassVar[str] = "how many records differ from the most frequent value of their class"
    monotone: ClassVar[bool] = True

    column: Annotated[str, Field(min_length=1)] | None = None

    def prices(self, groups: Grouping, recoding: Recoding) -> NDArray[np.float64]:
        """Count the records beside the most frequent value."""
        if self.column is None and not groups.sensitive:
            raise SpecError("The measure 'classification' needs a sensitive column, and the table has none.")
        labels = groups.histogram(self.column or groups.sensitive[0].name)
        return (labels.sizes - labels.largest).astype(np.float64)

    def full(self, n_records: int, columns: tuple[QuasiColumn, ...]) -> float:
        """Count the record."""
        return 1.0

    def of_columns(self, sensitive: tuple[str, ...]) -> "Classification | None":
        """Choose the first sensitive column if none is named."""
        if self.column is not None:
            return self
        return replace(self, column=sensitive[0]) if sensitive else None

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The column to be predicted, if it is named."""
        return (self.column,) if self.column is not None else ()
