"""Population uniqueness by an estimate."""

from fractions import Fraction

import numpy as np
import pytest

from shoal.classes.population_estimates import Estimator, Sample, population_uniques, uniques_by
from shoal.models import PopulationUniqueness
from shoal.models.by_hand import classes_by_hand
from shoal.models.claim import claim_of

SIZES = [1] * 30 + [2] * 12 + [3] * 6 + [8] * 3
GROUPS = classes_by_hand([["a"] * size for size in SIZES])


@pytest.mark.parametrize("fraction", [0.05, 0.4])
@pytest.mark.parametrize("estimator", ["dankar", "pitman", "zayatz", "snb"])
def test_the_estimate_is_that_of_the_risk_report(fraction: float, estimator: Estimator) -> None:
    found = population_uniques(np.array(SIZES), fraction)
    number = found["uniques"] if estimator == "dankar" else found["estimates"][estimator]
    model = PopulationUniqueness(most=0, fraction=fraction, estimator=estimator)
    expected = (found["estimates"]["zayatz"] if number is None else number) / found["population"]
    assert model.achieved(GROUPS) == {"most": expected}
    assert PopulationUniqueness(most=expected, fraction=fraction, estimator=estimator).holds(GROUPS).all()
    below = PopulationUniqueness(most=expected * 0.999, fraction=fraction, estimator=estimator).holds(GROUPS)
    assert below.tolist() == [size > 1 for size in SIZES]


def test_nobody_alone_in_the_sample_is_nobody_alone_in_the_population() -> None:
    pairs = classes_by_hand([["a"] * 2, ["a"] * 3])
    model = PopulationUniqueness(most=0, fraction=0.01)
    assert model.holds(pairs).all()
    assert model.achieved(pairs) == {"most": 0.0}


def test_the_whole_population_is_counted_and_an_estimate_is_called_one() -> None:
    few = classes_by_hand([["a"], ["a"] * 2])
    counted = PopulationUniqueness(most=Fraction(1, 3), fraction=1)
    assert counted.holds(few).all()
    assert not counted.estimated
    assert "estimated" not in claim_of(counted, counted.achieved(few), holds=True)
    sampled = PopulationUniqueness(most=1, fraction=0.5)
    assert claim_of(sampled, sampled.achieved(few), holds=True)["estimated"] is True


def test_joining_pairs_may_break_it() -> None:
    """So it is not monotone: with fewer pairs, those who are alone look more as if they were alone everywhere."""
    apart = classes_by_hand([["a"]] + [["a"] * 2] * 6)
    joined = apart.merged(np.array([0, 1, 1, 1, 1, 1, 1], dtype=np.int32), 2)
    reached = PopulationUniqueness(most=0, fraction=0.5, estimator="zayatz").reached(apart.sizes)
    model = PopulationUniqueness(most=reached, fraction=0.5, estimator="zayatz")
    assert model.holds(apart).all()
    assert not model.holds(joined).all()


def test_a_model_that_does_not_fit_gives_way_to_that_of_zayatz() -> None:
    sample = Sample.of(np.array([1, 1, 1]), 0.05)
    assert uniques_by(sample, "pitman") == uniques_by(sample, "zayatz") == uniques_by(sample, "dankar")


def test_a_whole_population_is_counted_and_not_estimated() -> None:
    """Of five persons one is alone: a share of a fifth, exactly."""
    sizes = np.array([1, 2, 2])
    assert PopulationUniqueness(most=1, fraction=1).reached(sizes) == 0.2
    for most, kept in ((Fraction(1, 5), True), (Fraction(1, 6), False)):
        assert PopulationUniqueness(most=most, fraction=1).kept(sizes) == kept


@pytest.mark.parametrize("fraction", [Fraction(1, 10), Fraction(1)])
def test_where_nobody_is_alone_or_everybody_may_be_it_is_kept(fraction: Fraction) -> None:
    strict, open_to_all = (PopulationUniqueness(most=most, fraction=fraction) for most in (0, 1))
    assert (strict.enough, open_to_all.enough) == (2, 1)
    assert strict.reached(np.array([2, 2])) == 0.0
    assert strict.kept(np.array([2, 2]))
    assert not strict.kept(np.array([1, 2]))
    assert open_to_all.kept(np.array([1, 1]))
    assert open_to_all.reached(np.array([1, 1])) <= 1
