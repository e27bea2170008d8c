"""Withheld: the sensitive values of suppressed records, which are one more class of what was put into a release.

Their values are those of the input less those of the release. Who knows both knows them, so that they have to keep the
promises as any class does.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.classes.tally import Tally
from shoal.tables.rows import Rows

_CELL = "\0"  # of the class of what is withheld: no cell of a release is that


def withheld_of(tally: Tally, parts: Parts, names: Sequence[str]) -> Rows | None:
    """Return the values that the suppressed records have in some sensitive columns; None if there are none."""
    gone = parts.classes < 0
    if not parts.counts[gone].any():
        return None
    number = {column.name: at for at, column in enumerate(tally.sensitive)}
    codes = tally.profile_codes[tally.profiles[parts.points[gone]]]
    frame = pl.DataFrame([_texts(tally, number[name], codes[:, number[name]], name) for name in names])
    return Rows.of(frame, list(names), parts.counts[gone])


def _texts(tally: Tally, number: int, codes: NDArray[np.int32], name: str) -> pl.Series:
    return pl.Series(name, [tally.sensitive[number].values[code] for code in codes.tolist()], dtype=pl.String)


def beside(rows: Rows, withheld: Rows, quasi: Sequence[str]) -> Rows:
    """Return the rows of a release with the withheld records as one more class."""
    frame = rows.frame.select(pl.all().cast(pl.String))
    more = {
        name: pl.Series(name, [_CELL] * withheld.frame.height, dtype=pl.String)
        if name in quasi
        else withheld.frame.get_column(name).cast(pl.String)
        if name in withheld.frame.columns
        else pl.Series(name, [None] * withheld.frame.height, dtype=pl.String)
        for name in frame.columns
    }
    return Rows(pl.concat([frame, pl.DataFrame(list(more.values()))]), np.concatenate([rows.counts, withheld.counts]))


def section_of(withheld: Rows) -> dict[str, Any]:
    """Return withheld values as a certificate tells them."""
    frame = withheld.frame.select(pl.all().cast(pl.String))
    pairs = sorted(zip(frame.rows(), withheld.counts.tolist(), strict=True), key=str)
    return {
        "columns": frame.columns,
        "values": [list(values) for values, _ in pairs],
        "records": [count for _, count in pairs],
    }


def of_section(section: Mapping[str, Any]) -> Rows:
    """Return withheld values that a certificate tells."""
    names = section["columns"]
    columns = [
        pl.Series(name, [values[at] for values in section["values"]], dtype=pl.String) for at, name in enumerate(names)
    ]
    return Rows(pl.DataFrame(columns), np.array(section["records"], dtype=np.int64))
