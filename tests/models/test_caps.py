"""What promises say of the shares of values: every class that keeps them keeps their caps."""

from fractions import Fraction
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.models import (
    AlphaKAnonymity,
    BetaLikeness,
    EntropyLDiversity,
    FrequencyLDiversity,
    RecursiveClDiversity,
    TCloseness,
)
from shoal.models.caps import PARTS, Caps, largest_caps
from shoal.models.model import SensitiveModel
from tests.contracts.test_forfeits import ON_VALUES, below
from tests.models.cases import histogram, models

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


@pytest.mark.parametrize("name", ON_VALUES)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_every_class_that_passes_keeps_the_caps(name: str, data: st.DataObject) -> None:
    model = cast(SensitiveModel, data.draw(models(name)))
    table = data.draw(st.tuples(*[st.integers(0, 4)] * 3).filter(any))
    suppressed = data.draw(st.integers(0, 2))
    blocks, share = histogram([table]), Fraction(suppressed, sum(table))
    caps = model.caps(blocks.column, blocks.reference, share)
    if caps is None:
        return
    for left in filter(any, below(table, suppressed)):
        for counts in filter(any, below(left, sum(left))):
            if model.passes(histogram([counts], left))[0]:
                size = sum(counts)
                above = sum(max(Fraction(n, size) - cap, Fraction(0)) for n, cap in zip(counts, caps.most, strict=True))
                assert above <= caps.spare, (left, counts)
                assert sum(map(bool, counts)) >= caps.needed


@pytest.mark.parametrize(
    ("model", "caps"),
    [
        (FrequencyLDiversity(l=Fraction(5, 2), column="illness"), Caps((Fraction(2, 5),) * 3)),
        (AlphaKAnonymity(alpha=HALF, k=3, column="illness", value="2"), Caps((Fraction(1), HALF, Fraction(1)))),
        (RecursiveClDiversity(c=HALF, l=2, column="illness"), Caps((THIRD,) * 3)),
        (RecursiveClDiversity(c=HALF, l=1, column="illness"), Caps((HALF,) * 3)),
        # of the ten records one may be suppressed
        (TCloseness(t=HALF, column="illness"), Caps((Fraction(2, 9), THIRD, Fraction(5, 9)), HALF)),
        (TCloseness(t=HALF, column="illness", distance="ordered"), None),
        (BetaLikeness(beta=HALF, column="illness"), Caps((THIRD, HALF, Fraction(5, 6)))),
        (FrequencyLDiversity(l=Fraction(2), column="illness", entity="id"), None),
        (TCloseness(t=HALF, column="illness", entity="id"), None),
        (AlphaKAnonymity(alpha=HALF, k=3, column="illness", entity="id"), None),
    ],
    ids=repr,
)
def test_which_caps_promises_have(model: SensitiveModel, caps: Caps | None) -> None:
    blocks = histogram([(2, 3, 5)])
    assert model.caps(blocks.column, blocks.reference, Fraction(1, 10)) == caps


def test_the_cap_of_an_entropy_is_the_share_at_which_the_others_are_even() -> None:
    blocks = histogram([(2, 3, 5)])
    caps = EntropyLDiversity(l=Fraction(2), column="illness").caps(blocks.column, blocks.reference, Fraction(0))
    assert caps is not None
    p = float(caps.most[0])
    assert -p * np.log(p) - (1 - p) * np.log((1 - p) / 2) == pytest.approx(np.log(2))
    assert p > 0.7
    whole = EntropyLDiversity(l=Fraction(1), column="illness").caps(blocks.column, blocks.reference, Fraction(0))
    assert whole == Caps((Fraction(1),) * 3)
    for l, counts in ((4, (2, 3, 5)), (2, (2, 0, 0))):  # noqa: E741
        blocks = histogram([counts])
        model = EntropyLDiversity(l=Fraction(l), column="illness")
        assert model.caps(blocks.column, blocks.reference, Fraction(0)) is None


def test_how_many_values_are_needed() -> None:
    assert Caps((THIRD,) * 5).needed == 3
    assert Caps((Fraction(2, 5),) * 5).needed == 3
    assert Caps((HALF, THIRD, Fraction(1, 6)), Fraction(3, 10)).needed == 2
    assert Caps((Fraction(0),), Fraction(1)).needed == 1


def test_which_caps_are_stricter() -> None:
    half, third = Caps((HALF,) * 3), Caps((THIRD,) * 3)
    assert third.stricter(half)
    assert not half.stricter(third)
    assert half.stricter(None)
    assert not half.stricter(half)
    assert Caps((HALF, HALF, THIRD)).stricter(half)
    assert not Caps((Fraction(1),) * 3).stricter(None)
    assert not Caps((HALF,) * 3, HALF).stricter(None)


def test_caps_of_records_are_rounded_up() -> None:
    caps, spare = Caps((THIRD, HALF, Fraction(2)), Fraction(1, 7)).of(5)
    assert caps.tolist() == [5 * PARTS // 3 + 1, 5 * PARTS // 2, 5 * PARTS]
    assert spare == 5 * PARTS // 7 + 1


def test_the_largest_shares_of_a_release() -> None:
    assert largest_caps(np.array([1, 3, 0]), Fraction(1, 5)) == [Fraction(5, 16), Fraction(15, 16), Fraction(0)]
    assert largest_caps(np.array([1, 3]), HALF) == [HALF, Fraction(1)]
    assert largest_caps(np.array([0, 0]), Fraction(1)) == [Fraction(0), Fraction(0)]
