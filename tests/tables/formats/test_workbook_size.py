"""How large a workbook is once it is unpacked, and how far its cells are apart."""

import zipfile
from pathlib import Path

import polars as pl
import pytest

from shoal import SpecError
from shoal.foundation.budgets import limits
from shoal.tables.formats.workbook_size import _Extent, check_workbook
from shoal.tables.formats.xlsx import Xlsx


def _packed(path: Path, **parts: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("xml", "count", "cells"),
    [
        ('<c r="A1"><v>1</v></c>', 1, 1),
        ('<c r="B2"><v>1</v></c><c r="C4" t="s"><v>1</v></c>', 2, 9),
        ("<x:c t=\"n\" r = 'aa10'><v>1</v></x:c>", 1, 27),
        ('<c r="A1"><v>1</v></c><c r="XFD1048576" s="1"/>', 1, 1),
        ('<c r="A1"><v>1</v></c><c r="XFD1048576"><v>1</v></c>', 2, 16_384 * 1_048_576),
        ('<row r="7"><c><v>1</v></c></row>', 1, 1),
        ('<row r="7"><c><v>1</v></c></row><row r="9" s="1"><c t="n"><v>1</v></c></row>', 2, 3),
        ('<row r="7" s="1"/><row r="900"></row>', 0, 0),
        ('<col r="A1"/>', 0, 0),
    ],
)
def test_where_cells_are(xml: str, count: int, cells: int) -> None:
    extent = _Extent()
    extent.take(xml.encode())
    assert (extent.count, extent.cells) == (count, cells)


def test_a_full_sheet_may_be_large_and_an_empty_one_small(tmp_path: Path) -> None:
    far = '<c r="A1"><v>1</v></c><c r="{}"><v>1</v></c>'
    check_workbook(_packed(tmp_path / "small.xlsx", sheet=far.format("J400000")))
    with pytest.raises(SpecError, match="4000010 cells, of which at most 2 are not empty"):
        check_workbook(_packed(tmp_path / "large.xlsx", sheet=far.format("J400001")))


def test_cells_are_found_across_pieces(tmp_path: Path) -> None:
    """The name of the far cell is cut in two by the end of a piece of a megabyte."""
    for offset in range(0, 30, 3):
        text = '<c r="A1"><v>' + "1" * ((1 << 20) - 30 + offset) + '</v></c><c r="XFD1048576"><v>1</v></c>'
        with pytest.raises(SpecError, match="far"):
            check_workbook(_packed(tmp_path / "cut.xlsx", sheet=text))


def test_what_unpacks_to_too_much(tmp_path: Path) -> None:
    path = _packed(tmp_path / "bomb.xlsx", sheet=" " * (300 << 20))
    with pytest.raises(SpecError, match=r"100 times its size.*--max-bytes"):
        check_workbook(path)
    with limits(max_bytes=300 << 20):
        check_workbook(path)
    with limits(max_bytes=(300 << 20) - 1), pytest.raises(SpecError, match="unpacked parts"):
        check_workbook(path)


def test_a_large_workbook_of_ours_is_read(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"a": ["a long text that is always the same" * 10] * 20_000, "b": [str(n) for n in range(20_000)]}
    )
    Xlsx().write(frame, tmp_path / "table.xlsx")
    assert Xlsx().read(tmp_path / "table.xlsx").height == 20_000


def test_a_workbook_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "no.xlsx").write_bytes(b"PK\x03\x04 no")
    with pytest.raises(SpecError, match="not an Excel workbook"):
        check_workbook(tmp_path / "no.xlsx")
