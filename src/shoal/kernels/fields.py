"""Fields of delimited text: where they end, which texts they hold, and rows of texts as bytes again."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.grouping import mix

NEWLINE, RETURN = b"\n\r"
PADDING = 8  # bytes that must follow every text, since texts are read eight bytes at a time
_PRIME = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


class Words(NamedTuple):
    """The different texts of a column, numbered from 1 as they first appear; number 0 is the empty text.

    Args:
        slots: A hash table: the hash of a text, its number, and where it begins, side by side since all are needed at
            once; the number is 0 where there is none.
        text: All texts, each ended by a line feed, and room for more.
    """

    slots: NDArray[np.uint64]
    text: NDArray[np.uint8]


def make_words(size: int, room: int) -> Words:
    """Return space for up to `size` texts, a power of two, of up to `room` bytes in all."""
    return Words(np.zeros((2 * size, 3), dtype=np.uint64), np.zeros(room + PADDING, dtype=np.uint8))


@kernel
def move_words(words: Words, larger: Words) -> None:
    """Copy all texts into larger space, which is empty. O(size)."""
    larger.text[: words.text.shape[0]] = words.text
    last = np.uint64(larger.slots.shape[0] - 1)
    for old in range(words.slots.shape[0]):
        if words.slots[old, 1] > 0:
            slot = words.slots[old, 0] & last
            while larger.slots[slot, 1] > 0:
                slot = (slot + np.uint64(1)) & last
            larger.slots[slot] = words.slots[old]


@inner_kernel
def eight(data: NDArray[np.uint8], at: int, length: int) -> np.uint64:
    """Return the bytes of a text from `at` on as a number: eight of them, or the `length` that are left."""
    i = np.uint64(at)
    word = np.uint64(0)
    for place in range(8):
        word |= np.uint64(data[i + np.uint64(place)]) << np.uint64(8 * place)
    return word if length >= 8 else word & ((np.uint64(1) << np.uint64(8 * length)) - np.uint64(1))


@inner_kernel
def is_text(text: NDArray[np.uint8], start: int, data: NDArray[np.uint8], begin: int, length: int) -> bool:
    """Tell whether the text that begins at `start` is that of a field; it has no line feed but at its end."""
    start = int(np.int64(start))
    for i in range(0, length, 8):
        if eight(data, begin + i, length - i) != eight(text, start + i, length - i):
            return False
    return text[start + length] == NEWLINE


@kernel
def mark_fields(data: NDArray[np.uint8], length: int, delimiter: int, ends: NDArray[np.int32]) -> int:
    """Write where each field ends, at a delimiter or a line end, and return their number. O(bytes)."""
    count = 0
    for i in range(length):
        ends[count] = i
        count += (data[i] == delimiter) | (data[i] == NEWLINE)
    return count


@inner_kernel
def hash_text(data: NDArray[np.uint8], begin: int, length: int) -> np.uint64:
    """Return a hash of a text, eight bytes at a time."""
    key = np.uint64(length)
    for i in range(0, length, 8):
        key = (key ^ eight(data, begin + i, length - i)) * _PRIME
        key ^= key >> _HALF
    return mix(key)


@inner_kernel
def number_text(data: NDArray[np.uint8], begin: int, length: int, words: Words, state: NDArray[np.int64]) -> int:
    """Return the number of a text, a new one if it is new, or -1 if there is no room for it."""
    last = np.uint64(words.slots.shape[0] - 1)
    key = hash_text(data, begin, length)
    slot = key & last
    while words.slots[slot, 1] > 0:
        if words.slots[slot, 0] == key and is_text(words.text, words.slots[slot, 2], data, begin, length):
            return int(np.int64(words.slots[slot, 1]))
        slot = (slot + np.uint64(1)) & last
    start = state[1]
    if 2 * (state[0] + 1) > words.slots.shape[0] or start + length + 1 + PADDING > words.text.shape[0]:
        return -1
    for i in range(length):
        words.text[start + i] = data[begin + i]
    words.text[start + length] = NEWLINE
    state[0] += 1
    state[1] += length + 1
    words.slots[slot, 0] = key
    words.slots[slot, 1] = state[0]
    words.slots[slot, 2] = start
    return state[0]


@kernel
def number_fields(
    data: NDArray[np.uint8],
    ends: NDArray[np.int32],
    n_fields: int,
    field: int,
    numbers: NDArray[np.int32],
    done: int,
    words: Words,
    state: NDArray[np.int64],
) -> int:
    """Number the texts of one field, record by record, and add those that are new, until there is no room for one.

    A return before a line end belongs to that end. O(bytes of the field).

    Args:
        data: Whole records, and `PADDING` more bytes.
        ends: Where each field of all records ends.
        n_fields: The number of fields of a record.
        field: Which of them.
        numbers: Where to write the number of the text of each record.
        done: The number of records to pass over.
        words: The texts.
        state: How many texts there are, and how many bytes of `words.text` they take;
            both are brought up to date.

    Returns:
        How many records are done now.
    """
    for record in range(done, numbers.shape[0]):
        at = record * n_fields + field
        begin = ends[at - 1] + 1 if at > 0 else 0
        length = ends[at] - begin
        if field == n_fields - 1 and length > 0 and data[ends[at] - 1] == RETURN:
            length -= 1
        number = number_text(data, begin, length, words, state) if length > 0 else 0
        if number < 0:
            return record
        numbers[record] = number
    return numbers.shape[0]


@inner_kernel
def put_eight(data: NDArray[np.uint8], at: int, word: np.uint64) -> None:
    """Write a number as eight bytes."""
    i = np.uint64(at)
    for place in range(8):
        data[i + np.uint64(place)] = np.uint8(word >> np.uint64(8 * place))


@kernel
def join_fields(
    fields: NDArray[np.uint32], begins: NDArray[np.int64], ends: NDArray[np.int64], text: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Return the texts `fields[column, record]` of all columns, record by record; text t is `text[begins[t]:ends[t]]`.

    `PADDING` more bytes must follow the last text. O(bytes).
    """
    n_columns, n_records = fields.shape
    size = 0
    for j in range(n_columns):
        for i in range(n_records):
            size += ends[fields[j, i]] - begins[fields[j, i]]
    joined = np.empty(size + PADDING, dtype=np.uint8)
    at = 0
    for i in range(n_records):
        for j in range(n_columns):
            begin, length = begins[fields[j, i]], ends[fields[j, i]] - begins[fields[j, i]]
            for place in range(0, length, 8):
                put_eight(joined, at + place, eight(text, begin + place, 8))
            at += length
    return joined[:size]
