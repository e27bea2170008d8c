from pathlib import Path
from typing import Literal

import pytest
from pydantic import TypeAdapter, ValidationError

from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies import Hierarchy, Masking


def build(spec: Masking, *values: str) -> Hierarchy:
    return spec.build(values, "zip", Path())


def test_zip_codes_from_the_right() -> None:
    assert build(Masking(), "22031", "22030", "31000").labels == (
        ("22030", "22031", "31000"),
        ("2203*", "3100*"),
        ("220**", "310**"),
        ("22***", "31***"),
        ("2****", "3****"),
        ("*",),
    )


def test_from_the_left_with_another_character() -> None:
    assert build(Masking(side="left", character="x"), "1a", "2a", "2b").labels == (
        ("1a", "2a", "2b"),
        ("xa", "xb"),
        ("*",),
    )


@pytest.mark.parametrize(("levels", "height"), [(1, 2), (2, 3), (3, 4), (4, 4), (9, 4)])
def test_the_number_of_masked_levels(levels: int, height: int) -> None:
    hierarchy = build(Masking(levels=levels), "1234", "1235")
    assert hierarchy.height == height
    assert hierarchy.labels[-1] == ("*",)


def test_shorter_values_stay_until_the_mask_reaches_them() -> None:
    assert build(Masking(), "220", "22030", "9").labels == (
        ("220", "22030", "9"),
        ("220", "2203*", "9"),
        ("220**", "9"),
        ("22***", "9"),
        ("2****", "9****"),
        ("*",),
    )
    assert build(Masking(side="left"), "030", "22030", "9").labels[1:] == (
        ("030", "*2030", "9"),
        ("**030", "9"),
        ("***30", "9"),
        ("****0", "****9"),
        ("*",),
    )


def test_values_that_hold_the_mask_character_share_no_label_by_accident() -> None:
    hierarchy = build(Masking(), "ab*", "abc", "ab", "a**", "**", "*")
    assert [hierarchy.size(level) for level in range(4)] == [6, 4, 2, 1]
    assert hierarchy.labels[1] == ("*", "***", "a**", "ab*")


@pytest.mark.parametrize("values", [("a", "b"), ("a",), ("",)])
def test_single_characters_are_only_suppressed(values: tuple[str, ...]) -> None:
    assert build(Masking(), *values).labels == (values, ("*",))


def test_without_values() -> None:
    assert build(Masking()).labels == ((), ("*",))


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_job_file_says_from(side: Literal["left", "right"]) -> None:
    adapter = TypeAdapter(Masking)
    spec = adapter.validate_python({"from": side, "levels": 2, "character": "#"})
    assert spec == Masking(side=side, levels=2, character="#")
    assert adapter.dump_python(spec, by_alias=True, exclude_none=True) == {"from": side, "levels": 2, "character": "#"}


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("from", "top", "Input should be 'right' or 'left'"),
        ("levels", 0, "Input should be greater than or equal to 1"),
        ("character", "##", "String should have at most 1 character"),
        ("character", "", "String should have at least 1 character"),
    ],
)
def test_a_job_file_is_checked(field: str, value: object, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Masking).validate_python({field: value})
    assert [error["msg"] for error in caught.value.errors()] == [message]


def test_python_is_checked_too() -> None:
    with pytest.raises(SpecError, match=r"^Masking: levels is 0: Input should be greater than or equal to 1"):
        Masking(levels=0)
    with pytest.raises(SpecError, match=r"^Masking: character: String should have at most 1 character"):
        Masking(character="##")
