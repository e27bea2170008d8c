"""Groups of companions, derived from the states of two small releases."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.foundation.errors import CertificateError
from shoal.models import DistinctLDiversity, KAnonymity
from shoal.releases.series.companions import CompanionGroups
from shoal.releases.series.continuation import ever, reached
from shoal.releases.series.state import SeriesState
from tests.releases.series.small import cohorts, invariant, person

TWO = [KAnonymity(k=2), DistinctLDiversity(l=2, column="ill")]


def array(*numbers: int) -> Any:
    return np.array(numbers, dtype=np.int32)


def later(**change: Any) -> SeriesState:
    """Return the release after `cohorts`: the second cohort has left, and one of three has come."""
    return replace(
        cohorts(),
        **{
            "number": 2,
            "persons": pl.Series([person(number) for number in range(7)]),
            "held": array(0, 0, -1, -1, 2, 2, 2),
            "marks": array(0, 1, -1, -1, 2, 3, 4),
            "places": array(0, 0, -1, -1, 1, 1, 1),
            "owned": array(0, 2),
            "known_marks": ("1:a", "1:b", "2:a", "2:b", "2:b 3:c"),
            **change,
        },
    )


def test_those_who_stay_and_those_who_left_together_are_groups() -> None:
    assert CompanionGroups.of(cohorts(), None, TWO, ["ill"]) == CompanionGroups(2, 2, Fraction(1, 2))
    assert CompanionGroups.of(later(), cohorts(), TWO, ["ill"]) == CompanionGroups(2, 2, Fraction(2, 3))
    alone = later(held=array(-1, -1, -1, -1, 2, 2, 2), places=array(-1, -1, -1, -1, 0, 0, 0), owned=array(2))
    assert CompanionGroups.of(alone, None, TWO, ["ill"]) == CompanionGroups(3, 2, Fraction(2, 3))
    nobody = later(held=array(*[-1] * 7), places=array(*[-1] * 7), owned=array())
    assert CompanionGroups.of(nobody, None, TWO, ["ill"]) == CompanionGroups(0, 0, Fraction(0))


BREAKS: list[tuple[dict[str, Any], str]] = [
    ({"owned": array(0, 0)}, "a cohort is split"),
    ({"places": array(0, -1, -1, -1, 1, 1, 1)}, "not withheld for good"),
    ({"held": array(0, 2, -1, -1, 2, 2, 2)}, "in another cohort than before"),
    ({"held": array(0, 0, -1, -1, 0, 2, 2), "places": array(0, 0, -1, -1, 0, 1, 1)}, "came to a cohort after"),
    (
        {"held": array(0, 0, 1, -1, 2, 2, 2), "places": array(0, 0, 2, -1, 1, 1, 1), "owned": array(0, 2, 1)},
        "less than",
    ),
    ({"marks": array(0, 0, -1, -1, 2, 3, 4)}, "keeps less than what was promised"),
]


@pytest.mark.parametrize(("change", "words"), BREAKS)
def test_groups_that_are_none_are_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(CertificateError, match=words):
        CompanionGroups.of(later(**change), cohorts(), TWO, ["ill"])


@pytest.mark.parametrize(
    "change",
    [
        lambda before: replace(before, held=array(0, 0, 1, 7)),  # the second cohort was one of one person each
        lambda before: replace(before, marks=array(0, 1, 0, 0)),  # or had the same values
    ],
)
def test_those_who_left_had_companions_too(change: Callable[[SeriesState], SeriesState]) -> None:
    with pytest.raises(CertificateError, match="keeps less than what was promised"):
        CompanionGroups.of(later(), change(cohorts()), TWO, ["ill"])


def test_who_was_withheld_before_is_in_no_group() -> None:
    before = replace(cohorts(), held=array(0, 0, -1, -1), places=array(0, 0, -1, -1), owned=array(0))
    assert CompanionGroups.of(later(), before, TWO, ["ill"]).persons == 2


def test_what_is_reached_follows_from_the_states() -> None:
    assert reached(later(), cohorts(), TWO, ["ill"]) == ({"values": 2, "persons": 2}, Fraction(2, 3))
    assert reached(invariant(), None, [], ["ill"]) == ({"values": 2, "persons": 1}, Fraction(1, 2))
    longer = replace(invariant(), signatures=(("flu", "cold"), ("a", "b", "c")), owned=array(1, 1))
    assert reached(longer, None, [], ["ill"]) == ({"values": 3, "persons": 1}, Fraction(1, 3))
    both = replace(longer, owned=array(0, 1))
    assert reached(both, None, [], ["ill"]) == ({"values": 2, "persons": 1}, Fraction(1, 2))


def test_a_bound_on_posteriors_never_falls() -> None:
    assert ever(Fraction(1, 3), []) == Fraction(1, 3)
    assert ever(Fraction(1, 3), [{"posterior": "1/4"}, {"posterior": "1/2"}]) == Fraction(1, 2)
    assert ever(Fraction(1, 3), [{"posterior": "1/4"}]) == Fraction(1, 3)
