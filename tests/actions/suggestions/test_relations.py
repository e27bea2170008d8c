"""Copies and functions of columns, against the plain definition."""

from itertools import permutations
from random import Random

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.actions.suggestions.profile import Profile
from shoal.actions.suggestions.relations import Relations, relations_of

N = 120
DRAW = Random(3)  # noqa: S311


def related(columns: dict[str, list[str | None]]) -> Relations:
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    return relations_of([Profile.of(column) for column in frame])


def test_copies_in_other_words_and_functions() -> None:
    class_ = DRAW.choices(["1", "2", "3"], k=N)
    town = DRAW.choices(["a", "b", "c", "d", "e"], k=N)
    found = related(
        {
            "pclass": [*class_],
            "class": [{"1": "First", "2": "Second", "3": "Third"}[one] for one in class_],
            "town": [*town],
            "land": ["x" if one in "ab" else "y" for one in town],
            "free": [*DRAW.choices("uvw", k=N)],
            "same": ["constant"] * N,
        }
    )
    assert found.copies == (("pclass", "class"),)
    assert found.follows == (("town", "land"),)


def test_equal_columns_are_copies_however_many_values_they_have() -> None:
    days: list[str | None] = [f"2013-{i % 12 + 1:02}-{i % 28 + 1:02} {i}" for i in range(N)]
    found = related({"a": days, "b": days, "c": [*reversed(days)], "d": days})
    assert found.copies == (("a", "b", "d"),)
    assert found.follows == ()


def test_a_column_that_hardly_varies_follows_from_nothing() -> None:
    assert related({"a": [*DRAW.choices("uvwxyz", k=N)], "b": [*["no"] * (N - 1), "yes"]}).follows == ()


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.sampled_from(["u", "v", None])), min_size=2)
)
def test_what_is_said_to_follow_does(rows: list[tuple[str, str, str | None]]) -> None:
    names = ("p", "q", "r")
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    found = related(columns)

    def follows(first: str, second: str) -> bool:
        return len(set(zip(columns[first], columns[second], strict=True))) == len(set(columns[first]))

    for first, second in found.follows:
        assert follows(first, second)
    for group in found.copies:
        assert all(follows(first, second) for first, second in permutations(group, 2))


def test_one_of_several_copies_is_kept_and_a_quasi_that_tells_is_said() -> None:
    draws = DRAW.choices(range(40), k=N)
    table = pl.DataFrame(
        {
            "survived": [str(i % 2) for i in draws],
            "alive": [("no", "yes")[i % 2] for i in draws],
            "city": [f"Ort{i % 10}" for i in draws],
            "diagnosis": [("flu", "cold", "ulcer", "asthma", "hiv")[i % 10 // 2] for i in draws],
        }
    )
    found = shoal.init(table)
    assert [str(column.role) for column in found.columns] == ["omitted", "sensitive", "quasi", "sensitive"]
    assert any("'survived', 'alive' say the same" in words and "Kept: 'alive'" in words for words in found.warnings)
    assert any("'diagnosis' follows from 'city'" in words for words in found.warnings)
    assert found.as_dict()["relations"]["copies"] == [["survived", "alive"]]
