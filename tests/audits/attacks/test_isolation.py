"""Descriptions that fit one record of the raw table, against all pairs of a description and a record."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.audits.attacks.isolation import Isolation
from shoal.foundation.errors import SpecError
from tests.audits import attacks_plain as plain
from tests.audits import papers

AGE = st.sampled_from(["*", "21", "20 - 25", "21 - 33", "25 - 29"])
ZIP = st.sampled_from(["*", "a", "b", "{a, b}", "{b, c}"])
RELEASE = st.lists(st.tuples(AGE, ZIP), min_size=1, max_size=12)
RAW = st.lists(
    st.tuples(st.sampled_from(["20", "21", "25", "29", "33"]), st.sampled_from(["a", "b", "c"])),
    min_size=1,
    max_size=12,
)


def covers(cell: str, value: str) -> bool:
    if " - " in cell:
        low, high = cell.split(" - ")
        return int(low) <= int(value) <= int(high)
    return value in plain.printed(cell) or cell in ("*", value)


def found_in(release: list[tuple[str, str]], raw: list[tuple[str, str]]) -> Isolation:
    frame, table = papers.frame(release, "age", "zip"), papers.frame(raw, "age", "zip")
    found = shoal.attack(frame, quasi=["age", "zip"], raw=table, attacks=["singling-out"], missing="category")
    assert found.singling_out is not None
    return found.singling_out


@settings(deadline=None, max_examples=60)
@given(RELEASE, RAW)
def test_every_description_is_counted(release: list[tuple[str, str]], raw: list[tuple[str, str]]) -> None:
    release, raw = [*release, ("*", "*")], [*raw, ("21", "a"), ("33", "b")]
    found = found_in(release, raw)
    fits: dict[str, dict[tuple[object, ...], list[int]]] = {"cells": {}, "ends": {}, "elements": {}}
    for cells in set(release):
        inside = [number for number, record in enumerate(raw) if all(map(covers, cells, record))]
        fits["cells"][cells,] = inside
        for column, cell in enumerate(cells):
            for place, text in enumerate(plain.printed(cell)):
                kind = "elements" if cell.startswith("{") else "ends"
                fits[kind][cells, column, place] = [number for number in inside if raw[number][column] == text]
    isolated = set()
    for told in found.predicates:
        some = {key: numbers for key, numbers in fits[told.kind].items() if numbers}
        alone = {key: numbers[0] for key, numbers in some.items() if len(numbers) == 1}
        assert (told.number, told.isolating) == (len(some), len(alone))
        assert told.classes == len({key[0] for key in alone})
        isolated |= set(alone.values())
    assert [told.kind for told in found.predicates] == ["cells", "ends", "elements"]
    assert found.isolated == len(isolated)
    assert found.share == len(isolated) / len(raw)
    assert found.n_records == len(raw)
    shown = {one.cells["age"] for one in found.exposed}
    assert shown <= {cells[0] for cells in release}
    assert sum(int(one.figures["isolating"]) for one in found.exposed) == sum(t.isolating for t in found.predicates)


def test_ends_of_ranges_single_people_out_and_single_values_do_not() -> None:
    """Five persons share a cell; the youngest and the oldest are alone at its ends."""
    ages = ["31", "33", "34", "36", "38", "40", "40", "40"]
    raw = pl.DataFrame({"age": ages})
    release = pl.DataFrame({"age": ["31 - 38"] * 5 + ["40"] * 3})
    found = shoal.attack(release, quasi=["age"], raw=raw, attacks=["singling-out"]).singling_out
    assert found is not None
    assert [(told.number, told.isolating) for told in found.predicates] == [(2, 0), (2, 2), (0, 0)]
    assert found.isolated == 2
    assert found.as_dict()["exposed"] == [{"class": 1, "size": 5, "isolating": 2}]


def test_days_at_the_ends_of_ranges() -> None:
    days = ["1950-01-03", "1951-02-01", "1952-07-09", "1952-07-09"]
    release = pl.DataFrame({"born": ["1950-01-03 - 1952-07-09"] * 4})
    found = shoal.attack(
        release, quasi=["born"], raw=pl.DataFrame({"born": days}), attacks=["singling-out"]
    ).singling_out
    assert found is not None
    assert [(told.number, told.isolating) for told in found.predicates] == [(1, 0), (2, 1), (0, 0)]


def test_without_the_raw_table_it_is_not_run() -> None:
    release = pl.DataFrame({"age": ["31 - 38"] * 5, "s": list("abcde")})
    assert shoal.attack(release, quasi=["age"], sensitive=["s"]).singling_out is None
    with pytest.raises(SpecError, match=r"'singling-out' needs the table that the release was made of \(--raw\)"):
        shoal.attack(release, quasi=["age"], attacks=["singling-out"])


def test_centres_of_clusters_are_no_cells() -> None:
    table = pl.DataFrame({"x": [1, 2, 3, 11, 12, 13], "s": list("ababab")})
    release = shoal.anonymize(table, quasi=["x"], sensitive=["s"], k=3, algorithm="mdav")
    assert shoal.attack(release).singling_out is None
    with pytest.raises(SpecError, match="needs cells, and the release publishes the centres of clusters"):
        shoal.attack(release, attacks=["singling-out"])
