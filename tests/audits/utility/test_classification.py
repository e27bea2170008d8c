"""Classifiers trained on a release and on the raw table."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.audits.utility.classification import (
    ClassifierTask,
    RowNumbers,
    accuracy,
    folds_of,
    raw_features,
    released_features,
)
from shoal.audits.utility.readings import Reading
from shoal.audits.utility.scales import Scale
from shoal.foundation.errors import SpecError
from tests.audits.plain_utility import scale


@given(st.lists(st.integers(0, 3), min_size=1, max_size=50), st.integers(2, 5))
def test_every_class_is_dealt_out_evenly(classes: list[int], folds: int) -> None:
    fold_of = folds_of(np.array(classes), folds, np.random.default_rng(1))
    for one in set(classes):
        counts = np.bincount(fold_of[np.array(classes) == one], minlength=folds)
        assert np.ptp(counts) <= 1
    assert np.ptp(np.bincount(fold_of, minlength=folds)) <= 1


def test_accuracy_by_hand() -> None:
    found = accuracy(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]))
    assert found.mean == 0.75
    assert found.deviation == 0.25
    assert found.balanced == 0.75
    assert accuracy(np.array([0, 0, 0]), np.array([0, 0, 1]), np.array([0, 1, 1])).balanced == 0.5


def test_released_cells_have_the_form_of_raw_values() -> None:
    raw = ["a", "b", "c", None]
    words = scale(raw, ["{a, b}", "c", "*", None], name="w")
    target = scale(raw, raw, name="t")
    ages = scale(["20", "30", "40", None], ["20-30", "40", "*", None], name="n")
    rows = np.arange(4)
    before, after = (features([words, target, ages], 1, rows) for features in (raw_features, released_features))
    spread = np.std([20, 30, 40])
    np.testing.assert_allclose(before[:, :4], np.eye(4))
    np.testing.assert_allclose(before[:, 4], np.array([-10, 0, 10, 0]) / spread)
    np.testing.assert_allclose(before[:, 5], [0, 0, 0, 1])
    usual = [0.25, 0.25, 0.5]  # what the two cells that tell something show
    np.testing.assert_allclose(after[:, :4], np.array([[0.5, 0.5, 0, 0], [0, 0, 1, 0], [*usual, 0], [0, 0, 0, 1]]))
    np.testing.assert_allclose(after[:, 4], np.array([-5, 10, 2.5, 0]) / spread)
    drawn = released_features([words, target, ages], 1, rows, np.random.default_rng(1))
    assert set(np.unique(drawn[:, :4])) == {0, 1}


def tables(shown: list[str]) -> list[Scale]:
    """Return a column that tells the class, and the class."""
    raw = [str(n % 10) for n in range(200)]
    classes = ["low" if n % 10 < 4 else "high" for n in range(200)]
    return [scale(raw, shown, name="x"), scale(classes, classes, name="y")]


@pytest.mark.parametrize("learner", ["logistic", "tree"])
def test_a_release_that_tells_the_class_is_as_good_and_stars_are_good_for_nothing(learner: str) -> None:
    cells = ["0-3" if n % 10 < 4 else "4-9" for n in range(200)]
    found = ClassifierTask(tables(cells), 1, 4, 0, 0).classify(learner)
    assert found.raw.mean > 0.9
    assert found.released.mean > 0.9
    assert found.baseline.mean == pytest.approx(0.6)
    assert found.baseline.balanced == 0.5
    assert (found.folds, found.classes, found.tested, found.trained) == (4, 2, 200, (150, 200))
    assert found.raw_seen is not None
    assert not found.split
    blind = ClassifierTask(tables(["*"] * 200), 1, 4, 0, 0).classify(learner)
    assert blind.released.mean == pytest.approx(0.6, abs=0.01)
    assert blind.retained == pytest.approx(0, abs=0.05)
    assert blind.as_dict()["raw_seen"]["mean"] > 0.9


def test_the_release_is_made_anew_of_the_training_records_only() -> None:
    scales, seen = tables(["*"] * 200), []

    def remake(rows: RowNumbers) -> list[Scale]:
        seen.append(rows)
        raw = [scale.reading.raw for scale in scales]
        return [
            Scale.of(
                Reading.of(
                    pl.Series(name, [column.values[code] for code in column.codes]),
                    pl.Series(name, [column.values[code] for code in column.codes[rows]]),
                ),
                1,
            )
            for name, column in zip("xy", raw, strict=True)
        ]

    found = ClassifierTask(scales, 1, 4, 0, 0).classify("tree", remake)
    assert found.split
    assert found.raw_seen is None
    assert found.released == found.raw
    assert found.retained == 1
    assert [len(rows) for rows in seen] == [150] * 4
    held = np.concatenate([np.setdiff1d(np.arange(200), rows) for rows in seen])
    assert sorted(held.tolist()) == list(range(200))


def test_a_sample_bounds_what_is_trained_and_tested() -> None:
    found = ClassifierTask(tables(["0-3", "4-9"] * 100), 1, 4, 60, 0).classify("tree")
    assert found.trained == (60, 60)
    assert found.tested == 60


def test_a_class_that_nobody_tells_cannot_be_learned() -> None:
    scales = tables(["*"] * 200)
    hidden = scale(["low", "high"] * 100, ["*"] * 200, name="y")
    with pytest.raises(SpecError, match="'y'"):
        ClassifierTask([scales[0], hidden], 1, 4, 0, 0).classify("tree")
