import traceback
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from shoal.foundation.errors import SpecError
from shoal.tables.formats import format_of
from shoal.tables.formats.csv import Csv
from shoal.tables.formats.encoding import CHUNK

CANARY = "CANARY-4711"
Rows = list[tuple[str | None, ...]]


@pytest.fixture
def put(tmp_path: Path) -> Callable[[bytes], Path]:
    def write(content: bytes) -> Path:
        path = tmp_path / "people.csv"
        path.write_bytes(content)
        return path

    return write


def rows(path: Path, delimiter: str | None = None) -> Rows:
    return Csv().read(path, delimiter=delimiter).cast(pl.String).rows()


def failure(path: Path, delimiter: str | None = None) -> str:
    """Return the message, after a look at all that a user would see of the exception."""
    with pytest.raises(SpecError) as caught:
        Csv().read(path, delimiter=delimiter)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert CANARY not in "".join(traceback.format_exception_only(caught.value))
    return str(caught.value).replace(str(path), "people.csv")


def test_reads_text_as_it_stands(put: Callable[[bytes], Path]) -> None:
    path = put(b"zip,age,city\n00501,1e3,NA\n00502, 7,null\n")
    assert rows(path) == [("00501", "1e3", "NA"), ("00502", " 7", "null")]


def test_empty_fields_are_missing_quoted_or_not(put: Callable[[bytes], Path]) -> None:
    assert rows(put(b'a,b,c\n1,,3\n1,"",3\n"",x,\n')) == [("1", None, "3"), ("1", None, "3"), (None, "x", None)]


def test_columns_are_categories_except_those_asked_as_text(put: Callable[[bytes], Path]) -> None:
    frame = Csv().read(put(b"a,b\n1,2\n"), text=["b"])
    assert frame.columns == ["a", "b"]
    assert frame.dtypes == [pl.Categorical, pl.String]


def test_loads_only_the_columns_to_keep(put: Callable[[bytes], Path]) -> None:
    path = put(b"name,a,b\nx,1,2\n")
    assert Csv().read(path, keep={"b", "a"}).columns == ["a", "b"]
    assert Csv().columns(path) == ["name", "a", "b"]


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", b"\xef\xbb\xbf"),
        ("utf-16-le", b"\xff\xfe"),
        ("utf-16-be", b"\xfe\xff"),
        ("utf-16-le", b""),
        ("utf-16-be", b""),
        ("cp1252", b""),
        ("latin-1", b""),
    ],
)
def test_finds_the_encoding(put: Callable[[bytes], Path], encoding: str, mark: bytes) -> None:
    path = put(mark + "näme;city\nJosé;Köln\n".encode(encoding))
    assert Csv().columns(path) == ["näme", "city"]
    assert rows(path) == [("José", "Köln")]


def test_windows_characters_and_bytes_that_windows_lacks(put: Callable[[bytes], Path]) -> None:
    assert rows(put(b"a,b\n\x80,1\n")) == [("€", "1")]
    assert rows(put(b"a,b\n\xe9\x81,1\n")) == [("é\x81", "1")]


def test_encoding_is_found_beyond_the_first_lines(put: Callable[[bytes], Path]) -> None:
    path = put(b"a,b\n" + b"x,1\n" * (CHUNK // 2) + b"Jos\xe9,2\n")
    frame = Csv().read(path)
    assert frame.height == CHUNK // 2 + 1
    assert frame.cast(pl.String).row(-1) == ("José", "2")


def test_nothing_is_left_on_disk(put: Callable[[bytes], Path]) -> None:
    path = put("a,b\nä,1\n".encode("utf-16"))
    Csv().read(path)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        (b"a,b\n1,2\n", ","),
        (b"a;b\n1,5;2,5\n", ";"),
        (b"a\tb\n1\t2\n", "\t"),
        (b"a|b\n1|2\n", "|"),
        (b'"x, first";b;c\n1,2,3;4;5\n', ";"),
        (b'"a;b;c;d",e\n"1;2;3;4",5\n', ","),
        (b"a,b;c\n1;2\n3;4\n", ";"),
        (b"a\n1\n", ","),
        (b"a\nSmith, John\nDoe, Jane\n", ";"),
        (b"a;b;c\n1;2;3\n1;2\n", ";"),
    ],
)
def test_finds_the_delimiter(put: Callable[[bytes], Path], content: bytes, delimiter: str) -> None:
    assert Csv().delimiter(put(content)) == delimiter


def test_reads_with_a_delimiter_of_any_kind(put: Callable[[bytes], Path]) -> None:
    assert rows(put(b"a~b\n1~2\n"), "~") == [("1", "2")]


def test_one_column_whose_blank_lines_are_missing_values(put: Callable[[bytes], Path]) -> None:
    assert rows(put(b'a\n1\n\n""\n2\n')) == [("1",), (None,), (None,), ("2",)]


def test_windows_line_ends_and_no_line_end_at_all(put: Callable[[bytes], Path]) -> None:
    assert rows(put(b'a,b\r\n1,\r\n"x","y"\r\n')) == [("1", None), ("x", "y")]
    assert rows(put(b"a,b\n1,2")) == [("1", "2")]


