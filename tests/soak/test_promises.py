"""The judge's definitions of promises, each by hand: of records, of persons, and by the most records of one."""

import math
from fractions import Fraction
from typing import Any

import pytest

from tests.soak.judge import promises
from tests.soak.judge.persons import NotJudgedError
from tests.soak.judge.promises import judged


def classes(*texts: str) -> list[list[dict[str, str]]]:
    return [[{"s": value} for value in text] for text in texts]


@pytest.mark.parametrize(
    ("promise", "texts", "kept", "reached"),
    [
        ({"model": "entropy-l-diversity", "l": 4}, ("abcd",), True, {"l": 4}),
        ({"model": "entropy-l-diversity", "l": 4}, ("abcd", "aaab"), False, None),
        ({"model": "recursive-cl-diversity", "c": "4/3", "l": 2}, ("aaaabbc",), False, {"c": Fraction(4, 3)}),
        ({"model": "recursive-cl-diversity", "c": 2, "l": 3}, ("aab",), False, {"c": "infinite"}),
        ({"model": "frequency-l-diversity", "l": 2}, ("ab", "aabb"), True, {"l": Fraction(2)}),
        ({"model": "alpha-k-anonymity", "alpha": 0.4, "k": 3, "value": "b"}, ("aaa", "aba", "abb"), False, None),
        ({"model": "k-e-anonymity", "k": 2, "e": 3}, ("142", "41x"), True, {"k": 2, "e": 3}),
        ({"model": "k-e-anonymity", "k": 1, "e": "7/2"}, ("14", "159"), False, {"k": 2, "e": 3}),
        ({"model": "k-e-anonymity", "k": 1, "e": 0}, ("1", "xy"), False, {"k": 0, "e": 0}),
        ({"model": "t-closeness", "t": 0.4}, ("vh", "hvcc", "cvhc"), True, {"t": Fraction(2, 5)}),
        ({"model": "t-closeness", "t": 0.5, "distance": "ordered"}, ("ab", "bc", "ac"), True, {"t": Fraction(1, 4)}),
        ({"model": "beta-likeness", "beta": 1}, ("fff", "hhf", "fhf"), True, {"beta": Fraction(1)}),
        ({"model": "beta-likeness", "beta": 1, "kind": "enhanced"}, ("fff", "hhf", "fhf"), False, {"beta": "infinite"}),
        ({"model": "delta-disclosure", "delta": 0.5}, ("ffc", "fcc"), True, None),
        ({"model": "delta-disclosure", "delta": 0.4}, ("ffc", "fcc"), False, None),
        ({"model": "delta-disclosure", "delta": 9}, ("fc", "cc"), False, {"delta": "infinite"}),
        ({"model": "average-risk", "most": 0.4}, ("aa", "abc"), True, {"most": Fraction(2, 5)}),
        ({"model": "average-risk", "most": "1/3"}, ("aa", "abc"), False, {"most": Fraction(2, 5)}),
        ({"model": "sample-uniqueness", "most": 0.2}, ("a", "bb", "ccc"), True, {"most": Fraction(1, 6)}),
        ({"model": "sample-uniqueness", "most": 0.1}, ("a", "bb", "ccc"), False, {"most": Fraction(1, 6)}),
        ({"model": "population-uniqueness", "most": 0, "fraction": 0.1}, ("bb", "ccc"), True, {"most": 0}),
    ],
)
def test_promises_by_hand(promise: dict[str, Any], texts: tuple[str, ...], kept: bool, reached: Any) -> None:
    groups = classes(*texts)
    whole = [record for one in groups for record in one]
    found, numbers = judged({**promise, "column": "s"}, groups, whole, ["s"], {}, {})
    assert found is kept
    if reached is not None:
        assert numbers == pytest.approx(reached) if "entropy" in promise["model"] else numbers == reached


