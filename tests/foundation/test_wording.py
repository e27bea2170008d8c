import pytest

from shoal.foundation.wording import number_of


@pytest.mark.parametrize(
    ("number", "words", "text"),
    [
        (1, ("record",), "1 record"),
        (0, ("record",), "0 records"),
        (2, ("class",), "2 classes"),
        (1, ("different value",), "1 different value"),
        (1, ("record", "are"), "1 record is"),
        (3, ("record", "are"), "3 records are"),
        (1, ("record", "have"), "1 record has"),
        (1, ("cell", "hold"), "1 cell holds"),
        (1, ("record", "miss"), "1 record misses"),
    ],
)
def test_counts_as_people_write_them(number: int, words: tuple[str, ...], text: str) -> None:
    assert number_of(number, *words) == text
