"""Texts that a spreadsheet program would run: which they are, and that quoting them loses nothing."""

from itertools import product

import numpy as np
import polars as pl
import pytest

from shoal.tables.formulas import (
    FormulaColumn,
    formulas_in,
    is_formula,
    quoted,
    quoted_frame,
    unquoted,
    unquoted_frame,
)
from shoal.tables.rows import Rows


@pytest.mark.parametrize(
    "text", ["=1", "+a", "-a", "@a", "\ta", "\ra", "\na", "=", "-", "+", "@", "-3 - 4", "-1+1", "\uff1da", "-5x", "--5"]
)
def test_formulas(text: str) -> None:
    assert is_formula(text)
    assert quoted(text) == f"'{text}"


@pytest.mark.parametrize(
    "text", ["", "a", "1", "-5", "+5", "-0.5", "+1e-9", "-.5", "-5.", "'", "'a", "a=b", " =1", "[-5, 3)"]
)
def test_other_texts(text: str) -> None:
    assert not is_formula(text)
    assert quoted(text) == text
    assert unquoted(text) == text


def test_no_two_texts_are_quoted_alike_and_each_comes_back() -> None:
    """All texts of up to five of these characters."""
    texts = ["".join(signs) for length in range(6) for signs in product("'=-5a\t", repeat=length)]
    made = [quoted(text) for text in texts]
    assert len(set(made)) == len(texts)
    assert [unquoted(text) for text in made] == texts
    assert not any(map(is_formula, made))


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical])
def test_tables_with_their_names(dtype: pl.DataType) -> None:
    frame = pl.DataFrame({"=a": ["=1", None, "-5", "'=1"], "*": ["x", "y", "z", ""]}).cast(dtype)
    made = quoted_frame(frame)
    assert made.columns == ["'=a", "*"]
    assert made.cast(pl.String).rows() == [("'=1", "x"), (None, "y"), ("-5", "z"), ("''=1", "")]
    assert unquoted_frame(made).equals(frame)
    assert made.dtypes == frame.dtypes


def test_what_a_report_counts() -> None:
    records = pl.DataFrame({"=a": ["1", "2"], "b": ["=x", "=x"], "c": ["-1", None], "d": ["'=1", "@"]})
    clusters = pl.DataFrame({"b": ["=x"], "e": ["+"]})
    assert formulas_in([Rows(records, np.array([2, 1])), Rows.each(clusters)]) == (
        FormulaColumn("=a", True, 0),
        FormulaColumn("b", False, 4),
        FormulaColumn("d", False, 1),
        FormulaColumn("e", False, 1),
    )
    assert formulas_in([Rows.each(records.select("c"))]) == ()
