"""Histories of marks, and what groups of persons with them keep, by hand."""

from fractions import Fraction

import pytest

from shoal.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity
from shoal.releases.series.histories import at_all_times, keeps, last_marks, likeliest, longer

COLUMNS = ["ill", "pay"]


def test_a_history_tells_what_changed_and_when() -> None:
    assert longer("", 3, "a,b") == "3:a,b"
    assert longer("3:a,b", 4, "a,b") == "3:a,b"
    assert longer("3:a,b", 5, "a,c") == "3:a,b 5:a,c"
    assert longer("3:a,b 5:a,c", 6, "a,b") == "3:a,b 5:a,c 6:a,b"
    assert last_marks("3:a,b 5:a,c") == "a,c"
    assert last_marks("") == ""


def test_a_group_is_looked_at_whenever_somebody_has_another_value() -> None:
    group = ["1:a,x", "1:b,x 3:a,x", "1:c,x 2:b,y"]
    assert at_all_times(group) == [
        [("a", "x"), ("b", "x"), ("c", "x")],
        [("a", "x"), ("b", "x"), ("b", "y")],
        [("a", "x"), ("a", "x"), ("b", "y")],
    ]
    assert likeliest(group) == 1  # of the pay at first
    assert likeliest([one.replace(",x", "").replace(",y", "") for one in group]) == Fraction(2, 3)
    assert likeliest([]) == 0


GROUP = ["1:a,x", "1:b,x", "1:c,y", "1:c,z 2:a,z"]  # ill: a b c c, then a b c a; pay: x x y z


@pytest.mark.parametrize(
    ("promise", "kept"),
    [
        (KAnonymity(k=4), True),
        (KAnonymity(k=5), False),
        (DistinctLDiversity(l=3, column="ill"), True),
        (DistinctLDiversity(l=4, column="ill"), False),
        (DistinctLDiversity(l=3, column="pay"), True),
        (FrequencyLDiversity(l=2, column="ill"), True),
        (FrequencyLDiversity(l=2.5, column="ill"), False),
        (FrequencyLDiversity(l=2, column="pay"), True),
    ],
)
def test_a_group_keeps_what_is_promised_at_all_times(promise: object, kept: bool) -> None:
    assert keeps(GROUP, [promise], COLUMNS) == kept  # type: ignore[list-item]
    assert keeps(GROUP, [KAnonymity(k=2), promise], COLUMNS) == kept  # type: ignore[list-item]


def test_what_held_once_and_no_more_is_not_kept() -> None:
    later = [*GROUP[:3], "1:c,z 2:a,z 3:c,z 4:c,x"]
    assert not keeps(later, [DistinctLDiversity(l=3, column="pay")], COLUMNS)
    assert keeps(later, [DistinctLDiversity(l=2, column="pay")], COLUMNS)


def test_who_came_later_is_no_companion() -> None:
    assert keeps(["1:a", "1:b"], [KAnonymity(k=2)], ["ill"])
    assert not keeps(["1:a", "2:b"], [KAnonymity(k=2)], ["ill"])
