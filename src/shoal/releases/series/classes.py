"""The classes of one release of a series, derived from its cells and values alone, as anybody with the file can."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.classes.observed import Observed
from shoal.foundation.errors import CertificateError
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.rows import Rows


@dataclass(frozen=True, slots=True, eq=False)
class ShownClasses:
    """The classes of a file, and what each shows of one sensitive column.

    Args:
        observed: The classes.
        columns: The sensitive columns that are looked at.
    """

    observed: Observed
    columns: Sequence[str]

    @classmethod
    def of(cls, rows: Rows, quasi: Sequence[str], columns: Sequence[str]) -> "ShownClasses":
        """Group the records of a file."""
        return cls(Observed.of_rows(rows, quasi, columns), columns)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of records of each class."""
        return self.observed.groups.sizes

    def demand_equal(self, m: int) -> int:
        """Return the least number of values of a class, all of which must show at least m, and each equally often.

        Raises:
            CertificateError: One does not.
        """
        shown = self.observed.groups.histogram(self.columns[0])
        uneven = int((shown.largest * shown.distinct != shown.sizes).sum())
        least = int(shown.distinct.min()) if len(self.sizes) else 0
        if uneven or least < m:
            raise CertificateError(
                f"Refused: m-invariance asks that every class shows at least {m} values of '{self.columns[0]}', each "
                f"equally "
                f"often; {uneven} classes do not show their values equally often, and one shows {least} of them."
            )
        return least

    def likeliest(self) -> Fraction:
        """Return the largest share that one value of one column has in a class."""
        shown = [self.observed.groups.histogram(name) for name in self.columns]
        shares = (
            Fraction(most, size)
            for one in shown
            for most, size in zip(one.largest.tolist(), one.sizes.tolist(), strict=True)
        )
        return max(shares, default=Fraction(0))

    def cells(self) -> list[tuple[Label, ...]]:
        """Return what each class is published as."""
        texts = [[*one, None] for one in self.observed.published]
        return [tuple(texts[j][code] for j, code in enumerate(row)) for row in self.observed.cells.tolist()]

    def values(self) -> list[frozenset[Label]]:
        """Return the values that each class shows."""
        shown = self.observed.groups.histogram(self.columns[0])
        texts = shown.column.values
        return [
            frozenset(texts[code] for code in shown.of_class(number)[0].tolist()) for number in range(len(self.sizes))
        ]
