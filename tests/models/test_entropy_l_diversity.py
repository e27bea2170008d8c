"""Entropy l-diversity: floats for clear cases, integers for ties."""

from decimal import localcontext
from fractions import Fraction
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.models import EntropyLDiversity, PrivacyModel
from shoal.models.by_hand import classes_by_hand
from shoal.models.entropy_l_diversity import diverse
from tests.models.cases import Plain, check, models, releases


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 10, 26])
@pytest.mark.parametrize("copies", [1, 3, 1000])
def test_n_equally_frequent_values_are_exactly_n_diverse(n: int, copies: int) -> None:
    groups = classes_by_hand([[chr(97 + i) for i in range(n)] * copies], ["x"])
    assert EntropyLDiversity(l=Fraction(n), column="x").holds(groups).all()
    assert not EntropyLDiversity(l=Fraction(n) + Fraction(1, 10**12), column="x").holds(groups).any()
    assert EntropyLDiversity(l=Fraction(n), column="x").achieved(groups) == {"l": n}


def test_a_tie_that_is_not_uniform() -> None:
    # 8^8 = 4^8 * 4^4: the entropy of (4, 1, 1, 1, 1) is exactly that of four values.
    groups = classes_by_hand([list("aaaabcde"), list("aaaaabcd")], ["x"])
    assert EntropyLDiversity(l=Fraction(4), column="x").holds(groups).tolist() == [True, False]
    assert diverse((1, 1, 1, 1, 4), Fraction(4))
    assert not diverse((1, 1, 1, 1, 4), Fraction(4) + Fraction(1, 10**50))


def test_large_counts_that_nearly_tie() -> None:
    n = 10**6
    assert diverse((n, n), Fraction(2))
    assert not diverse((n, n + 1), Fraction(2))
    assert diverse((n, n + 1), Fraction(2) - Fraction(1, 10**11))
    assert diverse((n, n), Fraction("2." + "0" * 80 + "1")) is False


def test_a_large_tie_that_is_not_uniform() -> None:
    # D = 2^10: half of the records share one value, half are pairs, so 1/2 * 1 + 1/2 * 9 = 5 bits.
    counts = (2,) * 2**8 + (2**9,)
    assert diverse(counts, Fraction(2**5))
    assert not diverse(counts, Fraction(2**5) + Fraction(1, 10**90))


@settings(deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.fractions(1, 5, max_denominator=4))
def test_decimals_and_powers_agree_with_integers(counts: list[int], l: Fraction) -> None:  # noqa: E741
    total = sum(counts)
    assert diverse(tuple(counts), l) == (Fraction(total) ** total >= l**total * prod(c**c for c in counts))


def test_the_least_diverse_class_counts() -> None:
    groups = classes_by_hand([list("ab"), list("aab")], ["x"])
    model = EntropyLDiversity(l=Fraction(2), column="x")
    assert model.holds(groups).tolist() == [True, False]
    assert model.achieved(groups)["l"] == pytest.approx(3 / 4 ** (1 / 3))


def test_decimals_of_the_caller_change_nothing() -> None:
    groups = classes_by_hand([list("aab"), list("aaaabcde")], ["x"])
    model = EntropyLDiversity(l=Fraction(4), column="x")
    with localcontext() as context:
        context.prec = 3
        assert model.achieved(groups)["l"] == pytest.approx(3 / 4 ** (1 / 3), rel=1e-15)
        assert model.holds(groups).tolist() == [False, True]


@settings(deadline=None, max_examples=100)
@given(models(EntropyLDiversity.name), releases())
def test_agrees_with_its_definition(model: PrivacyModel, plain: Plain) -> None:
    check(model, plain)
