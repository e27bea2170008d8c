"""What reaches a person in a few cells of a column is found, and the column does not leave by default."""

import polars as pl
import pytest

import shoal
from shoal.tables.table import Role

N = 600
AGES = [str(20 + i % 50) for i in range(N)]


def _first(name: str, values: list[str]) -> tuple[Role, str, str]:
    column = shoal.init(pl.DataFrame({name: values, "age": AGES})).columns[0]
    return column.role, column.certainty, column.reason


@pytest.mark.parametrize(
    ("hidden", "noun"),
    [
        ("someone@example.org", "e-mail addresses"),
        ("ask someone@example.org, please", "e-mail addresses"),
        ("see https://example.org/someone", "web addresses"),
        ("078-05-1120", "US social security numbers"),
        ("00:1A:2b:3C:4d:5E", "MAC addresses"),
        ("+49 30 901820", "telephone numbers"),
    ],
)
@pytest.mark.parametrize("name", ["channel", "diagnosis", "occupation"])
def test_one_cell_is_enough(name: str, hidden: str, noun: str) -> None:
    """Before, a column of sixty labels with one address left, whatever it was called."""
    values = [f"label {i % 60}" for i in range(N - 1)] + [hidden]
    role, certainty, reason = _first(name, values)
    assert (role, certainty) == (Role.IDENTIFIER, "undecided")
    assert "1 of 61 different values" in reason
    assert noun in reason
    assert hidden not in reason


def test_texts_of_single_records_among_labels() -> None:
    texts = [f"asked the neighbour in number {i} to call again" for i in range(30)]
    values = [("paid", "open", "called")[i % 3] for i in range(N - len(texts))] + texts
    role, _, reason = _first("remarks2", values)
    assert (role, "free text" in reason) == (Role.IDENTIFIER, True)
    few = [("paid", "open", "called")[i % 3] for i in range(N - 5)] + texts[:5]
    assert _first("state", few)[0] != Role.IDENTIFIER


@pytest.mark.parametrize(
    "values",
    [
        [f"{i % 7}:{i % 9}" for i in range(N)],  # signs that addresses have too
        [f"v1.{i % 40}.2" for i in range(N)],
        [f"12-{i % 40}-1" for i in range(N)],
        [f"+{i % 40}" for i in range(N)],
        [f"@{i % 40}" for i in range(N)],
    ],
)
def test_signs_alone_hide_nothing(values: list[str]) -> None:
    assert _first("state", values)[0] != Role.IDENTIFIER


def test_a_person_may_keep_the_column() -> None:
    values = [f"label {i % 60}" for i in range(N - 1)] + ["someone@example.org"]
    found = shoal.init(pl.DataFrame({"channel": values, "age": AGES}), roles={"channel": "insensitive"})
    assert found.columns[0].role == "insensitive"
    assert "e-mail addresses" in found.columns[0].reason
