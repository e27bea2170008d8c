"""Average risk: classes over records."""

from fractions import Fraction

import numpy as np

from shoal.models import AverageRisk
from shoal.models.by_hand import classes_by_hand

GROUPS = classes_by_hand([["a"] * 4, ["a"] * 2, ["a"]])


def test_the_mean_over_the_records_is_the_number_of_classes_over_theirs() -> None:
    mean = (4 * Fraction(1, 4) + 2 * Fraction(1, 2) + 1) / 7
    assert AverageRisk(most=mean).holds(GROUPS).all()
    assert AverageRisk(most=1).achieved(GROUPS) == {"most": 3 / 7}


def test_the_smallest_classes_fail_until_the_others_keep_it() -> None:
    assert AverageRisk(most=Fraction(1, 3)).holds(GROUPS).tolist() == [True, True, False]
    assert AverageRisk(most=Fraction(1, 4)).holds(GROUPS).tolist() == [True, False, False]
    assert AverageRisk(most=Fraction(1, 5)).holds(GROUPS).tolist() == [False, False, False]


def test_so_many_records_suffice_in_each_class() -> None:
    assert [AverageRisk(most=most).enough for most in (1, 0.5, 0.3, 0.1, 0.05)] == [1, 2, 4, 10, 20]


def test_as_few_records_are_lost_as_must_be() -> None:
    assert AverageRisk(most=Fraction(1, 3)).fewest_lost(np.array([4, 2, 1])) == 1
    assert AverageRisk(most=Fraction(1, 2)).fewest_lost(np.array([4, 2, 1])) == 0
    assert AverageRisk(most=Fraction(1, 5)).fewest_lost(np.array([4, 2, 1])) == 7