@pytest.mark.parametrize(
    ("promise", "kept", "reached"),
    [
        ({"model": "k-anonymity", "k": 2}, True, 2),
        ({"model": "distinct-l-diversity", "l": 2}, False, 1),
        ({"model": "p-sensitive-k-anonymity", "p": 1, "k": 2}, True, {"p": 1, "k": 2}),
        ({"model": "frequency-l-diversity", "l": 1}, True, 1),
        ({"model": "frequency-l-diversity", "l": 2}, False, 1),
        ({"model": "recursive-cl-diversity", "c": 9, "l": 2}, False, "infinite"),
        ({"model": "alpha-k-anonymity", "alpha": "2/3", "k": 2, "value": "5"}, True, {"alpha": Fraction(2, 3), "k": 2}),
        ({"model": "k-e-anonymity", "k": 1, "e": 0}, True, {"k": 1, "e": 0}),
        ({"model": "k-e-anonymity", "k": 1, "e": 1}, False, {"k": 1, "e": 0}),
        ({"model": "t-closeness", "t": "1/5"}, True, Fraction(1, 5)),
        ({"model": "t-closeness", "t": 1, "distance": "ordered"}, True, Fraction(1, 5)),
        ({"model": "beta-likeness", "beta": "1/4"}, True, Fraction(1, 4)),
        ({"model": "delta-disclosure", "delta": 0.3}, True, pytest.approx(math.log(5 / 4))),
    ],
)
def test_promises_of_persons_by_hand(promise: dict[str, Any], kept: bool, reached: Any) -> None:
    """Ann and Bob share 1, which Ann has beside 5; in the other class 1 and 5 are held by two of three each."""
    held = [("ann", "1"), ("ann", "5"), ("bob", "1")], [("1", "1"), ("2", "1"), ("2", "5"), ("3", "5")]
    blocks = [[{"who": who, "s": value} for who, value in one] for one in held]
    whole = [record for one in blocks for record in one]
    asked = {**promise, "column": "s", "entity": "who"}
    found, numbers = judged(asked, blocks, whole, ["s"], {}, {})
    assert (found, numbers) == (kept, reached if isinstance(reached, dict) else {next(iter(numbers)): reached})


def test_members_stand_for_persons_who_are_not_told_apart() -> None:
    four = classes("abcd", "aabc")
    whole = [record for one in four for record in one]
    for promise, kept, reached in (
        ({"model": "k-anonymity", "k": 2, "members": 3}, True, 2),
        ({"model": "k-anonymity", "k": 3, "members": 2}, False, 2),
        ({"model": "distinct-l-diversity", "l": 2, "members": 2}, True, 2),
        ({"model": "distinct-l-diversity", "l": 2, "members": 3}, False, 1),
        ({"model": "frequency-l-diversity", "l": 1, "members": 2}, True, 1),
        ({"model": "frequency-l-diversity", "l": 2, "members": 2}, False, 1),
    ):
        found, numbers = judged({**promise, "column": "s"}, four, whole, ["s"], {}, {})
        assert (found, *numbers.values()) == (kept, reached)


def test_a_parameter_that_the_judge_does_not_know_is_not_judged() -> None:
    with pytest.raises(NotJudgedError, match="k-anonymity with halves"):
        judged({"model": "k-anonymity", "k": 2, "halves": 2}, classes("ab"), [], [], {}, {})


def test_wildcards_match_everything() -> None:
    records = [{"q": value, "r": other} for value, other in (("a", "x"), ("", "x"), ("b", "y"))]
    found = promises.classes_of(records, ["q", "r"], wildcard=True)
    assert sorted(map(len, found)) == [1, 2, 2]
    with pytest.raises(NotJudgedError):
        judged({"model": "k-map", "k": 2, "population": "x"}, found, records, [], {}, {})


def test_closeness_to_the_input_has_the_rest_as_a_class() -> None:
    """Of a, b and c in equal parts all c are gone, and they are two thirds from all of them."""
    groups, promise = classes("ab", "ab"), {"model": "t-closeness", "t": 0.5, "column": "s", "against": "input"}
    whole = [record for one in groups for record in one]
    raw = [{"s": value} for value in "ababcc"]
    assert judged(promise, groups, whole, ["s"], {}, {}, raw) == (False, {"t": Fraction(2, 3)})
    assert judged(promise, groups, whole, ["s"], {}, {}, raw[:4]) == (True, {"t": Fraction(0)})
    with pytest.raises(NotJudgedError):
        judged(promise, groups, whole, ["s"], {}, {})


def test_an_estimate_is_not_judged() -> None:
    groups = classes("a", "bb")
    whole = [record for one in groups for record in one]
    with pytest.raises(NotJudgedError):
        judged({"model": "population-uniqueness", "most": 1, "fraction": 0.5}, groups, whole, ["s"], {}, {})
