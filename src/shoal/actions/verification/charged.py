"""Charged: what the charges of a release's records prove of every release of its table, in exact integers.

Nothing here imports the search, and nothing of what it says is believed but the charges, which may be any.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from shoal.actions.verification.choices import Priced
from shoal.classes.tally import QuasiColumn
from shoal.foundation.errors import CertificateError
from shoal.kernels.verification.excess import ChargedRows
from shoal.kernels.verification.overcharges import overcharges
from shoal.measures.measure import CellMeasure
from shoal.models.caps import PARTS, Caps
from shoal.releases.charges import RowCharges

_MOST = 20_000_000_000  # rows of combinations of cells that are looked at: a minute
_LARGEST = 2**61  # all charges together, and the dearest cells of all records, so that no sum leaves 64 bits
_ANY_VALUES, _NO_CAPS = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Charged:
    """The different rows of a table, with the number of their records.

    Args:
        columns: The quasi columns.
        codes: The leaves of each row.
        counts: The number of its records.
        values: The sensitive value of each row, if its values have caps.
        k: The least number of records of a class.
        suppressible: Whether records may be suppressed.
        caps: The caps on the shares of the values, in their order.
    """

    columns: tuple[QuasiColumn, ...]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    values: NDArray[np.int32] | None
    k: int
    suppressible: bool
    caps: Caps | None = None


def proven(table: Charged, measure: CellMeasure, charges: RowCharges, most: int = _MOST) -> Fraction | None:
    """Return what every release of the table loses at least, whose classes are each recoded for themselves.

    Add up the charges of all records, class by class. A class costs what its records are charged, but for what it is
    charged too much; all classes together by no more than `overcharges` says. A suppressed record costs the full price,
    but for what it is charged above that. Prices are rounded down to whole units, and charges are whole units. Where
    all prices are multiples of a plain fraction, so is every loss, and the sum is rounded up to the next one.

    Args:
        table: The rows of the raw table.
        measure: The loss.
        charges: What each record is charged.
        most: How much may be looked at.

    Returns:
        The bound; None if there is too much to look at, or if there are too many ranges or sets.
    """
    own, counts = charges.own, table.counts
    largest = _LARGEST if table.caps is None else _LARGEST // PARTS
    if len(own) != len(counts):
        raise CertificateError(f"There are {len(own)} charges, and the raw table has {len(counts)} different rows.")
    if float(np.abs(own.astype(np.float64)) @ counts) > largest:
        raise CertificateError("The charges are larger than all that can be lost.")
    priced = Priced.of(table.columns, measure)
    if priced is None:
        return None
    if np.ldexp(priced.dearest, charges.unit) * counts.sum() > largest:
        raise CertificateError("The unit of the charges is finer than sums of 64 bits allow.")
    order = _order(table.codes)
    ranks = np.stack([priced.columns[j].ranks[table.codes[:, j]] for j in order]).astype(np.int32)
    values = _ANY_VALUES if table.values is None else table.values
    caps, spare = (_NO_CAPS, 0) if table.caps is None else table.caps.of(table.k)
    rows = ChargedRows(ranks, own, counts, values, table.k, caps, spare, PARTS)
    excess = overcharges(priced.choices(order, charges.unit), rows, most)
    if excess < 0:
        return None
    if table.suppressible:
        full = int(np.floor(np.ldexp(priced.full, charges.unit)))
        excess += int(np.maximum(own - full, 0) @ counts)
    total = priced.offset + Fraction(int(own @ counts) - excess, 2**charges.unit)
    common = priced.common
    return max(total if common is None else Fraction(ceil(total * common), common), Fraction(0))


def _order(codes: NDArray[np.int32]) -> Sequence[int]:
    """Return the columns, those with few different values first: they leave many rows together to look at once."""
    return sorted(range(codes.shape[1]), key=lambda j: len(np.unique(codes[:, j])))
