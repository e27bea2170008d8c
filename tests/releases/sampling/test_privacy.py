"""The delta of a sample: by its definition in fractions, by the published theorem, and by drawing."""

from collections.abc import Callable
from fractions import Fraction
from itertools import islice
from math import comb, exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.foundation.errors import SpecError
from shoal.releases.sampling import privacy
from shoal.releases.sampling.privacy import (
    Guarantee,
    best_share,
    check_asked,
    check_share,
    delta_of,
    for_persons,
    guarantee_of,
    least_k,
    power_above,
    power_below,
    rounded_up,
)
from shoal.releases.sampling.privacy import _estimated_k as estimated_k
from shoal.releases.sampling.privacy import _excesses as excesses


def told(m: int, beta: Fraction, k: int) -> dict[int, Fraction]:
    """Return the distribution of the size that is told of a class of m records; 0 is that it is dropped."""
    sizes: dict[int, Fraction] = {}
    for y in range(m + 1):
        size = y if y >= k else 0
        sizes[size] = sizes.get(size, Fraction(0)) + comb(m, y) * beta**y * (1 - beta) ** (m - y)
    return sizes


def divergence(one: dict[int, Fraction], other: dict[int, Fraction], power: Fraction) -> Fraction:
    """Return the hockey-stick divergence by its definition."""
    none = Fraction(0)
    return sum((max(none, one.get(y, none) - power * other.get(y, none)) for y in {*one, *other}), none)


def delta_by_definition(beta: Fraction, k: int, epsilon: Fraction, most: int) -> Fraction:
    """Return the greatest divergence, both ways, of classes of up to so many records."""
    power, found = power_below(epsilon), Fraction(0)
    for m in range(1, most + 1):
        larger, smaller = told(m, beta, k), told(m - 1, beta, k)
        found = max(found, divergence(larger, smaller, power), divergence(smaller, larger, power))
    return found


def tail_of_the_theorem(beta: float, k: int, epsilon: float, most: int) -> float:
    """Return the delta of the published theorem: the greatest tail of the larger class beyond the edge."""
    edge = (exp(epsilon) - 1 + beta) / exp(epsilon)
    found = 0.0
    for n in range(int(np.ceil(k / edge - 1)), most):
        first = int(np.floor(edge * n)) + 1
        found = max(found, sum(comb(n, j) * beta**j * (1 - beta) ** (n - j) for j in range(first, n + 1)))
    return found


@settings(max_examples=40, deadline=None)
@given(
    beta=st.fractions(min_value=Fraction(1, 20), max_value=Fraction(3, 5), max_denominator=20),
    k=st.integers(1, 8),
    epsilon=st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(2), Fraction(4)]),
)
def test_it_is_the_divergence_of_the_definition(beta: Fraction, k: int, epsilon: Fraction) -> None:
    expected = delta_by_definition(beta, k, epsilon, 8 * k + 20)
    found = delta_of(beta, k, epsilon)
    assert expected <= found <= expected + Fraction(1, 1 << 190)


@pytest.mark.parametrize(("share", "k", "power"), [("1/4", 3, "19/7"), ("1/10", 1, "2"), ("3/5", 4, "27/10")])
def test_for_every_size_of_a_class_the_excess_is_the_divergence_of_the_definition(
    share: str, k: int, power: str
) -> None:
    beta, factor = Fraction(share), Fraction(power)
    found = list(islice(excesses(beta, k, factor), 40))
    assert [m for m, _, _ in found] == list(range(k, k + 40))
    for m, excess, scale in found:
        expected = divergence(told(m, beta, k), told(m - 1, beta, k), factor)
        assert Fraction(excess, scale) == expected > 0


@pytest.mark.parametrize(("beta", "k", "anchor"), [("0.1", 10, 6.8e-8), ("0.25", 20, 1.2e-7), ("0.5", 50, 2.3e-7)])
def test_it_is_below_the_tails_of_the_theorem(beta: str, k: int, anchor: float) -> None:
    tail = tail_of_the_theorem(float(beta), k, 1.0, 400)
    assert tail == pytest.approx(anchor, rel=0.05)
    assert tail / 24 < delta_of(Fraction(beta), k, Fraction(1)) < tail / 6.8


def test_a_share_that_the_epsilon_does_not_allow_is_refused() -> None:
    assert delta_of(Fraction(63, 100), 5, Fraction(1)) > 0  # 1 - 1/e = 0.632
    with pytest.raises(SpecError, match=r"It must be below 0\.632"):
        delta_of(Fraction(64, 100), 5, Fraction(1))


