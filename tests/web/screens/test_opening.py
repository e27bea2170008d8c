"""What is open, and how it was read."""

import sqlite3
from contextlib import closing
from pathlib import Path

import openpyxl
import pytest

from tests.web.browser import opened


def test_the_delimiter_that_was_found_can_be_corrected(tmp_path: Path) -> None:
    with opened(tmp_path, "a;b\n1;2\n3;4\n") as browser:
        page = browser.read("/open")
        assert '<option value=";" selected>' in page
        assert "2 records, 2 columns" in page
        browser.send("/open/again", 409, version="old", delimiter=",")
        browser.session.language = "de"
        assert "Noch einmal lesen" in browser.read("/open")


def test_rows_are_shown_from_any_number_on(tmp_path: Path) -> None:
    with opened(tmp_path, "v,age\n" + "".join(f"v{i},{i % 7}\n" for i in range(100))) as browser:
        assert "<td>v60</td>" in browser.read("/rows?first=60")
        assert "<td>v99</td>" in browser.read("/rows?first=9999")
        assert "<td>v0</td>" in browser.read("/rows?first=x")


WRONG = {
    "empty.csv": (b"", "is empty"),
    "header.csv": (b"a,b\n", "no records"),
    "ragged.csv": (b"a,b\n1,2\n1,2,3\n", "Line 3"),
    "picture.csv": (bytes(range(256)), "not a text file"),
    "mixed.csv": ("a\nü\n".encode() + "é\n".encode("cp1252"), "mixes encodings"),
    "broken.xlsx": (b"PK\x03\x04 no workbook", "not an Excel workbook"),
    "broken.parquet": (b"PAR1 no table", "not a Parquet file"),
    "broken.sav": (b"$FL2 no data", "broken.sav"),
    "broken.sqlite": (b"no database at all", "not a SQLite database"),
    "letter.docx": (b"PK", "Known endings"),
    "noend": (b"a\n1\n", "no ending"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_told_in_words_and_what_is_open_stays(tmp_path: Path, name: str) -> None:
    content, words = WRONG[name]
    with opened(tmp_path, "a,b\n1,2\n3,4\n") as browser:
        page = browser.send("/upload", files={"file": (name, content)})
        assert words in page.partition('role="alert">')[2].partition("</p>")[0]
        assert "Internal" not in page
        assert "2 records, 2 columns" in browser.read("/open")


def test_a_sheet_of_a_workbook_is_chosen(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["note"])
    book.create_sheet("Persons").append(["age", "sex"])
    book["Persons"].append([31, "f"])
    book.save(tmp_path / "book.xlsx")
    with opened(tmp_path, "a\n1\n") as browser:
        page = browser.send("/open", path="book.xlsx")
        assert "The same file also has: Persons." in page
        page = browser.send("/open", path="book.xlsx", sheet="Persons")
        assert '<option value="Persons" selected>' in page
        assert "<td>31</td>" in page


def test_a_table_of_a_database_in_a_file_is_chosen(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "clinic.sqlite")) as database:
        for table in ("persons", "visits 2024", "a.b"):
            database.execute(f'create table "{table}" (age int, place text)')
            database.execute(f'insert into "{table}" values (31, ?)', [f"of {table}"])  # noqa: S608  (names of ours)
        database.commit()
    with opened(tmp_path, "a\n1\n") as browser:
        assert "of persons" in browser.send("/open", path="clinic.sqlite")
        for table, written in (("visits 2024", "visits 2024"), ("a.b", '"a.b"')):
            assert f"of {table}" in browser.send("/open/again", table_name=written)
            assert browser.project.content["input"]["table"] == written


def test_a_text_file_is_told_with_its_encoding_and_delimiter(tmp_path: Path) -> None:
    (tmp_path / "Ämter.csv").write_bytes("Größe;Straße\n1,80;Lärchenweg\n1,75;Am Bühl\n".encode("cp1252"))
    with opened(tmp_path, "a\n1\n") as browser:
        page = browser.send("/open", path="Ämter.csv")
        assert "Windows-1252" in page
        assert '<option value=";" selected>' in page
        assert "Lärchenweg" in page
        assert '<option value="Ämter.csv">' in page


def test_what_is_wrong_is_told_in_the_language_of_the_pages(tmp_path: Path) -> None:
    with opened(tmp_path, "age,sex\n1,m\n2,f\n") as browser:
        browser.session.language = "de"
        assert "Nur Dateien in dem Ordner" in browser.send("/open", 422, path="/etc/passwd")  # codespell:ignore
        assert "Eine solche Art von Hierarch" in browser.send("/words/0", 422, do="make", type="magic")
        assert "k ist eine ganze Zahl" in browser.send("/try", 422, k="five")  # codespell:ignore


def test_another_encoding_can_be_chosen(tmp_path: Path) -> None:
    (tmp_path / "miasta.csv").write_bytes("miasto;wiek\nŁódź;31\nKraków;32\n".encode("cp1250"))
    with opened(tmp_path, "a\n1\n") as browser:
        assert "Łódź" not in browser.send("/open", path="miasta.csv")
        page = browser.send("/open/again", encoding="Windows-1250")
        assert "Łódź" in page
        assert "corrected copy of ../miasta.csv" in page
        assert "<option selected>Windows-1250</option>" in page
        assert browser.project.content["input"]["path"].endswith("miasta.csv")
        assert "cannot be read in this encoding" in browser.send("/open/again", encoding="UTF-8")  # what is open stays
        assert "Łódź" in browser.read("/open")
        assert "corrected copy" not in browser.send("/open/again")
        assert list(browser.project.folder.glob("corrected-*")) == []


def test_columns_without_a_name_of_their_own_get_one(tmp_path: Path) -> None:
    with opened(tmp_path, "age,,age\n31,f,3\n32,m,4\n") as browser:
        assert 'value="column 2"' in browser.read("/open")
        names = {"name-0": "age", "name-1": "sex", "name-2": "age of the child"}
        page = browser.send("/open/again", **names)
        assert list(browser.project.content["columns"]) == ["age", "sex", "age of the child"]
        assert 'value="sex"' in page
        assert "Two columns would be called" in browser.send("/open/again", **(names | {"name-2": "sex"}))
        browser.send("/open/again", **(names | {"name-1": "gender"}))
        assert list(browser.project.content["columns"]) == ["age", "gender", "age of the child"]
        browser.send("/words/count")  # a project that is opened again is counted again, and knows where it came from
        browser.send("/open/again", **(names | {"name-2": "age of the sister"}))
        assert list(browser.project.content["columns"]) == ["age", "sex", "age of the sister"]
        browser.send("/open/again", **dict.fromkeys(names, ""))
        assert list(browser.project.content["columns"]) == ["age", "column 2", "age (2)"]


def test_a_file_of_mixed_encodings_opens_if_one_is_chosen(tmp_path: Path) -> None:
    with opened(tmp_path, "a\n1\n") as browser:
        content = "name,age\nü,1\n".encode() + "é,2\n".encode("cp1252")
        page = browser.upload("/upload", {"file": ("mixed.csv", content)}, encoding="Windows-1252").text
        assert "Ã¼" in page
        assert "é" in page
