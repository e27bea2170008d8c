import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels.fields import (
    PADDING,
    Words,
    join_fields,
    make_words,
    mark_fields,
    move_words,
    number_fields,
)

texts = st.text(st.characters(exclude_characters='\n\r,"', exclude_categories=["Cs"]), max_size=30)


def bytes_of(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode() + bytes(PADDING), dtype=np.uint8)


def marked(text: str) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    data = bytes_of(text)
    ends = np.empty(len(data), dtype=np.int32)
    return data, ends[: mark_fields(data, len(data) - PADDING, ord(","), ends)]


def numbered(columns: list[str]) -> tuple[list[int], list[str]]:
    """Number texts by first appearance with a dictionary; nothing is 0."""
    known: dict[str, int] = {"": 0}
    return [known.setdefault(text, len(known)) for text in columns], list(known)[1:]


def found(words: Words, state: NDArray[np.int64]) -> list[str]:
    return words.text[: state[1]].tobytes().decode().split("\n")[:-1]


@given(st.lists(st.tuples(texts, texts, texts), max_size=60))
def test_numbers_texts_as_a_dictionary_does(rows: list[tuple[str, str, str]]) -> None:
    data, ends = marked("".join(",".join(row) + "\n" for row in rows))
    for field in range(3):
        words, state = make_words(4, 64), np.zeros(2, dtype=np.int64)
        numbers, done = np.empty(len(rows), dtype=np.int32), 0
        while True:
            done = number_fields(data, ends, 3, field, numbers, done, words, state)
            if done == len(rows):
                break
            larger = make_words(len(words.slots), 2 * len(words.text))
            move_words(words, larger)
            words = larger
        assert (numbers.tolist(), found(words, state)) == numbered([row[field] for row in rows])


@pytest.mark.parametrize(("text", "ends"), [("a,b\n", [1, 3]), (",\n", [0, 1]), ("", []), ("é,\n\n", [2, 3, 4])])
def test_marks_the_ends_of_fields(text: str, ends: list[int]) -> None:
    assert marked(text)[1].tolist() == ends


def test_a_return_belongs_to_the_end_of_its_line_only() -> None:
    data, ends = marked("a\r,b\r\n\r,\r\n")
    words, state = make_words(4, 64), np.zeros(2, dtype=np.int64)
    numbers = np.empty(2, dtype=np.int32)
    assert number_fields(data, ends, 2, 0, numbers, 0, words, state) == 2
    assert (numbers.tolist(), found(words, state)) == ([1, 2], ["a\r", "\r"])
    words, state = make_words(4, 64), np.zeros(2, dtype=np.int64)
    assert number_fields(data, ends, 2, 1, numbers, 0, words, state) == 2
    assert (numbers.tolist(), found(words, state)) == ([1, 0], ["b"])


@given(st.data(), st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), min_size=1, max_size=8))
def test_joins_fields_as_python_does(data: st.DataObject, words: list[str]) -> None:
    table = data.draw(st.lists(st.lists(st.integers(0, len(words) - 1), min_size=3, max_size=3), max_size=20))
    fields = np.array(table, dtype=np.uint32).reshape(-1, 3).T
    lengths = np.array([len(word.encode()) for word in words])
    ends = np.cumsum(lengths)
    joined = join_fields(np.ascontiguousarray(fields), ends - lengths, ends, bytes_of("".join(words)))
    assert joined.tobytes() == "".join(words[number] for row in table for number in row).encode()
