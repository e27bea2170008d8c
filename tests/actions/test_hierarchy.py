"""A sheet is edited without reading the table again; every edit is a new sheet."""

from pathlib import Path

import polars as pl
import pytest

from shoal.actions.hierarchy import Sheet, hierarchy
from shoal.foundation.errors import SpecError


@pytest.fixture
def sheet() -> Sheet:
    return hierarchy(pl.DataFrame({"ill": ["flu", "flu", "cold", "ulcer", None]}), "ill", "suppression")


def test_edits_give_new_sheets_with_the_same_counts(sheet: Sheet) -> None:
    lungs = sheet.grouped(["flu", "cold"], "lungs")
    assert {row[0]: row[1] for row in lungs.rows} == {"cold": "lungs", "flu": "lungs", "ulcer": "ulcer"}
    assert [(node.label, node.records) for node in lungs.tree().below] == [("lungs", 3), ("ulcer", 1)]
    assert lungs.missing == sheet.missing == 1
    assert {row[1] for row in lungs.moved(["ulcer"], "lungs").rows} == {"lungs"}
    assert {row[1] for row in lungs.renamed("lungs", "chest").rows} == {"chest", "ulcer"}
    assert len(lungs.with_level(1).without_level(1).rows[0]) == 3
    assert all(len(row) == 2 for row in sheet.rows)


def test_a_sheet_is_made_anew_by_another_type() -> None:
    ages = hierarchy(pl.DataFrame({"age": [21, 22, 37, None]}), "age", "suppression")
    remade = ages.remade("intervals", widths=[10, 20])
    assert [row[1:3] for row in remade.rows] == [["20-29", "20-39"], ["20-29", "20-39"], ["30-39", "20-39"]]
    assert (remade.counts, remade.missing) == (ages.counts, 1)
    assert ages.remade("auto").rows[0][0] == "21"
    with pytest.raises(SpecError, match="Unknown type"):
        ages.remade("interval")


def test_groups_come_from_a_file_of_the_folder(sheet: Sheet, tmp_path: Path) -> None:
    (tmp_path / "groups.csv").write_text("flu;lungs\ncold;lungs\n")
    remade = sheet.remade("groups", folder=tmp_path, path="groups.csv")
    assert {row[0]: row[1] for row in remade.rows} == {"flu": "lungs", "cold": "lungs", "ulcer": "ulcer"}


def test_edits_are_written_as_the_file_that_a_job_reads(sheet: Sheet, tmp_path: Path) -> None:
    sheet.grouped(["flu", "cold"], "lungs").write(tmp_path / "ill.csv")
    again = sheet.remade("levels", folder=tmp_path, path="ill.csv")
    assert again.rows == sheet.grouped(["flu", "cold"], "lungs").rows
    assert again.lacking == ()
