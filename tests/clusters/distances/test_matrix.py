from pathlib import Path

import pytest

from shoal.clusters.distances import Matrix
from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies import Order
from tests.clusters.distances.columns import between, codes_of, column, distances

KILOMETRES = ",Bern,Rome,Oslo\nBern,0,690.5,1400\nRome,690.5,0,2000\nOslo,1400,2000,0\n"


def write(folder: Path, text: str) -> str:
    (folder / "km.csv").write_text(text, encoding="utf-8")
    return str(folder / "km.csv")


def test_distances_are_those_of_the_file(tmp_path: Path) -> None:
    write(tmp_path, KILOMETRES)
    one = column(["Rome", "Bern"], weight=2)
    axis = Matrix(path="km.csv").axis([one], 0, tmp_path)
    assert distances(axis, [one], codes_of([one], [("Bern",), ("Rome",)])).tolist() == [[0, 1381], [1381, 0]]


def test_a_missing_value_has_its_row_or_is_as_far_as_any_two(tmp_path: Path) -> None:
    recipe = Matrix(path=write(tmp_path, KILOMETRES))
    assert between(recipe, column(["Rome", "Bern", None]), [None, "Bern", "Rome"])[0].tolist() == [0, 690.5, 690.5]
    assert between(recipe, column(["Rome", None]), [None, "Rome"])[0].tolist() == [0, 1]
    recipe = Matrix(path=write(tmp_path, ",a,\na,0,0.1\n,0.1,0\n"))
    assert between(recipe, column(["a", None]), [None, "a"])[0].tolist() == [0, 0.1]


def test_values_of_the_hierarchy_alone_need_no_row(tmp_path: Path) -> None:
    recipe = Matrix(path=write(tmp_path, KILOMETRES))
    one = column(["Rome", "Oslo"], Order(fanout=2, order=("Bern", "Nowhere", "Oslo", "Rome")))
    assert between(recipe, one, ["Rome", "Oslo"])[0, 1] == 2000


def test_a_decimal_is_rounded_once(tmp_path: Path) -> None:
    recipe = Matrix(path=write(tmp_path, ",a,b,c\na,0,0.1,1/3\nb,0.1,0,0.3\nc,1/3,0.3,0\n"))
    assert between(recipe, column(["a", "b", "c"]), ["a", "b", "c"])[0].tolist() == [0, 0.1, 1 / 3]


def test_what_cannot_be_measured_is_refused(tmp_path: Path) -> None:
    recipe = Matrix(path=write(tmp_path, KILOMETRES))
    with pytest.raises(SpecError, match="lacks 1 of the 2 different values of column 'q'") as caught:
        recipe.axis([column(["Rome", "secret"])], 0)
    assert "secret" not in str(caught.value)
    with pytest.raises(SpecError, match="triangle inequality"):
        Matrix(path=write(tmp_path, ",a,b,c\na,0,1,3\nb,1,0,1\nc,3,1,0\n")).axis([column(["a"])], 0)
    with pytest.raises(SpecError, match="a distance above"):
        Matrix(path=write(tmp_path, ",a,b\na,0,1e400\nb,1e400,0\n")).axis([column(["a"])], 0)
    with pytest.raises(SpecError, match="cannot be read: No such file"):
        Matrix(path="none.csv").axis([column(["a"])], 0, tmp_path)
