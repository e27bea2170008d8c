"""The delta of a sample as the checker works it out: by the definition, class by class, and never below it."""

from fractions import Fraction
from math import exp, log

import pytest

from shoal.actions.verification.sampled import _excess as excess
from shoal.actions.verification.sampled import for_all, largest_excess, power
from tests.releases.sampling.test_privacy import divergence, told

ONE = 2**512


@pytest.mark.parametrize(("share", "k", "likelier"), [("1/4", 3, "19/7"), ("1/10", 1, "2"), ("3/5", 4, "27/10")])
def test_for_every_size_of_a_class_the_excess_is_the_divergence_of_the_definition(
    share: str, k: int, likelier: str
) -> None:
    beta, factor = Fraction(share), Fraction(likelier)
    for m in range(k, k + 40):
        expected = divergence(told(m, beta, k), told(m - 1, beta, k), factor) * ONE
        assert expected <= excess(beta, k, factor, m) <= expected + 4 * m * m


def test_numbers_below_the_last_place_are_still_counted() -> None:
    """Of 400 records with a share of a thousandth, hundreds of numbers of kept ones have no chance in 512 places."""
    beta, factor, k, m = Fraction(1, 1000), Fraction(3, 2), 2, 400
    expected = divergence(told(m, beta, k), told(m - 1, beta, k), factor) * ONE
    assert expected <= excess(beta, k, factor, m) <= expected + 4 * m * m


@pytest.mark.parametrize("epsilon", [Fraction(1, 20), Fraction(1), Fraction(7, 3), Fraction(20)])
def test_powers_are_enclosed(epsilon: Fraction) -> None:
    low, high = power(epsilon, above=False), power(epsilon, above=True)
    exact = sum((epsilon**i / _factorial(i) for i in range(200)), Fraction(0))  # what is left out is below 1e-80
    assert low < exact < high < low * (1 + Fraction(3, 10**70))


def _factorial(number: int) -> int:
    return 1 if number < 2 else number * _factorial(number - 1)


@pytest.mark.parametrize(
    ("share", "k", "epsilon"), [("1/4", 5, "1"), ("1/2", 12, "2"), ("3/5", 3, "1"), ("1/20", 2, "3")]
)
def test_the_greatest_excess_of_any_class_is_found(share: str, k: int, epsilon: str) -> None:
    beta, likelier = Fraction(share), power(Fraction(epsilon), above=False)
    expected = max(divergence(told(m, beta, k), told(m - 1, beta, k), likelier) for m in range(1, 120))
    found = largest_excess(beta, k, Fraction(epsilon))
    assert found is not None
    assert expected <= found <= expected + Fraction(1, 2**490)


def test_a_delta_that_is_too_small_is_derived_by_the_bound_of_the_tail() -> None:
    edge = 1 - 0.75 / exp(1)
    distance = edge * log(edge / 0.25) + (1 - edge) * log((1 - edge) / 0.75)
    found = largest_excess(Fraction(1, 4), 200, Fraction(1))
    assert found is not None
    assert float(found) == pytest.approx(exp(-200 * distance), rel=1e-6, abs=0)


@pytest.mark.parametrize(
    ("share", "epsilon", "derived"),
    [
        ("63/100", "1", True),  # 1 - 1/e = 0.632
        ("64/100", "1", False),
        ("1/10000", "1", True),
        ("1/10001", "1", False),
        ("48/1000", "1/20", True),
        ("4876/100000", "1/20", False),  # too near to 1 - e^-0.05 for classes that can be looked at
        ("9999/10000", "20", False),
        ("1/2", "100", False),
    ],
)
def test_what_is_not_worked_out_is_not_derived(share: str, epsilon: str, derived: bool) -> None:
    assert (largest_excess(Fraction(share), 1_000, Fraction(epsilon)) is not None) == derived


def test_no_delta_is_nothing() -> None:
    found = largest_excess(Fraction(1, 2), 10**9, Fraction(1))
    assert found is not None
    assert 0 < found < Fraction(1, 10**150)


@pytest.mark.parametrize(("epsilon", "records"), [("1", 1), ("1/20", 3), ("2", 12), ("1/3", 100)])
def test_the_delta_of_several_records_is_a_sum_of_powers(epsilon: str, records: int) -> None:
    excess, one = Fraction(1, 10**60), Fraction(epsilon)
    least = sum((power(one, above=False) ** i for i in range(records)), Fraction(0)) * excess
    found = for_all(excess, one, records)
    assert least < found < least * (1 + Fraction(1, 10**65)) if records > 1 else found == excess


def test_a_sum_that_is_no_protection_is_not_worked_out_to_its_end() -> None:
    assert for_all(Fraction(1, 2**512), Fraction(20), 10**9) > 1
    assert for_all(Fraction(1, 2**512), Fraction(1, 100), 10**9) > 1
