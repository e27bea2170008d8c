"""An SPSS survey: codes in, labels and reasons back out, nothing else of the file."""

from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pyreadstat
import pytest

from shoal.foundation.errors import SpecError
from shoal.tables.formats.codebook import Codebook, Entry
from shoal.tables.formats.sav import Sav
from tests.cli.run import done
from tests.tables.formats import survey


def meta_of(path: Path) -> Any:
    return pyreadstat.read_sav(path, user_missing=True, output_format="dict")


def release(folder: Path, *flags: str) -> Path:
    source, out = survey.write_sav(folder / "in.sav"), folder / "out"
    age = "age={ type = 'intervals', widths = [10, 20] }"
    done("anonymize", source, *survey.ROLES, "--hierarchy", age, "--format", "sav", "--out", out, *flags)
    done("verify", out)
    return out / "public/data.sav"


def test_values_are_codes_and_the_codebook_tells_what_they_mean(tmp_path: Path) -> None:
    path = survey.write_sav(tmp_path / "in.sav")
    frame = Sav().read(path, keep=["age", "income", "score", "name"])
    texts = frame["income"].cast(pl.String).to_list()
    assert texts == [None if row[4] is None else f"{row[4]:.0f}" for row in survey.rows()]
    assert set(frame["score"].cast(pl.String)) == {"1.5", "2"}
    book = Sav().codebook(path, frame)
    assert book["age"] == Entry("Age in years", {"998": "refused", "999": "does not know"}, (("998", "999"),))
    assert book["income"].missing == (("97",), ("98",))
    assert book["name"].text
    assert book.labelled == ["age", "income"]


def test_a_release_keeps_labels_and_reasons_and_nothing_else(tmp_path: Path) -> None:
    path = release(tmp_path, "--k", "3", "--algorithm", "optimal", "--max-suppressed", "0.2")
    columns, meta = meta_of(path)
    assert meta.variable_value_labels["sex"] == {1.0: "male", 2.0: "female"}
    assert meta.variable_value_labels["region"] == {1.0: "north", 2.0: "south"}
    assert meta.variable_value_labels["income"] == {1.0: "low", 2.0: "high", 97.0: "refused", 98.0: "does not know"}
    assert {one["lo"] for one in meta.missing_ranges["income"]} == {97.0, 98.0}
    assert meta.column_names_to_labels["age"] == "Age in years"
    assert not meta.file_label
    assert not meta.notes
    assert meta.creation_time.year == 2000
    content = path.read_bytes()
    assert b"CANARY" not in content
    assert b"Person" not in content
    ages = Counter(str(value) for value in columns["age"])
    assert {age.removesuffix(".0") for age in ages} >= {"998", "999"}  # the reasons stay apart


def test_a_generalized_column_is_text_with_the_labels_of_the_codes_that_are_left(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": ["[20, 30[", "998", None], "sex": ["1", "*", "1"], "zip": ["1", "2", "3"]})
    book = Codebook(
        {
            "age": Entry("Age", {"998": "refused", "25": "CANARY"}, (("998", "999"),)),
            "sex": Entry("", {"1": "male", "2": "CANARY"}),
            "zip": Entry(text=True),
        }
    )
    path = tmp_path / "out.sav"
    Sav().write(frame, path, codebook=book)
    columns, meta = meta_of(path)
    assert columns == {"age": ["[20, 30[", "998", ""], "sex": ["1", "*", "1"], "zip": ["1", "2", "3"]}
    assert meta.variable_value_labels == {"age": {"998": "refused"}, "sex": {"1": "male"}}
    assert meta.missing_ranges == {"age": [{"lo": "998", "hi": "998"}]}
    assert b"CANARY" not in path.read_bytes()
    assert Sav().kept_labels(frame, book) == ["age", "sex"]


@pytest.mark.parametrize("missing", ["drop", "wildcard"])
def test_reasons_count_as_missing(tmp_path: Path, missing: str) -> None:
    path = release(tmp_path, "--k", "1", "--missing", missing, "--algorithm", "optimal")
    columns, _ = meta_of(path)
    without = [row for row in survey.rows() if row[1] not in (998.0, 999.0, None)]
    assert not {998.0, 999.0, "998", "999"} & set(columns["age"])
    if missing == "drop":
        assert len(without) == len(columns["age"])


def test_in_free_ranges_all_reasons_are_one(tmp_path: Path) -> None:
    source, out = survey.write_sav(tmp_path / "in.sav"), tmp_path / "out"
    ran = done(
        "anonymize", source, *survey.ROLES, "--k", "3", "--algorithm", "mondrian", "--format", "sav", "--out", out
    )
    assert "all reasons are one in age" in ran.out
    columns, _ = meta_of(out / "public/data.sav")
    assert not any("99" in str(value) for value in columns["age"])  # no range reaches up to 999
    assert set(map(str, columns["sex"])) <= {"1.0", "2.0", "1", "2", "{1, 2}", "*"}


@pytest.mark.parametrize("name", ["1a", "_a", "a b", "a.", "and", "x" * 65, "ä" * 33, "*", "", "¼", "@a"])
def test_names_that_spss_refuses(name: str) -> None:
    with pytest.raises(SpecError, match="An SPSS file cannot hold columns of the name"):
        Sav().check([name], 1)
    Sav().check(["Größe", "a@$#_", "a.b", "日本"], 1)
    with pytest.raises(SpecError, match="'A', 'a'"):
        Sav().check(["A", "a"], 1)


def test_what_does_not_fit_is_refused_without_its_value(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="a text of 60000 bytes") as caught:
        Sav().write(pl.DataFrame({"a": ["CANARY" * 10_000]}), tmp_path / "a.sav")
    assert "CANARY" not in str(caught.value)
