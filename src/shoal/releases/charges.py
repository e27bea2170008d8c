"""Charges: what a bound charges each record, as whole units, as the steward keeps it: the witness of the bound.

They are listed by the different rows of the raw table, in the order of their values, and tell none of these.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import Tally
from shoal.foundation.budgets import read_bytes
from shoal.foundation.errors import CertificateError
from shoal.tables.distinct_rows import numbered_rows
from shoal.tables.hierarchies.hierarchy import Label

NAME = "charges.json"
_FINEST = 1_000  # no unit is below 2 to the power of minus this
_WRONG = f"{NAME} is not as it was written."


@dataclass(frozen=True, slots=True, eq=False)
class RowCharges:
    """Charges of the different rows of a table.

    Args:
        unit: All are multiples of 2 ** -unit.
        column: The sensitive column by whose values rows differ as well, if their shares have caps.
        own: The charge of each record of each row.
    """

    unit: int
    column: str | None
    own: NDArray[np.int64]

    @classmethod
    def of(cls, tally: Tally, own: NDArray[np.int64], unit: int, column: int | None) -> "RowCharges":
        """Return the charges of the rows of a table by those of its points.

        Args:
            tally: The table.
            own: The charge of each point.
            unit: All are multiples of 2 ** -unit.
            column: The number of the sensitive column by whose values rows differ as well, if they do.
        """
        some = tally.counts > 0
        leaves = {quasi.name: tally.codes[some, j] for j, quasi in enumerate(tally.quasi)}
        sizes = {quasi.name: quasi.hierarchy.n_leaves for quasi in tally.quasi}
        if column is None:
            return cls(unit, None, own[some][rows_in_order(leaves, sizes, None)[1]])
        shown = tally.sensitive[column]
        values = ranked(shown.values)[tally.profile_codes[tally.profiles[some], column]]
        return cls(unit, shown.name, own[some][rows_in_order(leaves, sizes, values)[1]])

    def text(self) -> bytes:
        """Return them as JSON."""
        told = {"unit": self.unit, "column": self.column, "charges": self.own.tolist()}
        return json.dumps(told, separators=(",", ":")).encode() + b"\n"

    @classmethod
    def read(cls, folder: Path) -> "RowCharges":
        """Read them from the folder of what the steward keeps."""
        try:
            told = json.loads(read_bytes(folder / NAME))
            unit, column, own = told["unit"], told["column"], told["charges"]
            known = isinstance(own, list) and all(type(one) is int for one in [unit, *own])
            if not known or not 0 <= unit <= _FINEST or not isinstance(column, str | None):
                raise CertificateError(_WRONG)
            return cls(unit, column, np.array(own, dtype=np.int64))
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
            raise CertificateError(_WRONG) from None


def ranked(values: Sequence[Label]) -> NDArray[np.int32]:
    """Return the rank of each value of a sensitive column in the order of their texts; a missing one is last."""
    order = sorted(range(len(values)), key=lambda code: (values[code] is None, values[code] or ""))
    ranks = np.empty(len(values), dtype=np.int32)
    ranks[order] = np.arange(len(values), dtype=np.int32)
    return ranks


def rows_in_order(
    leaves: Mapping[str, NDArray[np.int32]], sizes: Mapping[str, int], values: NDArray[np.int32] | None
) -> tuple[NDArray[np.int32], NDArray[np.integer]]:
    """Number the different rows of a table in the order that charges are listed in.

    Args:
        leaves: The leaf of each record, or of each point, in each quasi column.
        sizes: The number of leaves of each of these columns.
        values: The rank of its sensitive value, if rows differ by it.

    Returns:
        The number of each row, and the index of one row of each kind.
    """
    names = sorted(leaves)
    columns, widths = [leaves[name] for name in names], [sizes[name] for name in names]
    if values is not None:
        columns, widths = [*columns, values], [*widths, int(values.max(initial=0)) + 1]
    return numbered_rows(columns, widths, len(columns[0]))
