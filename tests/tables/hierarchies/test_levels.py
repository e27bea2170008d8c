import re
from pathlib import Path

import pytest

from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies import Hierarchy, Levels

ADULT = "Bachelors;Undergraduate;Higher;*\n11th;High School;Secondary;*\n12th;High School;Secondary;*\n"


def build(folder: Path, text: str | bytes, values: tuple[str, ...] = ()) -> Hierarchy:
    (folder / "h.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    return Levels(path="h.csv").build(values, "education", folder)


def refused(folder: Path, text: str | bytes) -> str:
    with pytest.raises(SpecError) as caught:
        build(folder, text)
    return str(caught.value)


def test_a_file_of_arx(tmp_path: Path) -> None:
    hierarchy = build(tmp_path, ADULT)
    assert hierarchy.values == ("Bachelors", "11th", "12th")
    assert hierarchy.labels[1:] == (("Undergraduate", "High School"), ("Higher", "Secondary"), ("*",))
    assert hierarchy.codes.tolist() == [[0, 1, 2], [0, 1, 1], [0, 1, 1], [0, 0, 0]]
    assert hierarchy.spans is None


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
def test_the_delimiter_is_found(tmp_path: Path, delimiter: str) -> None:
    assert build(tmp_path, ADULT.replace(";", delimiter)).labels == build(tmp_path, ADULT).labels


def test_a_semicolon_is_preferred_to_the_commas_of_labels(tmp_path: Path) -> None:
    assert build(tmp_path, "3;[0, 5);*\n7;[5, 10);*\n").labels[1] == ("[0, 5)", "[5, 10)")


def test_a_semicolon_in_the_values_of_a_comma_file(tmp_path: Path) -> None:
    assert build(tmp_path, 'a,"x;y",*\nb,"x;y",*\n').labels[1] == ("x;y",)
    assert build(tmp_path, "a;b,x,*\nc,x,*\n").values == ("a;b", "c")


def test_quotes_and_line_ends(tmp_path: Path) -> None:
    hierarchy = build(tmp_path, '"a;b";"say ""x""";*\r\n"c\nd";y;*\r\n')
    assert hierarchy.values == ("a;b", "c\nd")
    assert hierarchy.labels[1] == ('say "x"', "y")


@pytest.mark.parametrize("raw", ["é;*\n".encode(), "é;*\n".encode("utf-8-sig"), "é;*\n".encode("latin-1")])
def test_encodings(tmp_path: Path, raw: bytes) -> None:
    assert build(tmp_path, raw).values == ("é",)


def test_blank_lines_are_skipped_but_counted(tmp_path: Path) -> None:
    assert build(tmp_path, "\n\na;x;*\n  \n;;\nb;x;*\n\n").values == ("a", "b")
    assert refused(tmp_path, '\na;"x\ny";*\n\nb;x\n') == (
        "Rows of different lengths in the hierarchy 'h.csv' of column 'education': row 2 has 3 fields, row 5 has 2."
    )


def test_values_that_the_data_lack_stay_and_those_that_the_file_lacks_are_counted(tmp_path: Path) -> None:
    hierarchy = build(tmp_path, ADULT, ("11th", "SECRET", "HIDDEN"))
    assert hierarchy.n_leaves == 3
    with pytest.raises(SpecError) as caught:
        hierarchy.encode(["11th", "SECRET", "HIDDEN"], "education")
    assert str(caught.value) == (
        "The hierarchy of column 'education' lacks 2 of the 3 different values in the data. Add them to the hierarchy "
        "(they are not shown here, since they are data; 'shoal hierarchy' names them)."
    )


WHERE = "the hierarchy 'h.csv' of column 'education'"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"The {WHERE[4:]} is empty: one row per value is needed, as 'value;level 1;...;*'."),
        ("\n \n;;\n", f"The {WHERE[4:]} is empty: one row per value is needed, as 'value;level 1;...;*'."),
        ("SECRET\nb\n", f"The {WHERE[4:]} has no level above the values: each row is 'value;level 1;...;*'."),
        (
            "SECRET;x;*\nb;x\n",
            f"Rows of different lengths in {WHERE}: row 1 has 3 fields, row 2 has 2.",
        ),
        (
            "SECRET;x;*\nb;x;*\nSECRET;y;*\n",
            f"Duplicate value in {WHERE}: rows 1 and 3 describe the same value.",
        ),
        (
            "SECRET;x;p;*\nb;y;q;*\nc;x;q;*\n",
            f"Levels that are not nested in {WHERE}: node 'x' of level 1 lies below two nodes of level 2 that so "
            "overlap, node 'p' of level 2 in row 1 and node 'q' of level 2 in row 3.",
        ),
        (
            "SECRET;SECRET;p;*\nb;SECRET;q;*\n",
            f"Levels that are not nested in {WHERE}: a node of level 1 lies below two nodes of level 2 that so "
            "overlap, node 'p' of level 2 in row 1 and node 'q' of level 2 in row 2.",
        ),
        (
            "SECRET;x;*\nb;x;any\nc;y;all\n",
            f"Levels that are not nested in {WHERE}: node 'x' of level 1 lies below two nodes of level 2 that so "
            "overlap, node '*' of level 2 in row 1 and node 'any' of level 2 in row 2.",
        ),
        (
            "SECRET;x;*\nb;y;any\nc;z;all\n",
            f"No single top in {WHERE}: the last level has 3 different labels (rows 1 and 2 differ). End every row "
            "with the same label, such as '*'.",
        ),
        (
            "SECRET;;*\n",
            f"Empty field in {WHERE}: field 2 of row 1. An empty field is published as a missing value: give the node "
            "a label. The missing value itself needs no row.",
        ),
        (
            'a;*\n"SECRET;*\n',
            f"The {WHERE[4:]} is not a CSV file: row 2 cannot be read (unexpected end of data).",
        ),
    ],
)
def test_what_is_wrong_is_said_without_values(tmp_path: Path, text: str, message: str) -> None:
    assert refused(tmp_path, text) == message
    assert "SECRET" not in message


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    missing = re.escape(
        f"No file for the hierarchy 'none.csv' of column 'zip': '{tmp_path / 'none.csv'}' does not exist."
    )
    with pytest.raises(SpecError, match=f"^{missing}$"):
        Levels(path="none.csv").build((), "zip", tmp_path)
    unreadable = re.escape(
        f"The file of the hierarchy '.' of column 'zip' cannot be read: '{tmp_path}' (Is a directory)."
    )
    with pytest.raises(SpecError, match=f"^{unreadable}$"):
        Levels(path=".").build((), "zip", tmp_path)
