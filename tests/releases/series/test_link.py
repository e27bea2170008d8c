"""What is refused of a link between releases, on a series of four persons that is written down by hand."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from shoal.actions.verification.cells import cells_of
from shoal.foundation.errors import CertificateError
from shoal.releases.series.classes import ShownClasses
from shoal.releases.series.link import check_cells, check_file, check_step, check_table
from shoal.releases.series.state import WITHHELD, SeriesState
from shoal.tables.hierarchies import Intervals, Ranges, Sets
from shoal.tables.hierarchies.hierarchy import Hierarchy, Label
from shoal.tables.rows import Rows
from tests.releases.series.small import cohorts, invariant, person

QUASI = ("age", "sex")
RECORDS = [("1", "m", "flu"), ("1", "m", "cold"), ("2", "m", "flu"), ("2", "m", "cold")]


def shown(records: Sequence[tuple[Label, ...]], columns: tuple[str, ...] = ("ill",)) -> ShownClasses:
    frame = pl.DataFrame(records, schema=["age", "sex", "ill"], orient="row")
    return ShownClasses.of(Rows.each(frame), QUASI, columns)


def changed(numbers: NDArray[np.int32], at: int, new: int) -> NDArray[np.int32]:
    found = numbers.copy()
    found[at] = new
    return found


def test_persons_and_counterfeits_are_the_records_of_the_file() -> None:
    state = invariant()
    check_file(state, shown([*RECORDS]), QUASI)
    check_file(state, shown([(sex, age, ill) for age, sex, ill in RECORDS]), QUASI[::-1])
    check_file(replace(state, fakes=(), places=changed(state.places, 3, 1)), shown([*RECORDS]), QUASI)
    check_file(cohorts(), shown([("1", "m", "flu")] * 2 + [("2", "m", "flu")] * 2), QUASI)


@pytest.mark.parametrize(
    ("change", "records", "words"),
    [
        ({}, [("3", "m", "flu"), *RECORDS[1:]], "the classes of the file"),
        ({}, RECORDS[:2], "the classes of the file"),
        ({"columns": {"age": ("1", "2"), "job": ("m",)}}, RECORDS, "the classes of the file"),
        ({"cells": np.array([[0, 0], [0, 0]], dtype=np.int32)}, RECORDS[:2], "the classes of the file"),
        ({}, [*RECORDS, RECORDS[0]], "not as many as its records"),
        ({"fakes": ()}, RECORDS, "not as many as its records"),
        ({"fakes": ((0, "cold", 0),)}, RECORDS, "not as many as its records"),
        ({}, [*RECORDS[:3], ("2", "m", "gout")], "other values than those of its signature"),
        ({"signatures": (("flu", "cold", "gout"),)}, RECORDS, "other values than those of its signature"),
    ],
)
def test_another_file_is_refused(change: dict[str, Any], records: list[tuple[Label, ...]], words: str) -> None:
    with pytest.raises(CertificateError, match=words):
        check_file(replace(invariant(), **change), shown(records), QUASI)


def next_one(**change: Any) -> SeriesState:
    """Return the state of the next release, in which one more person is published."""
    state = invariant()
    more = {
        "number": 3,
        "persons": pl.Series([*state.persons, person(9)]),
        "held": np.append(state.held, 0).astype(np.int32),
        "marks": np.append(state.marks, 0).astype(np.int32),
        "places": np.append(state.places, 0).astype(np.int32),
    }
    return replace(state, **{**more, **change})


def test_everybody_keeps_the_signature_of_before_and_others_may_come() -> None:
    before = invariant()
    check_step(next_one(), before)
    check_step(next_one(signatures=(*before.signatures, ("gout", "pox"))), before)
    gone = changed(next_one().places, 0, -1)
    check_step(next_one(places=gone), before)  # who is not published now may be again
    check_step(next_one(places=gone, held=changed(next_one().held, 0, WITHHELD)), before)


BREAKS: list[tuple[Callable[[SeriesState], SeriesState], str]] = [
    (lambda one: replace(one, number=2), "not the state of the next release"),
    (lambda one: replace(one, promise="companions"), "not the state of the next release"),
    (lambda one: replace(one, signatures=(("cold", "flu"),)), "signatures of the release before"),
    (lambda one: replace(one, persons=pl.Series([*map(person, (0, 1, 2, 7, 9))])), "are not in it"),
    (lambda one: replace(one, held=changed(one.held, 1, 1)), "another signature than before"),
    (lambda one: replace(one, held=changed(one.held, 3, 0)), "published again after being withheld"),
    (lambda one: replace(one, marks=changed(one.marks, 0, 1)), "another value than before"),
    (lambda one: replace(one, held=changed(one.held, 0, WITHHELD)), "is published who was withheld"),
    (lambda one: replace(one, places=changed(one.places, 3, 1)), "is published who was withheld"),
]


@pytest.mark.parametrize(("change", "words"), BREAKS)
def test_a_step_that_breaks_the_chain_is_refused(change: Callable[[SeriesState], SeriesState], words: str) -> None:
    with pytest.raises(CertificateError, match=words):
        check_step(change(next_one()), invariant())


def test_the_history_of_a_companion_is_only_prolonged() -> None:
    before = cohorts()
    longer = replace(before, number=2, known_marks=("1:a", "1:b 2:a"))
    check_step(longer, before)
    for text in ("1:a 2:a", "1:ba", "2:b"):
        with pytest.raises(CertificateError, match="history of a person is not as it was"):
            check_step(replace(before, number=2, known_marks=("1:a", text)), before)


PERSONS = [person(0), person(1), person(2), person(5)]
VALUES = ["flu", "cold", "flu", "pox"]
MARKS = np.array(["f", "c", "f", "x"], dtype=object)


def test_each_person_of_the_raw_table_has_the_class_of_the_state() -> None:
    found = check_table(invariant(), PERSONS, pl.Series(VALUES), MARKS)
    assert found.tolist() == [0, 0, 1, -1]
    assert check_table(invariant(), PERSONS, None, MARKS).tolist() == [0, 0, 1, -1]
    order = [3, 2, 0, 1]
    turned = check_table(invariant(), [PERSONS[i] for i in order], pl.Series([VALUES[i] for i in order]), MARKS[order])
    assert turned.tolist() == [-1, 1, 0, 0]
    withheld = check_table(invariant(), [*PERSONS, person(3)], pl.Series([*VALUES, "flu"]), np.append(MARKS, "f"))
    assert withheld.tolist() == [0, 0, 1, -1, -1]


@pytest.mark.parametrize(
    ("change", "persons", "values", "marks", "words"),
    [
        ({}, PERSONS[1:], VALUES[1:], MARKS[1:], "not in the raw table"),
        ({}, [*PERSONS[:3], person(5), person(5)], [*VALUES, "pox"], np.append(MARKS, "x"), "not in the raw table"),
        ({}, PERSONS, VALUES, np.array(["f", "c", "c", "x"], dtype=object), "other values in the raw table"),
        ({}, PERSONS, ["cold", "cold", "flu", "pox"], MARKS, "each value of its signature equally often"),
        ({}, PERSONS, ["flu", "gout", "flu", "pox"], MARKS, "each value of its signature equally often"),
        ({"fakes": ()}, PERSONS, VALUES, MARKS, "each value of its signature equally often"),
        ({"fakes": ((1, "flu", 0),)}, PERSONS, VALUES, MARKS, "each value of its signature equally often"),
        ({"fakes": ((1, None, 0),)}, PERSONS, VALUES, MARKS, "each value of its signature equally often"),
        ({"signatures": (("flu", "cold", "gout"),)}, PERSONS, VALUES, MARKS, "each value of its signature"),
    ],
)
def test_another_table_is_refused(
    change: dict[str, Any], persons: list[str], values: list[str], marks: NDArray[np.object_], words: str
) -> None:
    with pytest.raises(CertificateError, match=words):
        check_table(replace(invariant(), **change), persons, pl.Series(values), marks)


def test_each_class_is_put_to_its_own_signature() -> None:
    state = replace(
        invariant(),
        signatures=(("flu", "cold"), ("flu", "cold", "gout")),
        owned=np.array([0, 1], dtype=np.int32),
        fakes=((1, "cold", 0), (1, "gout", 0)),
    )
    check_table(state, PERSONS, pl.Series(VALUES), MARKS)
    for wrong in (((1, "cold", 0), (0, "gout", 0)), ((0, "cold", 0), (1, "gout", 0)), ((1, "gout", 0), (1, "pox", 0))):
        with pytest.raises(CertificateError, match="each value of its signature equally often"):
            check_table(replace(state, fakes=wrong), PERSONS, pl.Series(VALUES), MARKS)


def test_a_value_of_a_signature_that_nobody_has_stands_for_no_other() -> None:
    state = replace(invariant(), signatures=(("flu", "pox"),), fakes=((1, "gout", 0),))
    with pytest.raises(CertificateError, match="each value of its signature equally often"):
        check_table(state, PERSONS, pl.Series(["flu", "gout", "flu", "flu"]), MARKS)


def test_a_missing_value_is_one_of_a_signature_too() -> None:
    state = replace(invariant(), signatures=((None, "flu"),), fakes=((1, None, 0),))
    check_table(state, PERSONS, pl.Series(["flu", None, "flu", "pox"]), MARKS)


def covered(hierarchy: Hierarchy, texts: tuple[Label, ...], classes: list[int], leaves: list[int]) -> None:
    """Put persons with leaves of a column to the cells of their classes; the last person is not published."""
    codes = np.array([[0, 0]] * len(texts), dtype=np.int32)
    codes[:, 1] = np.arange(len(texts))
    state = replace(invariant(), columns={"sex": ("m",), "age": texts}, cells=codes)
    places = np.array([*classes, -1], dtype=np.int32)
    own = np.array([*leaves, len(hierarchy.values) - 1], dtype=np.int32)
    check_cells(state, places, "age", own, hierarchy, cells_of(hierarchy, texts, "age"))


AGES = ["1", "2", "3", "4", "9"]


@pytest.mark.parametrize(
    ("hierarchy", "texts", "inside", "outside"),
    [
        (
            Intervals(widths=(2,)).build(AGES, "age"),
            ("2-3", "9", "*"),
            [(0, 1), (0, 2), (1, 4), (2, 4)],
            [(0, 0), (1, 3)],
        ),
        (
            Ranges().build(AGES, "age"),
            ("2 - 4", "4 - 9", "9"),
            [(0, 1), (0, 2), (0, 3), (1, 4)],
            [(0, 0), (0, 4), (1, 2), (2, 3)],
        ),
        (
            Sets().build(AGES, "age"),
            ("{2, 4}", "{1, 2}", "9"),
            [(0, 1), (0, 3), (1, 0), (2, 4)],
            [(0, 0), (0, 2), (1, 3), (2, 0)],
        ),
    ],
)
def test_the_cell_of_a_class_covers_what_its_persons_have(
    hierarchy: Hierarchy, texts: tuple[Label, ...], inside: list[tuple[int, int]], outside: list[tuple[int, int]]
) -> None:
    classes, leaves = map(list, zip(*inside, strict=True))
    covered(hierarchy, texts, classes, leaves)
    for one, leaf in outside:
        with pytest.raises(CertificateError, match="value in column 'age' is not in the cell"):
            covered(hierarchy, texts, [*classes, one], [*leaves, leaf])
