"""What several promises ask of a class together."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import SensitiveColumn
from shoal.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, TCloseness
from shoal.models.caps import Caps
from shoal.models.requirement import Requirement

COLUMNS = {"illness": [4, 4, 4], "wage": [6, 6]}


def counted(name: str) -> tuple[SensitiveColumn, NDArray[np.int64]]:
    values = tuple("abc"[: len(COLUMNS[name])])
    return SensitiveColumn(name, values), np.array(COLUMNS[name], dtype=np.int64)


def test_the_largest_size_and_the_strictest_caps_count() -> None:
    near = TCloseness(t=Fraction(1, 10), column="wage")
    many = FrequencyLDiversity(l=3, column="illness")
    found = Requirement.of([KAnonymity(k=9), many, near], counted, Fraction(0))
    assert found == Requirement(2, "illness", Caps((Fraction(1, 3),) * 3))
    assert Requirement.of([near], counted, Fraction(0)).column == "wage"


def test_of_equally_strict_caps_the_first_count() -> None:
    halves = [FrequencyLDiversity(l=2, column=name) for name in ("wage", "illness")]
    assert Requirement.of([halves[0], halves[0]], counted, Fraction(0)).column == "wage"


def test_without_caps_nothing_is_asked() -> None:
    assert Requirement.of([KAnonymity(k=9)], counted, Fraction(0)) == Requirement()
    assert Requirement.of([DistinctLDiversity(l=3, column="illness")], counted, Fraction(0)) == Requirement()
    assert Requirement.of([FrequencyLDiversity(l=1, column="illness")], counted, Fraction(0)) == Requirement()
