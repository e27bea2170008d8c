import polars as pl

import shoal
from shoal.actions.suggestions.blanks import Blanks


def frame(**columns: list[str | None]) -> pl.DataFrame:
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.Categorical))


def test_a_word_among_numbers_or_dates_is_no_value() -> None:
    found = Blanks.of(frame(age=["1", "22", "-"], day=["2024-01-02", "NA", "NA"], sex=["f", "m", None]))
    assert (found.words, found.cells, found.doubtful) == (("-", "NA"), 3, {})


def test_a_word_in_several_columns_is_no_value_in_any() -> None:
    found = Blanks.of(frame(job=["a", "n/a", "b"], town=["x", "y", "n/a"]))
    assert (found.words, found.cells) == (("n/a",), 2)


def test_a_word_in_one_column_of_texts_may_be_a_value() -> None:
    found = Blanks.of(frame(country=["NA", "DE", "ZA"], age=["1", "2", "3"]))
    assert (found.words, found.cells, found.doubtful) == ((), 0, {"country": ("NA",)})


def test_a_column_of_nothing_else_tells_nothing() -> None:
    assert Blanks.of(frame(a=["-", "-"], b=["x", "y"])) == Blanks()


def payroll() -> pl.DataFrame:
    """Each class shows Y, N and NA, of which one is no answer."""
    rows = [(str(20 + i // 10), ("Y", "N", "NA")[i % 3]) for i in range(300)]
    return pl.DataFrame(rows, schema=["age", "union member"], orient="row").with_columns(
        hired=pl.Series(["NA" if i % 9 == 0 else f"2020-01-{1 + i % 28:02d}" for i in range(300)])
    )


def test_what_is_missing_is_no_value_that_a_promise_counts() -> None:
    proposal = shoal.init(payroll())
    assert proposal.as_dict()["missing_values"] == ["NA"]
    assert 'missing_values = ["NA"]' in proposal.toml()
    assert proposal.diversities["union member"].l == 2
    assert proposal.ladders["hired"].recipe is not None  # all of them are dates
    asked = shoal.init(payroll(), missing_values=[])
    assert asked.diversities["union member"].l == 3
    assert "missing_values" not in asked.toml()


def test_what_may_be_missing_is_asked() -> None:
    table = pl.DataFrame({"country": ["NA", "DE", "ZA"] * 9, "age": [*["31", "32", "33", "34"] * 6, "31", "32", "32"]})
    (note,) = (one for one in shoal.init(table).warnings if "country" in one)
    assert "Does NA in 'country' mean that the value is missing?" in note
    assert "--missing-values NA" in note
    (note,) = shoal.init(table, missing_values=["NA"]).warnings
    assert note.startswith("9 cells hold NA, which is taken as missing")
