"""Whether a model tells both tables apart."""

import numpy as np
import pytest

from shoal.audits.utility.propensity import cart, drawn_bins, drawn_numbers, logistic, propensities
from tests.audits.plain_utility import scale


def test_scores_are_those_of_a_plain_logistic_regression() -> None:
    from sklearn.linear_model import LogisticRegression  # takes each process half a second

    rng = np.random.default_rng(1)
    features = rng.normal(size=(400, 3))
    second = rng.random(400) < 1 / (1 + np.exp(-features @ [0.5, -1, 0]))
    found = logistic(features, second)
    plain = LogisticRegression(C=np.inf, tol=1e-8, max_iter=1000).fit(features, second)
    c = second.mean()
    assert found.pmse == pytest.approx(((plain.predict_proba(features)[:, 1] - c) ** 2).mean(), rel=1e-3)
    assert found.parameters == 4
    assert found.share == pytest.approx(found.pmse / (c * (1 - c)))
    assert found.records == (400 - second.sum(), second.sum())


def test_tables_that_cannot_be_told_apart_score_nothing() -> None:
    one = np.random.default_rng(1).normal(size=(50, 2))
    found = logistic(np.vstack([one, one]), np.repeat([False, True], 50))
    assert found.pmse == pytest.approx(0, abs=1e-12)
    assert found.standardized is not None
    assert found.standardized < 0


def test_tables_that_can_be_told_apart_for_certain_score_the_most() -> None:
    second = np.repeat([False, True], 50)
    found = logistic(second[:, None].astype(float), second)
    assert found.share == pytest.approx(1, abs=0.01)
    assert found.parameters == 2


def test_columns_that_say_the_same_count_once() -> None:
    one = np.random.default_rng(1).normal(size=(60, 1))
    assert logistic(np.hstack([one, one, 2 * one]), np.repeat([False, True], 30)).parameters == 2


def test_the_expectation_is_reached_by_tables_drawn_from_the_raw_one() -> None:
    """Snoke et al. 2018: drawn from what fits the raw table, the pMSE is on average what is expected."""
    rng = np.random.default_rng(2)
    raw = rng.choice(5, 600, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    second = np.repeat([False, True], 600)
    ratios: list[float] = []
    far: list[float] = []
    for _ in range(200):
        both = np.concatenate([raw, rng.choice(raw, 600)])
        found = logistic((both[:, None] == np.arange(1, 5)).astype(float), second)
        assert found.parameters == 5
        assert found.expected == pytest.approx(4 * 0.25 * 0.5 / 1200)
        ratios.append(found.ratio or 0.0)
        far.append(found.standardized or 0.0)
    assert np.mean(ratios) == pytest.approx(1, abs=0.1)
    assert np.std(far) == pytest.approx(1, abs=0.2)


def test_a_tree_sees_what_a_line_does_not() -> None:
    rng = np.random.default_rng(1)
    first = rng.normal(size=(500, 2))
    both = np.vstack([first, np.column_stack([rng.permutation(first[:, 0]), first[:, 1]])])
    both[:500, 0] = np.abs(both[:500, 0]) * np.sign(both[:500, 1])  # alike alone, tied to each other before
    second = np.repeat([False, True], 500)
    line, tree = logistic(both, second), cart(both, second, rng)
    assert line.share < 0.1 < tree.share
    assert tree.ratio is not None
    assert tree.ratio > 2


def test_values_are_drawn_from_what_a_cell_stands_for() -> None:
    rng = np.random.default_rng(1)
    found = scale(["a", "b", "c"], ["{a, b}", "c", "*"])
    places = drawn_bins(found.shares, np.repeat(found.state_of[found.reading.shown.codes], 300), rng)
    drawn = [np.bincount(part, minlength=6) / 300 for part in places.reshape(3, 300)]
    np.testing.assert_allclose(drawn[0][:3], [0.5, 0.5, 0], atol=0.1)
    assert drawn[1].tolist() == [0, 0, 1, 0, 0, 0]
    assert drawn[2].tolist() == [0, 0, 0, 1, 0, 0]
    ages = scale([str(n) for n in range(20, 50)], ["20-22", "35", "*"])
    numbers = drawn_numbers(ages, np.repeat(ages.reading.shown.codes, 300), rng).reshape(3, 300)
    assert set(numbers[0].tolist()) == {20, 21, 22}
    assert set(numbers[1].tolist()) == {35}
    assert np.isnan(numbers[2]).all()


def test_the_release_of_a_table_as_it_is_cannot_be_told_from_it() -> None:
    values = [str(n % 7) for n in range(70)]
    words = ["ab"[n % 2] for n in range(70)]
    rows = np.arange(70), np.arange(70)
    scales = [scale(values, values), scale(words, words)]
    found = propensities(scales, ["logistic"], rows, np.random.default_rng(1))
    assert found[0].pmse == pytest.approx(0, abs=1e-12)
    suppressed = [scale(values, ["*"] * 35 + values[35:]), scale(words, words)]
    assert propensities(suppressed, ["logistic"], rows, np.random.default_rng(1))[0].share > 0.2
