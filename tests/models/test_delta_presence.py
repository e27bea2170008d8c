"""delta-presence: the share of an outside table that was released."""

from fractions import Fraction
from math import inf

import pytest
from hypothesis import given, settings

from shoal.classes.grouping import Grouping
from shoal.models import DeltaPresence, PrivacyModel
from shoal.models.by_hand import classes_by_hand
from tests.models.cases import Plain, check, models, releases


def _model(least: str, most: str) -> DeltaPresence:
    return DeltaPresence(least=Fraction(least), most=Fraction(most), population="people.csv")


def test_the_share_of_each_cell_is_within_the_range() -> None:
    groups = classes_by_hand([["a"], ["a", "b"]], populations={"people.csv": [4, 3]})
    assert _model("0.25", "0.7").holds(groups).all()
    assert _model("0.26", "0.7").holds(groups).tolist() == [False, True]
    assert _model("0.25", "0.6").holds(groups).tolist() == [True, False]
    assert _model("0", "1").achieved(groups) == {"least": 0.25, "most": 2 / 3}


def test_people_in_no_cell_are_surely_absent() -> None:
    groups = classes_by_hand([["a"]], populations={"people.csv": [2]}, outside={"people.csv": 1})
    assert not _model("0.1", "1").holds(groups).any()
    assert _model("0", "1").holds(groups).all()
    assert _model("0", "1").achieved(groups) == {"least": 0, "most": 0.5}


def test_more_records_than_people_fail() -> None:
    groups = classes_by_hand([["a", "b"], ["a"]], populations={"people.csv": [1, 0]})
    assert not _model("0", "1").holds(groups).any()
    assert _model("0", "1").achieved(groups) == {"least": 2, "most": "infinite"}


def test_an_empty_range_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'least' is 0\.6, above 'most', which is 0\.5"):
        _model("0.6", "0.5")


CELLS = [(size, covered) for size in range(1, 5) for covered in range(9)]


def _groups(cells: list[tuple[int, int]], outside: int) -> Grouping:
    """Return classes with these numbers of records and of people."""
    people = {"people.csv": [covered for _, covered in cells]}
    return classes_by_hand([["a"] * size for size, _ in cells], populations=people, outside={"people.csv": outside})


@pytest.mark.parametrize("outside", [0, 1])
@pytest.mark.parametrize(("least", "most"), [("0", "0.5"), ("0", "1"), ("0.25", "0.3"), ("0.5", "1"), ("1/3", "1/3")])
def test_a_class_holds_or_forfeits_what_no_removal_can_save(least: str, most: str, outside: int) -> None:
    model, groups = _model(least, most), _groups(CELLS, outside)
    lost, held = model.forfeits(groups, Fraction(0)).tolist(), model.holds(groups).tolist()
    for (size, covered), told, holds in zip(CELLS, lost, held, strict=True):
        beyond = next(few for few in range(size + 1) if size - few <= Fraction(most) * covered)
        hopeless = Fraction(least) > 0 and (outside > 0 or size < Fraction(least) * covered)
        assert told == (size if hopeless else beyond), (size, covered)
        assert holds == (told == 0), (size, covered)


@pytest.mark.parametrize("outside", [0, 1])
def test_the_smallest_and_the_largest_share_of_any_cell_are_told(outside: int) -> None:
    for cells in (CELLS, CELLS[1:], CELLS[10:18], CELLS[19:27], CELLS[5::3], *([cell] for cell in CELLS)):
        shares = [Fraction(size, covered) if covered else inf for size, covered in cells]
        told = [float(share) if share < inf else "infinite" for share in (min(shares), max(shares))]
        assert _model("0", "1").achieved(_groups(cells, outside)) == {
            "least": 0 if outside else told[0],
            "most": told[1],
        }


@settings(deadline=None, max_examples=100)
@given(models(DeltaPresence.name), releases())
def test_agrees_with_its_definition(model: PrivacyModel, plain: Plain) -> None:
    check(model, plain)
