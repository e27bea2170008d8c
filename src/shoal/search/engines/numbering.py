"""Numbering: persons as they leave, told apart within their class and nowhere else."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.table import Column


def numbered(
    classes: NDArray[np.int32], persons: Column, rows: NDArray[np.int32], turns: NDArray[np.int32] | None = None
) -> Column:
    """Return the number of each record's person within its class, from 1.

    The persons of a class are numbered in the order of what is published of them, those who show the same by their
    first records. So the numbers tell who of a class has which records, and nothing else: neither the raw values, nor
    their order, nor who of one class is who of another.

    Args:
        classes: The published class of each record.
        persons: The person of each record.
        rows: What is published of each record beside the person, as a number that orders equal tables alike.
        turns: What decides on persons who show the same, in place of their first records: the least is the first.
    """
    sizes = [int(classes.max(initial=-1)) + 1, len(persons.values)]
    unit_of, units = distinct_rows([classes, persons.codes], sizes, len(classes))
    order = np.lexsort((rows, unit_of))
    shown = rows[order].astype(">u8").tobytes()  # texts of bytes are in the order of the numbers
    ends = np.concatenate([[0], np.cumsum(np.bincount(unit_of, minlength=len(units)))]) * 8
    signs = [shown[start:end] for start, end in pairwise(ends.tolist())]
    first = np.full(len(units), len(classes), dtype=np.int64)
    np.minimum.at(first, unit_of, np.arange(len(classes)) if turns is None else turns)
    keys = list(zip(units[:, 0].tolist(), signs, first.tolist(), strict=True))
    ranked = np.array(sorted(range(len(units)), key=keys.__getitem__), dtype=np.int64)
    firsts = np.searchsorted(units[:, 0], units[:, 0])  # units are in the order of their classes
    numbers = np.empty(len(units), dtype=np.int64)
    numbers[ranked] = np.arange(len(units)) - firsts
    texts = sorted(str(number + 1) for number in range(int(numbers.max(initial=-1)) + 1))
    code_of = np.empty(len(texts), dtype=np.uint32)
    code_of[[int(text) - 1 for text in texts]] = np.arange(len(texts), dtype=np.uint32)
    return Column(texts, code_of[numbers][unit_of])
