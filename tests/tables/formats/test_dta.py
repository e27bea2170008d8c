"""A Stata survey: codes in, labels and reasons back out, nothing else of the file."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyreadstat
import pytest

from shoal.foundation.errors import SpecError
from shoal.tables.formats.codebook import Codebook, Entry
from shoal.tables.formats.dta import Dta
from tests.cli.run import done
from tests.tables.formats import survey


def meta_of(path: Path) -> Any:
    return pyreadstat.read_dta(path, user_missing=True, output_format="dict")


def test_reasons_are_read_as_stata_writes_them(tmp_path: Path) -> None:
    path = survey.write_dta(tmp_path / "in.dta")
    frame = Dta().read(path)
    reason = {97.0: ".r", 98.0: ".k", None: None, 1.0: "1", 2.0: "2"}
    assert frame["income"].cast(pl.String).to_list() == [reason[row[4]] for row in survey.rows()]
    book = Dta().codebook(path, frame)
    assert book["income"].values == {"1": "low", "2": "high", ".r": "refused", ".k": "does not know"}
    assert book["age"].codes == {".a", ".b"}


def test_a_short_float_has_its_own_digits(tmp_path: Path) -> None:
    path = tmp_path / "in.dta"
    pd.DataFrame({"a": np.array([1.6, 0.1], dtype="float32"), "b": [1.6, 1 / 3]}).to_stata(
        path, write_index=False, version=118
    )
    assert Dta().read(path).rows() == [("1.6", "1.6"), ("0.1", "0.3333333333333333")]


def test_a_release_keeps_labels_and_reasons_and_nothing_else(tmp_path: Path) -> None:
    source, out = survey.write_dta(tmp_path / "in.dta"), tmp_path / "out"
    flags = ("--k", "3", "--algorithm", "optimal", "--max-suppressed", "0.2", "--format", "dta")
    age = "age={ type = 'intervals', widths = [10, 20] }"
    done("anonymize", source, *survey.ROLES, *flags, "--hierarchy", age, "--out", out)
    done("verify", out)
    columns, meta = meta_of(out / "public/data.dta")
    assert meta.variable_value_labels["sex"] == {1: "male", 2: "female"}
    assert meta.variable_value_labels["income"] == {1: "low", 2: "high", "r": "refused", "k": "does not know"}
    assert set(columns["income"]) == {1, 2, "r", "k", None}
    assert meta.column_names_to_labels["age"] == "Age in years"
    assert not meta.file_label
    content = (out / "public/data.dta").read_bytes()
    assert b"CANARY" not in content
    assert b"Person" not in content
    assert b"01 Jan 1960 00:00" in content


def test_labels_of_texts_are_dropped_and_this_is_said(tmp_path: Path) -> None:
    frame = pl.DataFrame({"sex": ["1", "*", None], "age": [".a", "3", None], "far": ["1", "3000000000", None]})
    labels = {"1": "male", "2": "CANARY"}
    book = Codebook({"sex": Entry("Sex", labels), "age": Entry(missing=((".a",),)), "far": Entry("", labels)})
    path = tmp_path / "out.dta"
    Dta().write(frame, path, codebook=book)
    columns, meta = meta_of(path)
    assert columns == {"sex": ["1", "*", ""], "age": ["a", 3, None], "far": [1.0, 3e9, None]}
    assert meta.variable_value_labels == {}
    assert Dta().kept_labels(frame, book) == []
    assert b"CANARY" not in path.read_bytes()


def test_another_reader_sees_the_same(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "whole": ["1", "2", None],
            "far": ["3000000000", "0.5", None],
            "day": ["2024-05-31", "1999-12-31", None],
            "text": ["é", "x" * 3000, None],
            "label": ["1", "2", "1"],
        }
    )
    path = tmp_path / "out.dta"
    Dta().write(frame, path, codebook=Codebook({"label": Entry("Sex", {"1": "male", "2": "female"})}))
    seen = pd.read_stata(path)
    assert list(seen["whole"].dropna()) == [1, 2]
    assert list(seen["far"].dropna()) == [3e9, 0.5]
    assert [str(day)[:10] for day in seen["day"].dropna()] == ["2024-05-31", "1999-12-31"]
    assert list(seen["text"]) == ["é", "x" * 3000, ""]
    assert list(seen["label"]) == ["male", "female", "male"]
    with pd.read_stata(path, iterator=True) as reader:
        assert reader.data_label == ""
        assert reader.variable_labels()["label"] == "Sex"


@pytest.mark.parametrize("name", ["1a", "a b", "a.b", "int", "str8", "_all", "x" * 33, "*", "", "¼"])
def test_names_that_stata_refuses(name: str) -> None:
    with pytest.raises(SpecError, match="A Stata file cannot hold columns of the name"):
        Dta().check([name], 1)
    Dta().check(["Größe", "_a", "a1", "日本"], 1)
