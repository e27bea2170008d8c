"""A promise as a certificate states it, and the numbers in it."""

from fractions import Fraction

import numpy as np
import pytest

from shoal.models import AlphaKAnonymity, KMap, TCloseness
from shoal.models.model import claim_of, largest_ratio


def test_a_claim_gives_one_threshold_as_a_number_and_names_files_without_their_folders() -> None:
    near = TCloseness(t=Fraction(3, 10), column="x", distance="matrix", distances="/home/me/distances.csv")
    assert claim_of(near, {"t": 0.25}, holds=True) == {
        "model": "t-closeness",
        "parameters": {
            "t": 0.3,
            "column": "x",
            "others": "ignored",
            "distance": "matrix",
            "distances": "distances.csv",
        },
        "asked": 0.3,
        "achieved": 0.25,
        "holds": True,
    }
    people = claim_of(KMap(k=3, population="data/people.csv"), {"k": 2}, holds=False)
    assert people["parameters"] == {"k": 3, "population": "people.csv"}
    assert (people["asked"], people["achieved"], people["holds"]) == (3, 2, False)


def test_a_claim_without_its_file_and_with_several_thresholds() -> None:
    assert claim_of(TCloseness(t=1, column="x"), {"t": 0.5}, holds=True)["parameters"] == {
        "t": 1,
        "column": "x",
        "others": "ignored",
        "distance": "equal",
    }
    both = claim_of(AlphaKAnonymity(alpha=0.5, k=2, column="x"), {"alpha": 0.25, "k": 4}, holds=True)
    assert both["asked"] == {"alpha": 0.5, "k": 2}
    assert both["achieved"] == {"alpha": 0.25, "k": 4}


@pytest.mark.parametrize(
    ("numerators", "denominators", "largest"),
    [
        ([], [], 0),
        ([0], [0], 0),
        ([0, 1, 1], [0, 3, 2], 1 / 2),
        ([3, 5], [1, 2], 3),
        ([0, 1, 1], [5, 0, 2], "infinite"),
        ([7, 10**18], [9, 10**18 + 1], 10**18 / (10**18 + 1)),
    ],
)
def test_the_largest_ratio(numerators: list[int], denominators: list[int], largest: float | str) -> None:
    assert largest_ratio(np.array(numerators, dtype=np.int64), np.array(denominators, dtype=np.int64)) == largest
