"""Markdown of docstrings: sections, arguments over several lines, cells of tables."""

from docs.site.markdown import Docstring, cell, first_sentence, table
from docs.site.python_api import signature


def example(name: str, *, number: int | None = None) -> list[str]:
    """Return a promise (002 Theorem 3.1).

    Guarantee: none; really.
    More of it.

    Args:
        name: What it is called,
            and more.
        number: How many: one | two.

    Returns:
        A list.
    """
    return [name] * (number or 1)


def test_a_docstring_is_read_in_its_parts() -> None:
    found = Docstring.of(example)
    assert found.promise == "Return a promise."
    assert found.entries == {"name": "What it is called, and more.", "number": "How many: one | two."}
    assert found.paragraph("Guarantee") == "none; really. More of it."
    assert "**Returns:** A list." in found.markdown()
    assert "| `number` | How many: one \\| two. |" in found.markdown()


def test_a_docstring_that_is_not_there_is_empty() -> None:
    assert Docstring.of(lambda: None).markdown().strip() == ""


def test_a_signature_has_short_types() -> None:
    assert signature(example) == "(name: str, *, number: int | None = None) -> list[str]"


def test_cells_are_on_one_line() -> None:
    assert cell("a |\n b") == "a \\| b"
    assert table(("a",), [("b",)], sortable=True) == "{.sortable}\n| a |\n|---|\n| b |\n"
    assert first_sentence("One two. Three.") == "One two"
