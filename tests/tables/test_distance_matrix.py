"""Distance matrices: what is read, what is refused, and that no value is ever shown."""

from pathlib import Path

import numpy as np
import pytest

from shoal.foundation.errors import SpecError
from shoal.tables.distance_matrix import read_matrix


def write(tmp_path: Path, text: str) -> str:
    path = tmp_path / "distances.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("comma", [",", ";"])
def test_decimals_become_integers(tmp_path: Path, comma: str) -> None:
    matrix = read_matrix(write(tmp_path, ",flu,cold,\nflu,0,0.5,1\ncold,.5,0,0.75\n,1,0.75,0\n".replace(",", comma)))
    assert matrix.entries.tolist() == [[0, 2, 4], [2, 0, 3], [4, 3, 0]]
    assert matrix.largest == 4
    assert matrix.unit == 4
    assert matrix.among(("cold", None), "illness").tolist() == [[0, 3], [3, 0]]


def test_a_changed_file_is_read_again_and_another_is_not(tmp_path: Path) -> None:
    path = write(tmp_path, ",a,b\na,0,1\nb,1,0\n")
    first = read_matrix(path)
    assert read_matrix(path) is first
    write(tmp_path, ",a,b\na,0,22\nb,22,0\n")
    assert read_matrix(path).largest == 22


def test_numbers_beyond_64_bits_are_python_integers(tmp_path: Path) -> None:
    matrix = read_matrix(write(tmp_path, ",a,b\na,0,1e40\nb,1e40,0\n"))
    assert matrix.entries.dtype == np.dtype(object)
    assert matrix.largest == 10**40


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("secret\n", "is empty"),
        (",secret,b\nsecret,0,1\n", "not square: its first row lists 2 values, so that it needs 3 rows of 3 fields"),
        (",secret,b\nsecret,0,1\nb,1\n", "not square"),
        (",secret,secret\nsecret,0,1\nsecret,1,0\n", "lists 1 of its values more than once"),
        (",secret,b\nb,0,1\nsecret,1,0\n", "another value in row 2 than in column 2"),
        (",secret,b\nsecret,0,far\nb,1,0\n", "a number of at least 0 in row 2, column 3"),
        (",secret,b\nsecret,0,-1\nb,-1,0\n", "a number of at least 0 in row 2, column 3"),
        (",secret,b\nsecret,0,nan\nb,1,0\n", "a number of at least 0 in row 2, column 3"),
        (",secret,b\nsecret,0,1\nb,1,2\n", "0 on its diagonal: row 3"),
        (",secret,b\nsecret,0,1\nb,2,0\n", "not symmetric: rows 2 and 3"),
        (
            ",secret,b,c\nsecret,0,1,3\nb,1,0,1\nc,3,1,0\n",
            "triangle inequality: rows 2 and 4 are farther apart than by way of row 3",
        ),
    ],
)
def test_what_is_no_metric_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message) as caught:
        read_matrix(write(tmp_path, text))
    assert "secret" not in str(caught.value)


def test_values_that_it_lacks_are_counted(tmp_path: Path) -> None:
    matrix = read_matrix(write(tmp_path, ",a,b\na,0,1\nb,1,0\n"))
    with pytest.raises(SpecError, match="lacks 2 of the 3 different values of column 'illness'") as caught:
        matrix.among(("a", "secret", None), "illness")
    assert "secret" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"none\.csv' cannot be read: No such file"):
        read_matrix(str(tmp_path / "none.csv"))
    path = tmp_path / "latin.csv"
    path.write_bytes(b",\xff,b\n")
    with pytest.raises(SpecError, match="not a CSV file in UTF-8"):
        read_matrix(str(path))
