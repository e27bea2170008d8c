"""k-map by an estimator: a size that is implausible for a small class of the population."""

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.models import KAnonymity, KMapEstimate, PrivacyModel
from shoal.models.by_hand import classes_by_hand
from shoal.models.k_map_estimate import binomial_size, poisson_size
from tests.models.cases import Plain, check, models, releases


def test_a_class_of_five_speaks_for_twenty_where_one_in_ten_is_in_the_sample() -> None:
    model = KMapEstimate(k=20, fraction=0.1)
    groups = classes_by_hand([["a"] * 5, ["a"] * 4])
    assert model.holds(groups).tolist() == [True, False]
    assert model.counted() == (KAnonymity(k=5),)
    assert model.estimated
    reached = int(model.achieved(groups)["k"])
    assert KMapEstimate(k=reached, fraction=0.1).least_size <= 4 < KMapEstimate(k=reached + 1, fraction=0.1).least_size


@pytest.mark.parametrize(
    ("k", "fraction", "size"), [(5, "0.1", 3), (20, "0.1", 6), (100, "0.01", 4), (1000, "0.01", 16)]
)
def test_the_zero_truncated_poisson_estimator_gives_its_sizes(k: int, fraction: str, size: int) -> None:
    """By the terms of e^mean with 60 digits, added until what is left is at most 5%."""
    assert poisson_size(k, Fraction(fraction), Fraction(1, 20)) == size
    assert KMapEstimate(k=k, fraction=Fraction(fraction), estimator="poisson").least_size == size


def test_a_probability_of_exactly_alpha_suffices() -> None:
    """Of two persons, each in half of the samples: a third of the samples with any has both."""
    assert binomial_size(3, Fraction(1, 2), Fraction(1, 3)) == 2
    assert binomial_size(3, Fraction(1, 2), Fraction(33, 100)) == 3


def test_a_significance_that_is_no_part_of_one() -> None:
    """By the terms of e^mean with 60 digits."""
    assert poisson_size(100, Fraction(1, 100), Fraction(3, 20)) == 3


def test_what_is_achieved_ends_at_ten_thousand() -> None:
    """Two records of one person in a million would speak for more."""
    model = KMapEstimate(k=20, fraction=Fraction(1, 10**6))
    assert model.significance == Fraction(1, 20)
    assert model.achieved(classes_by_hand([["a"] * 2])) == {"k": 10_000}


@settings(deadline=None, max_examples=80)
@given(
    st.integers(2, 30),
    st.fractions(Fraction(1, 50), 1, max_denominator=50),
    st.fractions(Fraction(1, 50), Fraction(1, 2)),
)
def test_the_binomial_size_is_that_of_the_definition(k: int, part: Fraction, alpha: Fraction) -> None:
    chances = [comb(k - 1, n) * part**n * (1 - part) ** (k - 1 - n) for n in range(k)]
    seen = sum(chances[1:])
    least = next((size for size in range(1, k) if sum(chances[size:]) <= alpha * seen), k)
    assert (
        min(binomial_size(k, part, alpha), k)
        == least
        == KMapEstimate(k=k, fraction=part, significance=alpha).least_size
    )


def test_a_whole_population_needs_no_estimate() -> None:
    model = KMapEstimate(k=7, fraction=1)
    assert model.least_size == binomial_size(7, Fraction(1), Fraction(1, 20)) == 7
    assert not model.estimated
    assert KMapEstimate(k=1, fraction=0.2).least_size == 1


@settings(deadline=None, max_examples=100)
@given(models(KMapEstimate.name), releases())
def test_agrees_with_its_definition(model: PrivacyModel, plain: Plain) -> None:
    check(model, plain)
