"""Classification: the accuracy of a classifier trained on the release, compared with one trained on the raw table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audits.utility.learners import fitted
from shoal.audits.utility.propensity import drawn_bins, drawn_numbers
from shoal.audits.utility.scales import Scale
from shoal.foundation.errors import SpecError
from shoal.kernels.grouping import take

RowNumbers = NDArray[np.int64]
Remake = Callable[[RowNumbers], Sequence[Scale]]  # makes a release from some raw records, and returns its columns


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The share of held-out raw records whose class is predicted correctly.

    Args:
        mean: The mean over all folds.
        deviation: The standard deviation over the folds.
        balanced: The balanced accuracy over all folds: the mean over the classes of the share predicted correctly.
    """

    mean: float
    deviation: float
    balanced: float

    def as_dict(self) -> dict[str, float]:
        """Return it as JSON."""
        return {"mean": self.mean, "deviation": self.deviation, "balanced": self.balanced}


@dataclass(frozen=True, slots=True)
class ClassifierScores:
    """The accuracy of several classifiers on held-out raw records.

    Args:
        target: The column to predict.
        learner: The kind of classifier.
        split: Whether a new release was made from the training records of each fold, so that it contains no held-out
            record. Else it is the given release, which contains all of them.
        folds: The number of folds.
        classes: The number of classes.
        trained: The largest number of raw and of released records that a classifier was trained on.
        tested: The number of raw records that were held out, over all folds.
        baseline: Always predicts the most frequent class of the training records.
        raw: Trained on the raw records of the other folds.
        raw_seen: Trained on all raw records, the held-out ones included: the fair comparison for the given release.
        released: Trained on the release.
    """

    target: str
    learner: str
    split: bool
    folds: int
    classes: int
    trained: tuple[int, int]
    tested: int
    baseline: Accuracy
    raw: Accuracy
    raw_seen: Accuracy | None
    released: Accuracy

    @property
    def retained(self) -> float | None:
        """The share of the raw table's gain over the baseline that the release keeps; None if there is no gain."""
        least = self.baseline.mean
        gain = (self.raw_seen or self.raw).mean - least
        return (self.released.mean - least) / gain if gain > 0 and self.raw.mean > least else None

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "target": self.target,
            "learner": self.learner,
            "split": self.split,
            "folds": self.folds,
            "classes": self.classes,
            "trained": {"before": self.trained[0], "after": self.trained[1]},
            "tested": self.tested,
            "baseline": self.baseline.as_dict(),
            "raw": self.raw.as_dict(),
            "raw_seen": None if self.raw_seen is None else self.raw_seen.as_dict(),
            "released": self.released.as_dict(),
            "retained": self.retained,
        }


@dataclass(frozen=True, slots=True, eq=False)
class ClassifierTask:
    """A prediction task: the target, the features and how to test.

    Args:
        scales: The columns of the raw table and of the release.
        target: The index of the column to predict.
        folds: The number of folds.
        sample: The largest number of records to train a classifier on, and to test on; 0 is no limit.
        seed: The seed of all random draws.
    """

    scales: Sequence[Scale]
    target: int
    folds: int
    sample: int
    seed: int

    def classify(self, learner: str, remake: Remake | None = None) -> ClassifierScores:
        """Train and test by cross-validation.

        Args:
            learner: The kind of classifier.
            remake: Makes a release from some raw records; if None, the given release is used.
        """
        scale, rng = self.scales[self.target], np.random.default_rng(self.seed)
        classes = take(scale.bin_of, scale.reading.raw.codes).astype(np.int64)
        rows = np.flatnonzero(classes < scale.n_value_bins)
        fold_of = np.full(len(classes), -1)
        fold_of[rows] = folds_of(classes[rows], self.folds, rng)
        tested = sampled(rows, self.sample, rng)
        guesses = {name: np.full(len(classes), -1) for name in ("baseline", "raw", "released")}
        released = None if remake else self._on_release(learner, self.scales)
        n_trained = [0, 0]
        for fold in range(self.folds):
            held, train = tested[fold_of[tested] == fold], rows[fold_of[rows] != fold]
            if not len(held):
                continue  # of a small sample
            features = raw_features(self.scales, self.target, held)
            if remake is not None:
                released = self._on_release(learner, remake(train))
            chosen = sampled(train, self.sample, rng)
            guesses["baseline"][held] = np.bincount(classes[train]).argmax()
            guesses["raw"][held] = self._on_raw(learner, chosen, classes).predict(features)
            if released is not None:
                guesses["released"][held] = released[0].predict(features)
                n_trained = [max(one) for one in zip(n_trained, (len(chosen), released[1]), strict=True)]
        told = {name: accuracy(guess[tested], classes[tested], fold_of[tested]) for name, guess in guesses.items()}
        seen = None if remake else self._on_raw(learner, tested, classes)
        guess = None if seen is None else seen.predict(raw_features(self.scales, self.target, tested))
        return ClassifierScores(
            target=scale.reading.name,
            learner=learner,
            split=remake is not None,
            folds=self.folds,
            classes=len(np.unique(classes[rows])),
            trained=(n_trained[0], n_trained[1]),
            tested=len(tested),
            raw_seen=None if guess is None else accuracy(guess, classes[tested], fold_of[tested]),
            **told,
        )

    def _on_raw(self, learner: str, rows: RowNumbers, classes: NDArray[np.int64]) -> Any:
        """Train on raw records."""
        return fitted(learner, raw_features(self.scales, self.target, rows), classes[rows], self.seed)

    def _on_release(self, learner: str, scales: Sequence[Scale]) -> tuple[Any, int]:
        """Train on released records; if a record's target cell stands for several classes, one is drawn."""
        scale, rng = scales[self.target], np.random.default_rng([self.seed, 1])
        rows = sampled(np.arange(len(scale.reading.shown.codes)), self.sample, rng)
        states = take(scale.state_of, scale.reading.shown.codes[rows])
        classes = drawn_bins(scale.shares, states, rng)
        told = classes < scale.n_value_bins
        if not told.any():
            raise SpecError(f"No released record says anything about column '{scale.reading.name}'.")
        features = released_features(scales, self.target, rows[told], None if learner == "logistic" else rng)
        return fitted(learner, features, classes[told], self.seed), int(told.sum())


