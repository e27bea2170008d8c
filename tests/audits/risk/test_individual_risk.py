from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.audits.risk.individual_risk import fitted_risk, individual_risk, weights_of
from shoal.audits.risk.person_classes import PersonClasses
from shoal.foundation.errors import SpecError
from shoal.tables.rows import Rows
from tests.audits import plain_risk as plain
from tests.classes.test_population_estimates import people


def integrated(f: int, p: float, alpha: float = 0.0) -> float:
    """Integrate p u^(f - 1) / (p + q u)^(1 + alpha) from 0 to 1, in parts that are finer towards 0."""
    places, weights = np.polynomial.legendre.leggauss(60)
    total, edges = 0.0, [0.0, *(10.0**e for e in range(-12, 1))]
    for low, high in pairwise(edges):
        u = (high - low) / 2 * places + (high + low) / 2
        total += float(weights @ (u ** (f - 1) / (p + (1 - p) * u) ** (1 + alpha))) * (high - low) / 2
    return p * total


def summed(f: int, p: float) -> float:
    """Sum P(F = h) / h of the negative binomial law."""
    total, chance, h = 0.0, p**f, f
    while h < 4000:
        total += chance / h
        chance *= (1 - p) * h / (h - f + 1)
        h += 1
    return total


@given(st.integers(1, 80), st.floats(0, 6), st.one_of(st.just(0.0), st.floats(0.001, 0.999)))
def test_the_formulas_are_the_integral(f: int, log_weight: float, alpha: float) -> None:
    weight = f * 10.0**log_weight
    found = float(individual_risk(np.array([f]), np.array([weight]), alpha)[0])
    assert found == pytest.approx(integrated(f, min(f / weight, 1.0), alpha), rel=1e-8)
    assert 1 / weight * 0.999999 <= found <= 1 / f * 1.000001  # Jensen, and nobody of the sample is lost


@pytest.mark.parametrize("fraction", [0.05, 0.1, 0.3])
def test_the_fitted_risk_is_near_the_truth_where_the_other_is_not(fraction: float) -> None:
    """Who is named rightly in a sample of people that are known: the mean of 1 / F."""
    rng = np.random.default_rng(1)
    cells = people()
    _, cell_of, everybody = np.unique(cells, return_inverse=True, return_counts=True)
    sample = rng.choice(len(cells), round(len(cells) * fraction), replace=False)
    places, sizes = np.unique(cell_of[sample], return_counts=True)
    truth, plainly, fitted = (
        float(sizes @ risks) / len(sample)
        for risks in (
            1 / everybody[places],
            individual_risk(sizes, sizes / fraction),
            fitted_risk(sizes, sizes / fraction),
        )
    )
    assert fitted == pytest.approx(truth, rel=0.1)
    assert plainly < truth * 0.8


def test_the_fitted_risk_is_no_lower_and_knows_the_corners() -> None:
    sizes, weights = np.array([1, 1, 1, 2, 7]), np.array([10.0, 30.0, 20.0, 41.0, 90.0])
    assert (fitted_risk(sizes, weights) >= individual_risk(sizes, weights)).all()
    assert (fitted_risk(sizes, weights) <= 1 / sizes).all()
    assert fitted_risk(np.array([1, 1]), np.array([50.0, 50.0])).tolist() == [1.0, 1.0]
    alone = np.array([3]), np.array([30.0])
    assert fitted_risk(*alone) == pytest.approx(individual_risk(*alone))


@pytest.mark.parametrize("f", [1, 2, 3, 10, 40])
@pytest.mark.parametrize("p", [0.05, 0.4, 0.5, 0.9])
def test_the_integral_is_the_mean_of_the_inverse(f: int, p: float) -> None:
    assert individual_risk(np.array([f]), np.array([f / p]))[0] == pytest.approx(summed(f, p), rel=1e-9)


def test_closed_forms_of_small_classes() -> None:
    p, q = 0.02, 0.98
    wanted = [
        p / q * np.log(1 / p),
        p / q**2 * (p * np.log(p) + q),
        p / (2 * q**3) * (q * (3 * q - 2) - 2 * p**2 * np.log(p)),
    ]
    assert individual_risk(np.array([1, 2, 3]), np.array([50.0, 100.0, 150.0])) == pytest.approx(wanted)


def test_the_risks_of_the_guide() -> None:
    frame = pl.DataFrame(plain.GUIDE, [*plain.GUIDE_COLUMNS, "weight"], orient="row")
    rows = Rows.each(frame)
    classes = PersonClasses.of(rows, plain.GUIDE_COLUMNS)
    risks = individual_risk(classes.persons, weights_of(rows, "weight", classes))
    assert risks[classes.class_of].round(4).tolist() == plain.GUIDE_RISKS


def test_a_class_that_is_known_in_full_has_its_own_risk() -> None:
    assert individual_risk(np.array([1, 4]), np.array([1.0, 3.9])).tolist() == [1.0, 0.25]


def test_a_person_counts_once_in_a_class() -> None:
    frame = pl.DataFrame({"q": ["a", "a", "a", "b"], "id": ["1", "1", "2", "1"], "w": ["10", "20", "5", "7"]})
    for rows in (Rows.each(frame), Rows.of(frame, frame.columns)):
        classes = PersonClasses.of(rows, ["q"], "id")
        assert weights_of(rows, "w", classes).tolist() == [20.0, 7.0]


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (["1", None], "no sampling weight above 0 in 1 records"),
        (["x", "-2"], "no sampling weight above 0 in 2 records"),
        (["inf", "nan"], "no sampling weight above 0 in 2 records"),
        (["0.5", "1.2"], "add up to less than the table has persons"),
    ],
)
def test_weights_that_are_none_are_refused(weights: list[str | None], words: str) -> None:
    frame = pl.DataFrame({"q": ["a", "b"], "w": pl.Series(weights, dtype=pl.String)})
    rows = Rows.each(frame)
    with pytest.raises(SpecError, match=words):
        weights_of(rows, "w", PersonClasses.of(rows, ["q"]))
