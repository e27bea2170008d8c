"""What a column of pseudonyms links, against counting by hand, and what may leave."""

from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.classes.links import Links, link_breaches
from shoal.tables.rows import Rows


def rows_of(records: list[tuple[str | None, ...]], names: list[str], counts: list[int] | None = None) -> Rows:
    frame = pl.DataFrame(records, schema=dict.fromkeys(names, pl.String), orient="row")
    return Rows.each(frame) if counts is None else Rows(frame, np.array(counts, dtype=np.int64))


def by_hand(records: list[tuple[str | None, ...]], counts: list[int]) -> Links:
    """Count persons with dictionaries: the last value of a record is the pseudonym, the others are its class."""
    own: Counter[str] = Counter()
    classes_of: defaultdict[str, set[tuple[str | None, ...]]] = defaultdict(set)
    persons_of: defaultdict[tuple[str | None, ...], set[str]] = defaultdict(set)
    missing = 0
    for record, count in zip(records, counts, strict=True):
        *cells, person = record
        persons_of[tuple(cells)] |= set() if person is None else {person}
        if person is None:
            missing += count
            continue
        own[person] += count
        classes_of[person].add(tuple(cells))
    return Links(
        column="p",
        persons=len(own),
        records=max(own.values(), default=0),
        missing=missing,
        split=sum(len(found) > 1 for found in classes_of.values()),
        fewest=min((len(found) for found in persons_of.values()), default=0),
    )


RECORD = st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from(["x", "y"]), st.sampled_from([*"12345", None]))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(RECORD, st.integers(1, 3)), min_size=1, max_size=12))
def test_links_are_those_counted_by_hand(drawn: list[tuple[tuple[str | None, ...], int]]) -> None:
    records, counts = [record for record, _ in drawn], [count for _, count in drawn]
    assert Links.of(rows_of(records, ["a", "b", "p"], counts), ["a", "b"], "p") == by_hand(records, counts)


def test_a_person_with_one_record_breaks_nothing_in_any_class() -> None:
    found = Links.of(rows_of([("a", "1"), ("a", "2"), ("b", "3")], ["q", "p"]), ["q"], "p")
    assert found == Links("p", 3, 1, 0, 0, 1)
    assert link_breaches([found, found], 2, overlapping=True) == []  # records are persons, which the promises count


@pytest.mark.parametrize(
    ("records", "k", "overlapping", "words"),
    [
        ([("a", "1"), ("a", "1"), ("a", "2")], 2, False, None),
        ([("a", "1"), ("a", "1"), ("a", "2")], 3, False, "a class has 2 persons, whom their pseudonyms tell apart"),
        ([("a", "1"), ("a", "1"), ("a", "2")], 2, True, "a person has 2 records, and classes overlap"),
        ([("a", "1"), ("b", "1"), ("a", "2"), ("b", "2")], 2, False, "2 of 2 persons have records in several classes"),
        ([("a", "1"), ("a", "2"), ("a", None)], 2, False, "1 records have none"),
    ],
)
def test_what_may_not_leave_is_said(
    records: list[tuple[str | None, ...]], k: int, overlapping: bool, words: str | None
) -> None:
    wrong = link_breaches([Links.of(rows_of(records, ["q", "p"]), ["q"], "p")], k, overlapping=overlapping)
    assert wrong == [] if words is None else (len(wrong) == 1 and words in wrong[0] and "column 'p'" in wrong[0])


def test_two_columns_may_not_both_link_records() -> None:
    records: list[tuple[str | None, ...]] = [("a", "1", "7"), ("a", "1", "8"), ("a", "2", "8"), ("a", "3", "9")]
    rows = rows_of(records, ["q", "p", "r"])
    found = [Links.of(rows, ["q"], name) for name in ("p", "r")]
    assert link_breaches(found[:1], 3, overlapping=False) == link_breaches(found[1:], 3, overlapping=False) == []
    (wrong,) = link_breaches(found, 3, overlapping=False)  # records 1 to 3 are of one person: two persons are left
    assert "'p', 'r' link records through each other" in wrong


def test_classes_are_those_of_all_quasi_columns_with_missing_cells_apart() -> None:
    cells: list[tuple[str | None, ...]] = [(one, other) for one in ("a", "b", None) for other in ("x", "y", None)]
    records = [(*cell, person) for number, cell in enumerate(cells) for person in (str(number), str(number + 100))]
    rows = rows_of([*records, *records[:1]], ["a", "b", "p"])
    assert Links.of(rows, ["a", "b"], "p") == Links("p", 18, 2, 0, 0, 2)
    assert Links.of(rows, ["a"], "p").fewest == 6
    for one, other in combinations(cells, 2):  # no two of them are taken for one class
        assert Links.of(rows_of([*records, (*one, "p"), (*other, "p")], ["a", "b", "p"]), ["a", "b"], "p").split == 1


def test_a_table_without_any_pseudonym_has_no_persons() -> None:
    found = Links.of(rows_of([("a", None), ("b", None)], ["q", "p"]), ["q"], "p")
    assert found == Links("p", 0, 0, 2, 0, 0)
