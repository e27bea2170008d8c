"""Sample uniqueness: records that are alone in their class."""

from fractions import Fraction

import numpy as np

from shoal.models import SampleUniqueness
from shoal.models.by_hand import classes_by_hand

GROUPS = classes_by_hand([["a"] * 4, ["a"], ["a"], ["a"] * 2])


def test_the_share_of_the_records_that_are_alone_is_limited() -> None:
    assert SampleUniqueness(most=Fraction(1, 4)).holds(GROUPS).all()
    assert SampleUniqueness(most=Fraction(1, 5)).holds(GROUPS).tolist() == [True, False, False, True]
    assert SampleUniqueness(most=0).achieved(GROUPS) == {"most": 0.25}


def test_pairs_suffice_and_the_fewest_uniques_are_counted() -> None:
    assert SampleUniqueness(most=0).enough == 2
    assert SampleUniqueness(most=1).enough == 1
    assert SampleUniqueness(most=Fraction(1, 5)).fewest_lost(np.array([4, 1, 1, 2])) == 1
    assert SampleUniqueness(most=0).fewest_lost(np.array([4, 1, 1, 2])) == 2
