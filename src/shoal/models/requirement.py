"""Requirement: what promises on sensitive columns ask of every class, in a form that lower bounds can use."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import SensitiveColumn
from shoal.models.caps import Caps
from shoal.models.model import PrivacyModel, SensitiveModel

Counted = Callable[[str], tuple[SensitiveColumn, NDArray[np.int64]]]
"""Returns a sensitive column, and the number of records of each of its values in the table."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """What every class has.

    Args:
        fewest: At least so many records.
        column: The sensitive column whose values have caps; None if there are none.
        caps: These caps.
    """

    fewest: int = 1
    column: str | None = None
    caps: Caps | None = None

    @classmethod
    def of(cls, models: Iterable[PrivacyModel], counted: Counted, share: Fraction) -> "Requirement":
        """Return the largest of the least sizes, and the strictest caps; of equally strict ones the first.

        Args:
            models: The promises, as searches know them.
            counted: Returns what is known of a sensitive column.
            share: The share of the records that classes are not compared with, since they may be suppressed.
        """
        fewest, found = 1, cls()
        for model in models:
            if not isinstance(model, SensitiveModel):
                continue
            column, reference = counted(model.column)
            fewest = max(fewest, model.fewest_records(column, reference, share))
            caps = model.caps(column, reference, share)
            if caps is not None and caps.stricter(found.caps):
                found = cls(1, model.column, caps)
        return cls(fewest, found.column, found.caps)
