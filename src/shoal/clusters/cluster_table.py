"""The table of clusters: the centre, the number of records, the radius and the sensitive values of each, as text.

The sensitive values of a cluster are one JSON cell: a multiset as `{"value": count}`, a set as `["value"]`. A missing
value is the key `""` in a multiset (no value is an empty text) and `null` in a set.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.foundation.errors import CertificateError
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.table import select_columns

Shape = Literal["both", "records", "clusters"]
Radius = Literal["own", "largest"]
ValuesOption = Literal["multiset", "set"]

CLUSTER = ""  # the column with the number of a cluster: no column of a table has an empty name
_DIGITS = 6  # significant digits of a published radius
_NOISE = 1e-12  # relative rounding error of a radius
_COUNT = re.compile(r"[1-9][0-9]{0,17}")
_LENGTH = re.compile(r"[0-9]{1,320}(\.[0-9]{1,350})?")


def own_names(taken: Collection[str]) -> tuple[str, str]:
    """Return the names of the columns of sizes and radii: `records` and `radius`, or longer ones if these are taken.

    A name that differs only in case counts as taken, since some formats and databases ignore case.
    """
    names: list[str] = []
    others = {name.casefold() for name in taken}
    for name in ("records", "radius"):
        while name in others or name in names:
            name = f"cluster_{name}"  # noqa: PLW2901  (longer until it is free)
        names.append(name)
    return names[0], names[1]


def rounded_up(length: float) -> str:
    """Return a length with few digits, rounded up so that it stays an upper bound."""
    exact = Decimal(length * (1 - _NOISE))
    if exact <= 0:
        return "0"
    step = Decimal(1).scaleb(exact.adjusted() + 1 - _DIGITS)
    text = f"{exact.quantize(step, rounding=ROUND_CEILING):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def cell(values: Sequence[Label], counts: Sequence[int], kind: ValuesOption) -> str:
    """Return the JSON cell of a set or multiset; the values are in text order, a missing one is last."""
    order = sorted(range(len(values)), key=lambda i: (values[i] is None, values[i] or ""))
    content: Any = [values[i] for i in order]
    if kind == "multiset":
        content = {values[i] or "": counts[i] for i in order}
    return json.dumps(content, ensure_ascii=False)


@dataclass(frozen=True, slots=True, eq=False)
class ClusterValues:
    """The values of one sensitive column in all clusters: an entry for each value of each cluster."""

    owners: NDArray[np.int64]
    values: tuple[Label, ...]
    counts: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ClusterTable:
    """A table of clusters, as any reader of the file sees it.

    Args:
        centres: The quasi columns, as text.
        sizes: The number of records of each cluster.
        radii: Its radius.
        sensitive: The values of each sensitive column.
        kind: Whether these are multisets or sets. A set does not state counts: then the first value gets the records
            that remain after one for each other value.
    """

    centres: pl.DataFrame
    sizes: NDArray[np.int64]
    radii: NDArray[np.float64]
    sensitive: Mapping[str, ClusterValues]
    kind: ValuesOption

    @classmethod
    def of(
        cls, frame: pl.DataFrame, quasi: Sequence[str], sensitive: Sequence[str], kind: ValuesOption
    ) -> "ClusterTable":
        """Read a table of clusters; raise a CertificateError that names the column and the row of an error."""
        records, radius = own_names([*quasi, *sensitive])
        if set(frame.columns) != {*quasi, records, radius, *sensitive}:
            raise CertificateError(
                f"The table of clusters does not have the required columns: those of the centre, '{records}', "
                f"'{radius}' and the sensitive ones."
            )
        sizes = np.array(_numbers(frame[records], _COUNT), dtype=np.int64)
        radii = np.array(_numbers(frame[radius], _LENGTH), dtype=np.float64)
        values = {name: _values(frame[name], sizes, kind) for name in sensitive}
        return cls(select_columns(frame, quasi), sizes, radii, values, kind)

    def __len__(self) -> int:
        return len(self.sizes)

    def describe(self) -> dict[str, int]:
        """Return the number of clusters and their sizes."""
        return {
            "count": len(self),
            "smallest": int(self.sizes.min(initial=2**62)),
            "largest": int(self.sizes.max(initial=0)),
        }

    def records(self, column: str | None = None) -> pl.DataFrame:
        """Return a row for each record: the number of its cluster, and its value of one sensitive column."""
        if column is None:
            return pl.DataFrame({CLUSTER: _named(np.repeat(np.arange(len(self)), self.sizes))})
        own = self.sensitive[column]
        entries = np.repeat(np.arange(len(own.counts)), own.counts)
        values = pl.Series(own.values, dtype=pl.String).gather(pl.Series(entries))
        return pl.DataFrame({CLUSTER: _named(own.owners[entries]), column: values})


def _named(numbers: NDArray[np.int64]) -> pl.Series:
    return pl.Series(numbers).cast(pl.String)


def _numbers(column: pl.Series, form: re.Pattern[str]) -> list[float]:
    texts = column.cast(pl.String).to_list()
    for row, text in enumerate(texts):
        if text is None or form.fullmatch(text) is None:
            raise CertificateError(f"The table of clusters has no number in row {row + 1} of column '{column.name}'.")
    return [float(text) if "." in text else int(text) for text in texts]


def _values(column: pl.Series, sizes: NDArray[np.int64], kind: ValuesOption) -> ClusterValues:
    owners: list[int] = []
    values: list[Label] = []
    counts: list[int] = []
    for row, (text, size) in enumerate(zip(column.cast(pl.String).to_list(), sizes.tolist(), strict=True)):
        told = _read(text, size, kind)
        if told is None:
            raise CertificateError(
                f"The table of clusters has no {kind} of {size} records in row {row + 1} of column '{column.name}'."
            )
        owners += [row] * len(told)
        values += told
        counts += told.values()
    return ClusterValues(np.array(owners, dtype=np.int64), tuple(values), np.array(counts, dtype=np.int64))


def _read(text: str | None, size: int, kind: ValuesOption) -> dict[Label, int] | None:
    """Return the values and counts of a cell for `size` records; None if the cell is malformed."""
    try:
        content = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    told: dict[Label, int] = {}
    if kind == "multiset" and isinstance(content, dict):
        told = {value or None: count for value, count in content.items() if type(count) is int and count > 0}
    elif kind == "set" and isinstance(content, list):
        told = {value: 1 for value in content if value is None or isinstance(value, str)}
        told = {value: 1 if place else size - len(told) + 1 for place, value in enumerate(told)}
    whole = sum(told.values()) == size and min(told.values(), default=0) > 0
    return told if whole and text == cell(list(told), list(told.values()), kind) else None
