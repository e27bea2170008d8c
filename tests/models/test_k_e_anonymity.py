"""(k, e)-anonymity: different numbers, and their range."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.classes.tally import SensitiveColumn
from shoal.models import KEAnonymity, PrivacyModel
from shoal.models.by_hand import classes_by_hand
from shoal.models.k_e_anonymity import numbers_of
from tests.models.cases import Plain, check, models, releases
from tests.models.forms import passing, satisfying

WAGES: list[list[str | None]] = [["30", "31", "32"], ["30", "40", "90"], ["55", "55", "90"]]


def held(k: int, e: str, classes: list[list[str | None]]) -> list[bool]:
    return KEAnonymity(k=k, e=Fraction(e), column="wage").holds(classes_by_hand(classes, ["wage"])).tolist()


def test_three_different_wages_may_all_be_near_each_other() -> None:
    assert held(3, "0", WAGES) == [True, True, False]  # distinct l-diversity would say no more than this
    assert held(1, "35", WAGES) == [False, True, True]
    assert held(3, "35", WAGES) == [False, True, False]
    groups = classes_by_hand(WAGES, ["wage"])
    assert KEAnonymity(k=3, e=35, column="wage").achieved(groups) == {"k": 2, "e": 2.0}


def test_the_range_is_compared_exactly() -> None:
    tenths: list[list[str | None]] = [["0.1", "0.4"], ["1e-1", "+0.40"], ["0", "0.29999999999999999999"]]
    assert held(2, "3/10", tenths) == [True, True, False]
    huge: list[list[str | None]] = [["0", str(10**40)], ["1", str(10**40)]]
    assert held(1, str(10**40), huge) == [True, False]


def test_what_is_no_number_counts_for_nothing() -> None:
    classes: list[list[str | None]] = [["1", "n/a", None], ["n/a", None, "inf"], ["1", "1.0", "01"], ["1", "2", None]]
    assert held(1, "0", classes) == [True, False, True, True]
    assert held(2, "0", classes) == [False, False, False, True]
    assert held(1, "1", classes) == [False, False, False, True]
    assert KEAnonymity(k=1, e=0, column="wage").achieved(classes_by_hand(classes, ["wage"])) == {"k": 0, "e": 0.0}
    assert held(1, "0", [["red"], ["blue", None]]) == [False, False]


def test_a_class_without_numbers_has_no_range() -> None:
    model = KEAnonymity(k=1, e=0, column="wage")
    assert model.achieved(classes_by_hand([["5", "9"], ["red"]], ["wage"])) == {"k": 0, "e": 0.0}
    assert model.achieved(classes_by_hand([["5", "9"], ["7"]], ["wage"])) == {"k": 1, "e": 0.0}


def test_persons_who_all_hold_the_largest_number_are_not_apart() -> None:
    groups = classes_by_hand([[("9", "a"), ("9", "b")], [("5", "c"), ("9", "d")]], ["wage", "id"])
    assert KEAnonymity(k=1, e=1, column="wage", entity="id").holds(groups).tolist() == [False, True]


def test_where_no_class_is_left_the_whole_column_is_told() -> None:
    nothing, no_codes = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    model = KEAnonymity(k=1, e=0, column="wage")
    for values, told in ((("5", "9"), {"k": 2, "e": 4.0}), (("red",), {"k": 0, "e": 0.0})):
        shown: list[list[str | None]] = [list(values)]
        full = classes_by_hand(shown, ["wage"]).histogram("wage")
        none = replace(full, offsets=np.zeros(1, dtype=np.int64), values=no_codes, counts=nothing, sizes=nothing)
        assert model.measured(none) == told


def test_numbers_and_their_unit() -> None:
    numbers, ranks, unit = numbers_of(SensitiveColumn("wage", ("red", "0.5", "2")))
    assert ([Fraction(number, unit) for number in numbers], ranks.tolist()) == ([Fraction(1, 2), 2], [-1, 0, 1])
    numbers, ranks, unit = numbers_of(SensitiveColumn("wage", ("red",)))
    assert (numbers, ranks.tolist(), unit) == ([], [-1], 1)


@pytest.mark.parametrize("values", [("1", "1.0", "2", "x", "9"), ("0", "7", str(10**30), str(10**30 + 1), "-3")])
def test_the_test_for_searches_never_passes_what_fails(values: tuple[str, ...]) -> None:
    column = SensitiveColumn("wage", values)
    classes = [counts for counts in product((0, 1, 2), repeat=5) if any(counts)]
    shown = [[v for v, n in zip(values, counts, strict=True) for _ in range(n)] for counts in classes]
    for k, e in product((1, 2, 3), ("0", "1", "7", "10", "999999999999999999999999999999")):
        model = KEAnonymity(k=k, e=Fraction(e), column="wage")
        truth = model.holds(classes_by_hand(shown, ["wage"], orders={"wage": values})).tolist()
        test = model.sufficient_test(column, np.ones(5, dtype=np.int64))
        assert test is not None
        tried = passing(test, classes)
        assert all(right for right, passed in zip(truth, tried, strict=True) if passed)
        assert any(tried) == any(truth) or e == "999999999999999999999999999999"


@pytest.mark.parametrize("values", [("x", "1", "4", "-3", "y"), ("red", "blue"), ("5", "x")])
def test_the_test_for_searches_is_exact_where_numbers_are_small(values: tuple[str, ...]) -> None:
    classes = [counts for counts in product((0, 2), repeat=len(values)) if any(counts)]
    shown = [[v for v, n in zip(values, counts, strict=True) for _ in range(n)] for counts in classes]
    groups = classes_by_hand(shown, ["wage"], orders={"wage": values})
    for k, e in product((1, 2, 3), ("0", "1", "3", "7/2", "4", "7", "8")):
        model = KEAnonymity(k=k, e=Fraction(e), column="wage")
        test = model.sufficient_test(SensitiveColumn("wage", values), np.ones(len(values), dtype=np.int64))
        assert test is not None
        assert passing(test, classes) == model.holds(groups).tolist()


@pytest.mark.parametrize(
    ("values", "places", "asked"),
    [
        ((2**30, 2**31), [0, 2**30], 4),  # the widest that fits
        ((0, 3, 2**31), [0, 1, 2**30], 3),  # halved: four are two places, and one more for what was cut off
        ((-6, 0, 6 * 2**30 - 6), [0, 1, 2**30], 2),
    ],
)
def test_large_numbers_are_rounded_down_and_one_more_is_asked(
    values: tuple[int, ...], places: list[int], asked: int
) -> None:
    column = SensitiveColumn("wage", tuple(map(str, values)))
    test = KEAnonymity(k=1, e=4, column="wage").sufficient_test(column, np.ones(len(values), dtype=np.int64))
    assert test is not None
    assert (test.caps.tolist(), test.scale) == (places, asked)


def test_of_several_texts_of_a_number_the_first_counts_in_the_test_for_searches() -> None:
    values = ("2.50", "x", "2.5", "10", "y")
    test = KEAnonymity(k=2, e=0, column="wage").sufficient_test(SensitiveColumn("wage", values), np.ones(5, dtype=int))
    assert test is not None
    assert test.caps.tolist() == [0, -1, 0, 750, -1]
    assert [n for n, place in zip(test.floors.tolist(), test.caps.tolist(), strict=True) if place >= 0] == [1, 0, 1]


def test_the_rows_hold_in_the_classes_that_keep_the_promise() -> None:
    """Two texts of one number, one that is none, and two that are a range apart or more."""
    values = ("1", "1.0", "x", "4", "2")
    column, reference = SensitiveColumn("wage", values), np.ones(5, dtype=np.int64)
    classes = [counts for counts in product((0, 2), repeat=5) if any(counts)]
    shown = [[v for v, n in zip(values, counts, strict=True) for _ in range(n)] for counts in classes]
    groups = classes_by_hand(shown, ["wage"], orders={"wage": values})
    for k, e in ((1, "0"), (1, "1"), (2, "2"), (2, "3"), (3, "0"), (2, "7/2")):
        model = KEAnonymity(k=k, e=Fraction(e), column="wage")
        rows = model.linear(column, reference)
        assert rows is not None
        assert satisfying(rows, classes) == model.holds(groups).tolist()
        assert rows.either


def test_numbers_have_one_place_whatever_their_text() -> None:
    numbers, ranks, unit = numbers_of(SensitiveColumn("wage", ("10", "2.5", "2.50", "x", None)))
    assert (numbers, ranks.tolist(), unit) == ([250, 1000], [1, 0, 0, -1, -1], 100)


@settings(deadline=None, max_examples=100)
@given(models(KEAnonymity.name), releases())
def test_agrees_with_its_definition(model: PrivacyModel, plain: Plain) -> None:
    check(model, plain)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.lists(st.integers(-9, 9).map(lambda n: f"{n}.5"), min_size=1, max_size=5), min_size=2, max_size=4),
    st.integers(1, 4),
    st.integers(0, 12),
)
def test_a_class_that_keeps_it_keeps_it_whatever_joins_it(classes: list[list[str]], k: int, e: int) -> None:
    model = KEAnonymity(k=k, e=e, column="wage")
    groups = classes_by_hand(classes, ["wage"])
    if model.holds(groups).any():
        assert model.holds(groups.merged(np.zeros(groups.n_classes, dtype=np.int32), 1)).all()


def test_a_comma_may_stand_before_decimals() -> None:
    groups = classes_by_hand([["1.000,5", "1000,50", "1.002"], ["1,5", "1.5", "2,5"]], ["wage"])
    read = KEAnonymity(k=2, e=Fraction(3, 2), column="wage", decimal=",")
    assert read.holds(groups).tolist() == [True, False]
    assert read.achieved(groups) == {"k": 2, "e": 1.0}
    assert KEAnonymity(k=2, e=0, column="wage").holds(groups).tolist() == [False, False]


def test_the_least_size_is_that_of_different_numbers() -> None:
    sizes = [KEAnonymity(k=k, e=e, column="wage").least_size for k, e in ((1, 0), (1, 1), (4, 0), (4, 9))]
    assert sizes == [1, 2, 4, 4]


def test_persons_without_a_number_count_for_nothing() -> None:
    """Of the last class: a holds 0.5, c holds 3, and b both and what is no number."""
    classes = [[("0.5", "a"), ("x", "b")], [("x", "a"), ("x", "b")], [("0.5", "a"), ("3", "b"), ("x", "b"), ("3", "c")]]
    groups = classes_by_hand(classes, ["wage", "id"], orders={"wage": ("x", "3", "0.5", "7")})

    def found(k: int, e: str) -> list[bool]:
        return KEAnonymity(k=k, e=Fraction(e), column="wage", entity="id").holds(groups).tolist()

    assert found(1, "0") == [True, False, True]
    assert found(2, "0") == found(1, "1/2") == found(1, "5/2") == [False, False, True]
    assert found(3, "0") == found(1, "13/5") == [False, False, False]
    model = KEAnonymity(k=1, e=0, column="wage", entity="id")
    reached = [model.achieved(groups.only(np.arange(3) == at)) for at in range(3)]
    assert reached == [{"k": 1, "e": 0.0}, {"k": 0, "e": 0.0}, {"k": 2, "e": 2.5}]
    assert model.achieved(groups.only(np.zeros(3, dtype=np.bool_))) == {"k": 3, "e": 6.5}  # the whole column
    words = classes_by_hand([[("x", "a"), ("y", "b")]], ["wage", "id"])
    assert model.holds(words).tolist() == [False]
    assert model.achieved(words.only(np.zeros(1, dtype=np.bool_))) == {"k": 0, "e": 0.0}


def test_a_release_with_decimal_commas_is_certified_by_what_is_published(tmp_path: Path) -> None:
    wages = pl.DataFrame({"age": [f"{20 + n % 9}" for n in range(90)], "wage": [f"{n * 7 % 90},5" for n in range(90)]})
    promise = KEAnonymity(k=3, e=30, column="wage", decimal=",")
    release = shoal.anonymize(wages, quasi=["age"], sensitive=["wage"], k=5, require=[promise])
    release.write(tmp_path / "release")
    assert [claim.holds for claim in shoal.verify(tmp_path / "release").findings.claims] == [True, True]


@pytest.mark.parametrize("mark", [".", ","])
def test_who_gets_the_data_derives_it_from_the_public_certificate(mark: str, tmp_path: Path) -> None:
    pays = [f"{number}{mark}5" for number in range(12)]
    table = pl.DataFrame({"age": ["30", "31"] * 6, "pay": pays})
    asked = {"model": "k-e-anonymity", "k": 2, "e": 1, "column": "pay", "decimal": mark}
    release = shoal.anonymize(table, quasi=["age"], sensitive=["pay"], k=3, require=[asked], algorithm="optimal")
    release.write(tmp_path / "out")
    found = shoal.verify(tmp_path / "out" / "public").as_dict()
    assert (found["not_derived"], len(found["claims"])) == ({}, 2)
