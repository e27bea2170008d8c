"""Lines: the records of a table as delimited text, each different text of a column made once."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.kernels.fields import PADDING, join_fields

_BLOCK = 1 << 16  # records that a thread turns into text at once


def write_lines(frame: pl.DataFrame, path: Path, delimiter: str) -> None:
    """Write a header and the records: UTF-8, line feeds, quotes where needed, nothing where a value is missing."""
    texts: list[bytes] = []
    begins, ends, codes = [], [], []
    first = size = 0
    for number, series in enumerate(frame.get_columns()):
        mark = "\n" if number == frame.width - 1 else delimiter
        text, begin, end, code = _texts(series, delimiter, mark)
        texts.append(text)
        begins.append(begin + size)
        ends.append(end + size)
        codes.append((code, first))
        first, size = first + len(begin), size + len(text)
    parts = (
        np.concatenate(begins),
        np.concatenate(ends),
        np.frombuffer(b"".join([*texts, bytes(PADDING)]), dtype=np.uint8),
    )

    def lines(start: int) -> NDArray[np.uint8]:
        block = [code[start : start + _BLOCK] + np.uint32(base) for code, base in codes]
        return join_fields(np.array(block, dtype=np.uint32), *parts)

    threads = os.cpu_count() or 1
    with path.open("wb") as file, ThreadPoolExecutor(threads) as pool:
        file.write(frame.clear().write_csv(separator=delimiter).encode())
        for starts in _batches(frame.height, threads):
            for block in pool.map(lines, starts):
                file.write(block.data)


def _batches(n_records: int, threads: int) -> Iterator[range]:
    """Return where the blocks of records begin, a few for each thread at a time: they stand in memory together."""
    step = 4 * threads * _BLOCK
    for start in range(0, n_records, step):
        yield range(start, min(start + step, n_records), _BLOCK)


def _texts(
    series: pl.Series, delimiter: str, mark: str
) -> tuple[bytes, NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32]]:
    """Return the texts of a column as they are written, each with its mark, and which of them each record has.

    Returns:
        All texts, where that of each code begins and ends, and the code of each record.
    """
    raw = series if series.dtype == pl.Categorical else series.cast(pl.String).cast(pl.Categorical)
    occurring = raw.unique().drop_nulls()
    numbers = occurring.to_physical().to_numpy()
    text = pl.col("text")
    quoted = pl.format('"{}"', text.str.replace_all('"', '""', literal=True))
    needed = (text == "") | text.str.contains_any(['"', "\n", "\r", delimiter])
    written = occurring.cast(pl.String).to_frame("text").select(pl.when(needed).then(quoted).otherwise(text) + mark)
    lengths = written["text"].str.len_bytes().to_numpy().astype(np.int64)
    missing = int(numbers.max(initial=0)) + 1
    begins, ends = np.zeros(missing + 1, dtype=np.int64), np.zeros(missing + 1, dtype=np.int64)
    ends[numbers] = np.cumsum(lengths)
    begins[numbers] = ends[numbers] - lengths
    begins[missing], ends[missing] = lengths.sum(), lengths.sum() + 1
    joined = "".join(written["text"].to_list()) + mark
    return joined.encode(), begins, ends, raw.to_physical().fill_null(missing).to_numpy()