def test_quotes_hide_delimiters_and_line_ends(put: Callable[[bytes], Path]) -> None:
    path = put(b'"a, or ""b""","c\nd"\n"1,2","3\r\n4"\n"say ""hi""","""x"""\n')
    assert Csv().columns(path) == ['a, or "b"', "c\nd"]
    assert rows(path) == [("1,2", "3\r\n4"), ('say "hi"', '"x"')]


def test_quoted_records_may_cross_the_pieces_that_are_checked(put: Callable[[bytes], Path]) -> None:
    long = b'"' + b"x\n,\n" * (CHUNK // 3) + b'"'
    frame = Csv().read(put(b"a,b\n1," + long + b"\n2,y\n"), text=["b"])
    assert frame["a"].cast(pl.String).to_list() == ["1", "2"]
    assert frame["b"].str.len_bytes().to_list() == [len(long) - 2, 1]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_blank_lines_at_the_end_are_no_records(put: Callable[[bytes], Path], end: bytes) -> None:
    assert rows(put(b"a,b" + end + b"1,2" + end * 4)) == [("1", "2")]
    assert rows(put(b'a,b\n"1",2' + end * 4)) == [("1", "2")]


SECRET = CANARY.encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "The file 'people.csv' is empty."),
        (b" \n\n", "There is nothing but blank space in 'people.csv'."),
        (b"\xef\xbb\xbf", "There is nothing but blank space in 'people.csv'."),
        (b"\na,b\n" + SECRET, "The first line of 'people.csv' is blank: it must hold the names of the columns."),
        (b"a,b\n", "'people.csv' has no records: there is nothing after the header."),
        (
            b"a,b\n1,2\n3,4," + SECRET + b"\n",
            "Line 3 of 'people.csv' has 3 fields, but the header has 2. A field that contains the delimiter must be "
            "in quotes.",
        ),
        (
            b"a,b,c\n1,2,3\n" + SECRET + b",2\n",
            "Line 3 of 'people.csv' has 2 fields, but the header has 3. A field that contains the delimiter must be "
            "in quotes.",
        ),
        (
            b'a,b,c\n"1\n1",2,3\n1,2,3\n' + SECRET + b"\n",
            "Line 5 of 'people.csv' has 1 field, but the header has 3. A field that contains the delimiter must be "
            "in quotes.",
        ),
        (
            b"a,b\n1,2\n\n" + SECRET + b",4\n",
            "Line 3 of 'people.csv' is blank, with records after it. Remove the line.",
        ),
        (
            b'a,"b\n' + SECRET + b",2\n",
            "The quotes in the header of 'people.csv' do not match: one is open, or in the middle of a name.",
        ),
        (
            b'a,"b\n' + SECRET + b',"2"\n',
            "The quotes in the header of 'people.csv' do not match: one is open, or in the middle of a name.",
        ),
        (b'a,b\n1,2\n3,"' + SECRET + b"\n5,6\n", "The quote that opens on line 3 of 'people.csv' is never closed."),
        (
            b'a,b\n1,2\n"3"' + SECRET + b",4\n",
            "A quote in the middle of a field on line 3 of 'people.csv'. Put the whole field in quotes and double "
            "the quotes inside it.",
        ),
        (
            b'a,b\n1,2\n3,5" ' + SECRET + b"\n",
            "A quote in the middle of a field on line 3 of 'people.csv'. Put the whole field in quotes and double "
            "the quotes inside it.",
        ),
        (
            b"a,b\n1," + SECRET + b"\x00\n",
            "A zero byte on line 2 of 'people.csv': this is not a text file, or a damaged one.",
        ),
        (
            "a,b\n1,\0CANARY-4711".encode("utf-16"),
            "A zero character in 'people.csv': this is not a text file, or a damaged one.",
        ),
        (
            "a,b\n1,CANARY-4711".encode("utf-16") + b"\n",
            "'people.csv' looks like UTF-16, but is damaged. Save the file as UTF-8.",
        ),
        (
            "a,b\n1,ä\n".encode() + b"\xe9,2\n" + SECRET + b",3\n",
            "'people.csv' mixes encodings: line 3 is not UTF-8, while other lines are. Save the file as UTF-8.",
        ),
        (
            b"a,b\r1," + SECRET + b"\r",
            "The lines of 'people.csv' end in carriage returns alone. Save it with modern line endings.",
        ),
    ],
)
def test_says_what_is_wrong_without_showing_data(put: Callable[[bytes], Path], content: bytes, message: str) -> None:
    assert failure(put(content)) == message


@pytest.mark.parametrize("keep", [["a"], ["c"]])
def test_records_are_checked_in_columns_that_are_not_loaded(put: Callable[[bytes], Path], keep: list[str]) -> None:
    for content in (b"a,b,c\n1,2,3\n1,2\n", b"a,b,c\n1,2,3\n1,2,3,4\n", b'a,b,c\n1,"2"x,3\n'):
        with pytest.raises(SpecError, match=r"(?i)line [23] of"):
            Csv().read(put(content), keep=keep)


