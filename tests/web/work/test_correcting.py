from pathlib import Path
from typing import Any

import openpyxl
import pytest

import shoal
from shoal.foundation.errors import SpecError
from shoal.foundation.progress import silent
from shoal.web.work.correcting import ENCODINGS, corrected


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_text_is_the_same_after_it_was_read_in_its_encoding(tmp_path: Path, encoding: str) -> None:
    text = 'a,b\r\n"x ""1""\r\n",\r\n'
    (tmp_path / "t.csv").write_bytes(text.encode(ENCODINGS[encoding]))
    (tmp_path / "made").mkdir()
    made = corrected(tmp_path / "t.csv", tmp_path / "made", silent, encoding=encoding)
    assert made.read_bytes() == text.encode()


def test_a_header_of_several_lines_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    rows = 'é,"one\ntwo"\n3,"a ""b"""\n' * 3
    (tmp_path / "t.csv").write_text(f'\ufeff"first\nline",,first;\n{rows}', newline="")
    (tmp_path / "made").mkdir()
    made = corrected(tmp_path / "t.csv", tmp_path / "made", silent, names={"1": 'the "b"', "2": "c,d"})
    assert made.read_bytes().decode() == f'"first\nline","the ""b""","c,d"\n{rows}'


def test_a_file_larger_than_a_block_is_copied_whole(tmp_path: Path) -> None:
    text = "a,\n" + "äöü,1\n" * 300_000
    (tmp_path / "t.csv").write_text(text)
    (tmp_path / "made").mkdir()
    made = corrected(tmp_path / "t.csv", tmp_path / "made", silent, names={"1": "b"})
    assert made.read_text() == text.replace("a,\n", "a,b\n", 1)


@pytest.mark.parametrize(
    ("ways", "words"),
    [
        ({"encoding": "UTF-8"}, "cannot be read in this encoding"),
        ({"encoding": "EBCDIC"}, "Unknown encoding 'EBCDIC'"),
        ({"names": {"0": "b"}}, "Two columns would be called 'b'"),
        ({"names": {"0": " "}}, "needs a name"),
    ],
)
def test_what_cannot_be_corrected_is_told(tmp_path: Path, ways: dict[str, Any], words: str) -> None:
    (tmp_path / "t.csv").write_bytes("a,b\né,2\n".encode("latin-1"))
    (tmp_path / "made").mkdir()
    with pytest.raises(SpecError, match=words) as told:
        corrected(tmp_path / "t.csv", tmp_path / "made", silent, **ways)
    assert "é" not in str(told.value)


def test_a_sheet_becomes_a_text_file(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["note"])
    book.create_sheet("Persons").append(["age", None])
    book["Persons"].append([31, "f"])
    book.save(tmp_path / "book.xlsx")
    (tmp_path / "made").mkdir()
    made = corrected(tmp_path / "book.xlsx", tmp_path / "made", silent, names={"1": "sex"}, sheet="Persons")
    assert made.read_text() == "age,sex\n31,f\n"
    assert shoal.table(made).columns() == ["age", "sex"]
    with pytest.raises(SpecError, match="no text file"):
        corrected(tmp_path / "book.xlsx", tmp_path / "made", silent, encoding="UTF-8")