@pytest.mark.parametrize("share", ["0", "1", "1/3000001"])
def test_a_share_that_is_not_worked_out_is_refused(share: str) -> None:
    with pytest.raises(SpecError, match="has at most four decimals"):
        delta_of(Fraction(share), 5, Fraction(1))


def test_the_work_has_a_limit() -> None:
    with pytest.raises(SpecError, match="well below for a large epsilon"):
        delta_of(Fraction(9999, 10_000), 5, Fraction(20))
    assert delta_of(Fraction(48, 1000), 10**4, Fraction(1, 20)) <= Fraction(1, 10**17)


def test_a_delta_that_is_too_small_is_told_by_the_bound_of_the_tail() -> None:
    edge = 1 - 0.75 / exp(1)
    distance = edge * log(edge / 0.25) + (1 - edge) * log((1 - edge) / 0.75)
    assert float(delta_of(Fraction(1, 4), 200, Fraction(1))) == pytest.approx(exp(-200 * distance), rel=1e-6, abs=0)


def test_an_epsilon_that_is_no_protection_is_not_worked_out() -> None:
    with pytest.raises(SpecError, match="well below for a large epsilon"):
        delta_of(Fraction(1, 2), 5, Fraction(100))


def test_more_is_dropped_and_less_is_told() -> None:
    found = [delta_of(Fraction(1, 4), k, Fraction(1)) for k in range(1, 40)]
    assert found == sorted(found, reverse=True)


@pytest.mark.parametrize("epsilon", [Fraction(1, 20), Fraction(1), Fraction(7, 3), Fraction(20)])
def test_powers_are_enclosed(epsilon: Fraction) -> None:
    low, high = power_below(epsilon), power_above(epsilon)
    assert float(low) == pytest.approx(exp(epsilon), rel=1e-14)
    assert low < high < low * (1 + Fraction(1, 1 << 140))
    exact = sum((epsilon**i / Fraction(int(np.prod(range(1, i + 1), dtype=object)))) for i in range(200))
    assert low <= exact <= high  # the terms left out are below 20^200 / 200!


@pytest.mark.parametrize("records", [1, 3])
def test_the_least_k_keeps_what_is_asked_and_no_smaller_does(records: int) -> None:
    asked, share = Guarantee(Fraction(2), Fraction(1, 10**6)), Fraction(1, 10)
    k = least_k(share, asked, records)
    assert guarantee_of(share, k, asked.epsilon, records).delta <= asked.delta
    assert guarantee_of(share, k - 1, asked.epsilon, records).delta > asked.delta