def test_line_numbers_hold_far_into_a_file(put: Callable[[bytes], Path]) -> None:
    n_good = CHUNK
    good = b"1,2\n" * n_good
    assert failure(put(b"a,b\n" + good + b"3\n" + good)).startswith(f"Line {n_good + 2} of 'people.csv' has 1 field,")
    assert failure(put(b"a,b\n" + good + b"\n" + good)).startswith(f"Line {n_good + 2} of 'people.csv' is blank")
    assert failure(put(b"a,b\n" + good + b"\n" * CHUNK + good)).startswith(
        f"Line {n_good + 2} of 'people.csv' is blank"
    )
    assert f"line {n_good + 2} of" in failure(put(b"a,b\n" + good + b"1,\x00\n"))


def test_a_parser_that_fails_shows_nothing(put: Callable[[bytes], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise pl.exceptions.ComputeError(CANARY)

    monkeypatch.setattr(pl.LazyFrame, "collect", fail)
    assert failure(put(b"a,b\n1,2\n")) == "'people.csv' could not be parsed as 2 columns and 1 records."


def test_a_delimiter_that_the_header_lacks(put: Callable[[bytes], Path]) -> None:
    path = put(b"a;b;c\n1;2;3\n")
    assert failure(path, ",") == (
        "The delimiter ',' does not occur in the header of 'people.csv'. With ';' it has 3 columns: "
        "is that the delimiter?"
    )
    assert "The delimiter a tab does not occur" in failure(path, "\t")
    assert rows(put(b"a\n1\n"), ",") == [("1",)]


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "é"])
def test_a_delimiter_that_cannot_be_one(put: Callable[[bytes], Path], delimiter: str) -> None:
    assert "cannot be used: it must be one ASCII character" in failure(put(b"a,b\n1,2\n"), delimiter)
    with pytest.raises(SpecError, match="cannot be used"):
        Csv().write(pl.DataFrame({"a": ["1"]}), Path("never.csv"), delimiter)


def test_a_column_that_is_not_there(put: Callable[[bytes], Path]) -> None:
    path = put(b"sex,age\n1,2\n")
    with pytest.raises(SpecError, match=r"No column 'agee' in '.*people.csv'. Did you mean 'age'?"):
        Csv().read(path, keep=["sex", "agee"])
    with pytest.raises(SpecError, match=r"No column 'agee' in '.*people.csv', nor any other .* Did you mean 'age'\?$"):
        Csv().read(path, keep=["agee"])
    with pytest.raises(SpecError, match=r"No column 'pay' in '.*people.csv', nor any other .* have a header\?$"):
        Csv().read(path, keep=["pay"])
    with pytest.raises(SpecError, match="at least one is needed"):
        Csv().read(path, keep=[])


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"There is no file '.*absent.csv'. A path in a job file starts from"):
        Csv().columns(tmp_path / "absent.csv")
    with pytest.raises(SpecError, match="is a folder"):
        Csv().read(tmp_path)


def test_a_name_with_stars_is_one_file(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_bytes(b"a,b\n3,4\n")
    (tmp_path / "*.csv").write_bytes(b"a,b\n1,2\n")
    assert rows(tmp_path / "*.csv") == [("1", "2")]


def test_writes_with_the_delimiter_and_quotes_where_needed(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    frame = pl.DataFrame({"a;b": ["1;2", None, 'x"y'], "c": ["é", "p\nq", ""]}).cast(pl.Categorical)
    Csv().write(frame, path, ";")
    assert path.read_bytes() == '"a;b";c\n"1;2";é\n;"p\nq"\n"x""y";""\n'.encode()


def test_writes_to_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="there is no folder"):
        Csv().write(pl.DataFrame({"a": ["1"]}), tmp_path / "absent" / "out.csv")
    with pytest.raises(SpecError, match="Cannot write"):
        Csv().write(pl.DataFrame({"a": ["1"]}), tmp_path)


@pytest.mark.parametrize(
    ("name", "member"), [("a.csv", "csv"), ("a.TSV", "csv"), ("a.txt", "csv"), ("a.pq", "parquet")]
)
def test_formats_are_told_by_their_ending(name: str, member: str) -> None:
    assert format_of(Path(name)).name == member


def test_an_ending_that_is_not_known() -> None:
    known = "Known endings are: .csv, .txt, .tsv, .parquet, .pq, .xlsx, "
    with pytest.raises(SpecError, match=f"'a.docx' has the ending '.docx', so its format is not known. {known}"):
        format_of(Path("a.docx"))
    with pytest.raises(SpecError, match="'people' has no ending"):
        format_of(Path("people"))


def test_columns_of_one_name_are_numbered_and_those_without_get_one(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(",age,age,age (2), ,age\n1,2,3,4,5,6\n")
    read = Csv().read(tmp_path / "a.csv")
    assert read.columns == ["column 1", "age", "age (3)", "age (2)", "column 5", "age (4)"]
    assert Csv().columns(tmp_path / "a.csv") == read.columns
    assert read.row(0) == ("1", "2", "3", "4", "5", "6")
