"""Irrational limits are rounded to the safe side: a test passes no class too many, and rows forbid none that passes."""

from decimal import localcontext
from fractions import Fraction

import numpy as np
import pytest

from shoal.classes.tally import SensitiveColumn
from shoal.models import BetaLikeness, DeltaDisclosure
from shoal.models.model import SensitiveModel
from tests.oracles.promises import decimal, logarithm

TOTAL = 97
COLUMN = SensitiveColumn("illness", ("a", "b"))
NEAR = Fraction(1, 10**8)
PROMISES = (
    *(BetaLikeness(beta=beta, column="illness", kind="enhanced") for beta in (Fraction(1, 3), 1, 100)),
    *(DeltaDisclosure(delta=delta, column="illness") for delta in (Fraction(1, 10), Fraction(1, 2), Fraction(7, 3))),
)


def limits(model: SensitiveModel, part: int) -> tuple[Fraction, Fraction]:
    """Return the least and the largest share that a value may have, to many digits; at most 1."""
    share = Fraction(part, TOTAL)
    if isinstance(model, BetaLikeness):
        return Fraction(0), min(share * (1 + min(Fraction(model.beta), Fraction(-logarithm(share)))), Fraction(1))
    assert isinstance(model, DeltaDisclosure)
    with localcontext() as context:
        context.prec = 60
        times = Fraction(decimal(Fraction(model.delta)).exp())
    return share / times, min(share * times, Fraction(1))


def limit_of(row: list[float], value: int) -> Fraction:
    """Return the share of a value with which a row is just kept."""
    own, other = Fraction(row[value]), Fraction(row[1 - value])
    return other / (other - own)


@pytest.mark.parametrize("model", PROMISES, ids=repr)
def test_a_sufficient_test_asks_for_a_little_more(model: SensitiveModel) -> None:
    for part in range(1, TOTAL):
        test = model.sufficient_test(COLUMN, np.array([part, TOTAL - part]))
        assert test is not None
        least, most = limits(model, part)
        cap, floor = (Fraction(int(numbers[0]), test.scale) for numbers in (test.caps, test.floors))
        assert most - NEAR <= cap <= most, part
        assert least <= floor <= least + NEAR, part


@pytest.mark.parametrize("model", PROMISES, ids=repr)
def test_rows_ask_for_a_little_less(model: SensitiveModel) -> None:
    for part in range(1, TOTAL):
        linear = model.linear(COLUMN, np.array([part, TOTAL - part]))
        assert linear is not None
        bounds = [limits(model, part), limits(model, TOTAL - part)]
        caps = [(value, most) for value, (_, most) in enumerate(bounds) if most < 1]
        floors = [(value, least) for value, (least, _) in enumerate(bounds) if least > 0]
        rows = linear.values.tolist()
        assert len(rows) == len(caps) + len(floors)
        for row, (value, most) in zip(rows, caps, strict=False):
            assert most <= limit_of(row, value) <= most + NEAR, part
        for row, (value, least) in zip(rows[len(caps) :], floors, strict=True):
            assert least - NEAR <= limit_of(row, value) <= least, part