def sampled(rows: RowNumbers, most: int, rng: np.random.Generator) -> RowNumbers:
    """Return at most `most` of the records in their order, drawn without replacement."""
    return rows if not most or len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))


def folds_of(classes: NDArray[np.int64], folds: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the fold of each record, stratified by class."""
    order = rng.permutation(len(classes))
    order = order[np.argsort(classes[order], kind="stable")]
    fold_of = np.empty(len(classes), dtype=np.int64)
    fold_of[order] = np.arange(len(classes)) % folds
    return fold_of


def accuracy(guesses: NDArray[np.int64], classes: NDArray[np.int64], fold_of: NDArray[np.int64]) -> Accuracy:
    """Compare predictions with the true classes."""
    right = (guesses == classes).astype(np.float64)
    by_fold = np.bincount(fold_of, right) / np.bincount(fold_of)
    sizes = np.bincount(classes)
    by_class = np.bincount(classes, right)[sizes > 0] / sizes[sizes > 0]
    return Accuracy(float(right.mean()), float(by_fold.std()), float(by_class.mean()))


def raw_features(scales: Sequence[Scale], target: int, rows: RowNumbers) -> NDArray[np.float64]:
    """Return the features of each raw record: numbers standardized, categories one-hot encoded by bin."""
    columns = []
    for scale in _others(scales, target):
        codes = scale.reading.raw.codes[rows]
        columns.append(_encoded(scale, take(scale.bin_of, codes), take(scale.reading.numbers, codes)))
    return np.hstack(columns)


def released_features(
    scales: Sequence[Scale], target: int, rows: RowNumbers, rng: np.random.Generator | None = None
) -> NDArray[np.float64]:
    """Return the features of each released record, in the form of the raw ones.

    A range counts as its midpoint. A cell that stands for several categories counts as a fraction of each. A suppressed
    cell counts as the average of the release. With `rng`, one of the values that a cell stands for is drawn instead,
    since a tree would split on fractions of a category, which no raw record has.
    """
    columns = []
    for scale in _others(scales, target):
        codes = scale.reading.shown.codes[rows]
        states, numbers = take(scale.state_of, codes), take(scale.reading.middles, codes)
        if rng is not None:
            states = drawn_bins(_filled(scale, scale.shares), states, rng)
            numbers = drawn_numbers(scale, codes, rng)
        columns.append(_encoded(scale, states, numbers))
    return np.hstack(columns)


def _others(scales: Sequence[Scale], target: int) -> list[Scale]:
    return [scale for number, scale in enumerate(scales) if number != target]


def _filled(scale: Scale, table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replace suppressed cells by the average of the release."""
    told = scale.after[: scale.n_value_bins]
    filled = table.copy()
    if told.any():
        filled[:, : scale.n_value_bins] += np.outer(table[:, scale.n_value_bins], told / told.sum())
        filled[:, scale.n_value_bins] = 0.0
    return filled


def _encoded(scale: Scale, states: NDArray[np.integer], numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the features of each record: a number or the fractions of the categories, and whether it is missing."""
    n_value_bins = scale.n_value_bins
    table = scale.shares[states]
    missing = table[:, n_value_bins + 1]
    if scale.reading.line is None:
        return np.column_stack([_filled(scale, table)[:, :n_value_bins], missing])
    centre, spread = _moments(scale.reading.numbers, scale.reading.before)
    shown, held = scale.reading.middles, scale.reading.after
    usual = _moments(shown, held)[0] if held[~np.isnan(shown)].any() else centre
    blank = np.where(missing > 0, centre, usual)
    return np.column_stack([(np.where(np.isnan(numbers), blank, numbers) - centre) / (spread or 1.0), missing])


def _moments(numbers: NDArray[np.float64], counts: NDArray[np.int64]) -> tuple[float, float]:
    """Return mean and standard deviation of the numbers that are not NaN; 0 if there are none."""
    told = ~np.isnan(numbers)
    total = max(float(counts[told].sum()), 1.0)
    mean = float(numbers[told] @ counts[told]) / total
    return mean, float(np.sqrt(((numbers[told] - mean) ** 2) @ counts[told] / total))
