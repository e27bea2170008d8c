"""beta-likeness: gains over the whole table."""

from fractions import Fraction
from typing import Literal

import pytest
from hypothesis import given, settings

from shoal.models import BetaLikeness, PrivacyModel
from tests.models.cases import Plain, check, histogram, models, releases
from tests.models.papers import figure_19, table_5
from tests.oracles.promises import decimal, logarithm


def test_the_gain_of_diabetes_in_figure_19() -> None:
    # 2/3 in the second class, 3/9 in the table: the share doubles. The first class has 1 against 2/3 of 'no'.
    model = BetaLikeness(beta=Fraction(1), column="diabetes")
    assert model.holds(figure_19()).all()
    assert model.achieved(figure_19()) == {"beta": 1}
    assert BetaLikeness(beta=Fraction("0.99"), column="diabetes").holds(figure_19()).tolist() == [True, False, True]


def test_the_enhanced_kind_keeps_frequent_values_from_becoming_certain() -> None:
    # 'no' gains 0.5 in the first class, and -ln(2/3) is 0.405.
    model = BetaLikeness(beta=Fraction(1), column="diabetes", kind="enhanced")
    assert model.holds(figure_19()).tolist() == [False, True, True]
    assert model.achieved(figure_19()) == {"beta": "infinite"}


def test_table_5_is_even() -> None:
    # Shares of 1/3 against 0.3 gain a ninth; 1/2 against 0.4 gains a quarter.
    assert BetaLikeness(beta=Fraction(1, 4), column="disease").achieved(table_5()) == {"beta": 0.25}


@pytest.mark.parametrize("size", [999_999_937, 10**9, 2 * 10**9 + 11])
def test_a_near_tie_of_the_logarithm_is_decided_exactly(size: int) -> None:
    # A value with the share q may rise to q * (1 - ln q); two counts next to that limit.
    part, total = 606_530_660, 10**9
    limit = decimal(Fraction(part, total)) * (1 - logarithm(Fraction(part, total))) * size
    for count, kept in ((int(limit), True), (int(limit) + 1, False)):
        blocks = histogram([[count, size - count]], [part, total - part])
        assert BetaLikeness(beta=Fraction(5), column="illness", kind="enhanced").passes(blocks)[0] == kept


def test_the_nearest_ties_of_all_are_decided_exactly() -> None:
    model = BetaLikeness(beta=Fraction(100), column="illness", kind="enhanced")
    sides = []
    for part, total in ((1, 10), (3, 7), (2, 3), (1, 1000), (606_530_660, 10**9)):
        share = Fraction(part, total)
        limit = Fraction(decimal(share) * (1 - logarithm(share)))
        for size in (10**4, 10**6, 10**8, 3 * 10**8, 10**9):
            near = limit.limit_denominator(size)  # so near that floats cannot tell
            blocks = histogram([[near.numerator, near.denominator - near.numerator]], [part, total - part])
            assert model.passes(blocks)[0] == (near <= limit)
            sides.append(near <= limit)
    assert set(sides) == {False, True}


@pytest.mark.parametrize("kind", ["basic", "enhanced"])
def test_a_value_that_the_table_lacks_gains_beyond_any_limit(kind: Literal["basic", "enhanced"]) -> None:
    model, blocks = BetaLikeness(beta=10**6, column="illness", kind=kind), histogram([[2, 1, 2], [2, 0, 3]], [2, 0, 3])
    assert model.passes(blocks).tolist() == [False, True]
    assert model.measured(blocks) == {"beta": "infinite"}


@settings(deadline=None, max_examples=100)
@given(models(BetaLikeness.name), releases())
def test_agrees_with_its_definition(model: PrivacyModel, plain: Plain) -> None:
    check(model, plain)