@pytest.mark.parametrize("begun", [1, 2, 10, 11, 12, 13, 30])
def test_the_least_k_is_found_wherever_the_search_begins(begun: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(privacy, "_estimated_k", lambda share, asked, records: begun)
    share, epsilon = Fraction(1, 10), Fraction(1)
    assert least_k(share, Guarantee(epsilon, delta_of(share, 12, epsilon))) == 12
    assert least_k(share, Guarantee(epsilon, delta_of(share, 12, epsilon) - Fraction(1, 2**190))) == 13
    assert least_k(Fraction(1, 200), Guarantee(epsilon, Fraction(1, 100))) == 1


def test_a_share_at_the_edge_is_not_chosen() -> None:
    """With an epsilon of ln 2 a share of a half tells too much of who is not in the sample."""
    for more in (0, 3):
        asked = Guarantee(Fraction(log(2)) + Fraction(more, 10**12), Fraction(1, 10**6))
        assert best_share(asked) < Fraction(1, 2)


def test_a_twentieth_is_a_share_that_may_be_chosen() -> None:
    assert best_share(Guarantee(Fraction(1, 10), Fraction(1, 10**6))) == Fraction(1, 20)
    with pytest.raises(SpecError, match=r"An epsilon of 0\.05 for each record leaves less than a twentieth"):
        best_share(Guarantee(Fraction(1), Fraction(1, 10**6)), 20)
    with pytest.raises(SpecError, match="leaves less than a twentieth"):  # by a hair
        best_share(Guarantee(Fraction(-log(0.95)) + Fraction(1, 10**12), Fraction(1, 10**6)))


@pytest.mark.parametrize(
    ("epsilon", "delta", "records"),
    [("1/2", "1e-4", 1), ("1/2", "1e-6", 3), ("1", "1e-6", 1), ("1", "1e-9", 3), ("2", "1e-4", 1), ("4", "1e-6", 3)],
)
def test_the_share_is_that_of_the_smallest_classes_that_survive(epsilon: str, delta: str, records: int) -> None:
    asked = Guarantee(Fraction(epsilon), Fraction(delta))
    most = 1 - exp(-asked.epsilon / records)
    found = {share: least_k(share, asked, records) for share in (Fraction(i, 20) for i in range(1, 20)) if share < most}
    assert best_share(asked, records) == min(found, key=lambda share: (found[share] / share, -share))
    for share, k in found.items():
        assert estimated_k(share, asked, records) == k  # so that nothing is searched for from there


@pytest.mark.parametrize(
    ("epsilon", "delta", "records", "words"),
    [
        ("0.04", "1e-6", 1, "'epsilon' is 0.04: allowed are 0.05 to 20 for each of the 1 record"),
        ("0.2", "1e-6", 5, "'epsilon' is 0.2: allowed are 0.05 to 20 for each of the 5 records"),
        ("21", "1e-6", 1, "'epsilon' is 21"),
        ("1", "0", 1, "'delta' is 0: allowed are 1e-15 to 0.01"),
        ("1", "0.1", 1, "'delta' is 0.1"),
    ],
)
def test_what_means_nothing_is_refused(epsilon: str, delta: str, records: int, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        check_asked(Guarantee(Fraction(epsilon), Fraction(delta)), records)


@pytest.mark.parametrize(("epsilon", "delta", "records"), [("0.05", "1e-15", 1), ("20", "0.01", 1), ("40", "1e-6", 2)])
def test_the_ends_of_what_is_allowed_are_allowed(epsilon: str, delta: str, records: int) -> None:
    check_asked(Guarantee(Fraction(epsilon), Fraction(delta)), records)


def test_without_a_number_of_records_a_person_has_one() -> None:
    with pytest.raises(SpecError, match="for each of the 1 record of a person"):
        check_asked(Guarantee(Fraction(40), Fraction(1, 10**6)))
    share, epsilon = Fraction(1, 10), Fraction(1)
    asked = Guarantee(epsilon, Fraction(1, 10**6))
    assert guarantee_of(share, 8, epsilon) == Guarantee(epsilon, delta_of(share, 8, epsilon))
    assert least_k(share, asked) == least_k(share, asked, 1) < least_k(share, asked, 2)
    assert best_share(asked) == best_share(asked, 1) != best_share(asked, 2)


def test_a_share_has_at_most_four_decimals() -> None:
    check_share(Fraction(1, 10_000), Fraction(1), power_below(Fraction(1)))
    with pytest.raises(SpecError, match="at most four decimals"):
        check_share(Fraction(1, 10_001), Fraction(1), power_below(Fraction(1)))


def test_what_is_told_is_rounded_up_to_three_digits() -> None:
    for number, told in (("1/3", "0.334"), ("0.001", "0.001"), ("123400", "124000"), ("0.0010000000001", "0.00101")):
        assert rounded_up(Fraction(number)) == Fraction(told)
    assert rounded_up(Fraction(1, 1000) + Fraction(1, 10**50)) == Fraction("0.00101")


def test_a_share_below_a_twentieth_is_not_chosen() -> None:
    with pytest.raises(SpecError, match="less than a twentieth"):
        best_share(Guarantee(Fraction(1, 20), Fraction(1, 10**6)))


def test_several_records_of_a_person_are_several_steps() -> None:
    one = Guarantee(Fraction(1, 2), Fraction(1, 10**8))
    two = for_persons(one, 2)
    assert two.epsilon == 1
    assert float(two.delta) == pytest.approx(1e-8 * (1 + exp(0.5)), rel=1e-9, abs=0)
    assert for_persons(one, 1) == one
    assert one + two == Guarantee(Fraction(3, 2), one.delta + two.delta)


def test_drawn_sizes_stay_within_the_claim(seeds: Callable[[int], range]) -> None:
    """An attacker who tells two neighbouring tables apart by any size wins no more than is claimed."""
    beta, k, epsilon, m, n = 0.25, 3, 1.0, 6, 200_000
    delta = float(delta_of(Fraction(1, 4), k, Fraction(1)))
    for seed in seeds(12):
        rng = np.random.default_rng(seed)
        larger, smaller = rng.binomial(m, beta, n), rng.binomial(m - 1, beta, n)
        for first in range(k, m + 1):  # of all events, tails of sizes are told apart best
            gain = (larger >= first).mean() - exp(epsilon) * (smaller >= first).mean()
            assert gain <= delta + 3.3 * (1 + exp(epsilon)) / np.sqrt(n)


def test_the_logarithm_of_the_least_share_is_the_least_epsilon() -> None:
    assert log(1 / (1 - 0.632)) < 1 < log(1 / (1 - 0.633))
