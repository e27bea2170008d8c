from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from tests.audits import attacks_plain as plain
from tests.audits import papers
from tests.audits.attacks.test_homogeneity import CELL

NUMBER = st.one_of(st.none(), st.integers(-5, 40).map(str), st.sampled_from(["0.5", "7.25"]))
RELEASE = st.lists(st.tuples(CELL, NUMBER), min_size=1, max_size=20)
TREE = {"Any": {"heart": ["angina", "stroke"], "lungs": {"upper": ["cold"], "lower": ["asthma", "flu"]}}}
ILL = st.one_of(st.none(), st.sampled_from(["angina", "stroke", "cold", "asthma", "flu"]))
GROUPS = {1: {"cold": "upper", "asthma": "lower", "flu": "lower"}, 2: {"cold": "l", "asthma": "l", "flu": "l"}}


@settings(deadline=None, max_examples=30)
@given(RELEASE)
def test_a_class_may_lie_within_a_narrow_range(release: list[plain.Row]) -> None:
    release = [*release, ("c", "1")]
    frame = papers.frame(release, "q", "s")
    [found] = shoal.attack(frame, quasi=["q"], sensitive=["s"], attacks=["similarity"], width="0.3").similarity["s"]
    assert [step.within for step in found.steps] == [0.01, 0.05, 0.1, 0.2, 0.3, 0.5]
    for step in found.steps:
        assert step.records == plain.within_range(release, 1, Fraction(str(step.within)))
    assert found.records == found.steps[4].records == sum(one.size for one in found.exposed)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(CELL, ILL), min_size=1, max_size=20))
def test_a_class_may_lie_within_one_group(release: list[plain.Row]) -> None:
    recipe = {"type": "taxonomy", "tree": TREE}
    frame = papers.frame([*release, ("c", "flu")], "q", "s")
    asked = shoal.attack(frame, quasi=["q"], sensitive={"s": recipe}, attacks=["similarity"])
    [found] = asked.similarity["s"]
    assert (found.by, [step.within for step in found.steps]) == ("group", [1, 2])
    for step in found.steps:
        wanted = 0
        for part in plain.classes([*release, ("c", "flu")], 1):
            groups = {GROUPS[int(step.within)].get(str(row[1]), row[1] if step.within == 1 else "h") for row in part}
            if all(row[1] is not None for row in part) and len(groups) == 1:
                wanted += len(part)
        assert step.records == wanted, step.within


def test_single_men_and_cholesterol() -> None:
    """002 Figure 19: the single men of 2203* have from 250 to 260."""
    frame = papers.frame(papers.FIGURE_19, *papers.CHAPTER, "diabetes", "cholesterol")
    asked = shoal.attack(frame, quasi=papers.CHAPTER, sensitive=["cholesterol", "diabetes"], width=0.2)
    [found] = asked.similarity["cholesterol"]
    assert (found.whole, found.narrowest, found.records) == (95.0, 10.0, 3)
    [men] = found.exposed
    assert men.figures == {"records": 3, "range": 10.0}
    assert men.as_dict(show=True)["value"] == "250 - 260"
    assert asked.not_run == {
        "similarity (diabetes)": "the values of column 'diabetes' are no numbers, and it has no hierarchy with groups"
    }
    narrow = shoal.attack(frame, quasi=papers.CHAPTER, sensitive=["cholesterol"]).similarity["cholesterol"][0]
    assert narrow.records == 0  # 10 of 95 is more than a tenth
    known = shoal.attack(frame, quasi=papers.CHAPTER, sensitive=["cholesterol", "diabetes"], others_known=True)
    assert known.similarity["cholesterol"][0].steps[3].records == 4  # (Y, 250..260), N 250, Y 210


def test_days_are_near_by_the_calendar() -> None:
    rows = [("a", "2024-01-01"), ("a", "2024-01-08"), ("b", "2024-01-01"), ("b", "2024-12-31")]
    frame = papers.frame([*rows], "q", "s")
    [found] = shoal.attack(frame, quasi=["q"], sensitive=["s"]).similarity["s"]
    assert (found.whole, found.narrowest, found.records) == (365.0, 7.0, 2)


@pytest.mark.parametrize("huge", ["123456789012345678901234567890", "1e20"])
def test_numbers_beyond_the_machine_are_compared_exactly(huge: str) -> None:
    frame = papers.frame([("a", huge), ("a", "0"), ("b", "1"), ("b", "2")], "q", "s")
    [found] = shoal.attack(frame, quasi=["q"], sensitive=["s"]).similarity["s"]
    assert found.records == 2
