import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audits.risk.person_classes import PersonClasses
from shoal.foundation.errors import SpecError
from shoal.tables.rows import Rows
from tests.audits import plain_risk as plain

CELL = st.one_of(st.none(), st.sampled_from(["a", "b", "*"]))
ROWS = st.lists(st.tuples(CELL, CELL, st.sampled_from("ABCDEF")), min_size=1, max_size=20)
NAMES = ["p", "q", "id"]


def frame_of(rows: list[tuple[str | None, ...]], names: list[str]) -> pl.DataFrame:
    return pl.DataFrame(rows, dict.fromkeys(names, pl.String), orient="row")


def each(rows: list[tuple[str | None, ...]], names: list[str]) -> Rows:
    return Rows.each(frame_of(rows, names))


@settings(max_examples=60)
@given(ROWS, st.booleans())
def test_persons_are_counted_as_by_hand(rows: list[tuple[str | None, ...]], named: bool) -> None:
    records = [row[:2] for row in rows]
    persons = [str(row[2]) for row in rows] if named else [str(number) for number in range(len(rows))]
    classes = PersonClasses.of(each(rows, NAMES), ["p", "q"], "id" if named else None)
    for wildcard, found in ((False, classes.persons), (True, classes.matching)):
        wanted = [plain.persons_alike(records, persons, record, wildcard=wildcard) for record in records]
        assert found[classes.class_of].tolist() == wanted
    assert (classes.n_records, classes.n_persons) == (len(rows), len(set(persons)))
    assert sorted(classes.sizes) == sorted(
        plain.persons_alike(records, persons, record, wildcard=False) for record in set(records)
    )


@settings(max_examples=40)
@given(ROWS, st.lists(st.tuples(CELL, CELL), max_size=20))
def test_a_population_is_counted_in_the_cells_of_the_table(
    rows: list[tuple[str | None, ...]], others: list[tuple[str | None, ...]]
) -> None:
    outside = each(others, ["p", "q"])
    classes = PersonClasses.of(each(rows, NAMES), ["p", "q"], population=outside)
    counted = Rows.of(outside.frame, ["p", "q"])
    again = PersonClasses.of(each(rows, NAMES), ["p", "q"], population=counted)
    people = [str(number) for number in range(len(others))]
    assert classes.population is not None
    assert again.population is not None
    for wildcard in (False, True):
        wanted = [plain.persons_alike(others, people, row[:2], wildcard=wildcard) for row in rows]
        for one, population in ((classes, classes.population), (again, again.population)):
            found = one.summed(population) if wildcard else population
            assert found[one.class_of].tolist() == wanted


def test_everyone_must_be_named() -> None:
    rows = Rows.of(frame_of([("a", "1"), ("b", None), ("b", None)], ["p", "id"]), ["p", "id"])
    with pytest.raises(SpecError, match="Column 'id' has no value in 2 records"):
        PersonClasses.of(rows, ["p"], "id")
