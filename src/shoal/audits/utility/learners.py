"""Learners: classifiers of scikit-learn; no other module imports it."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audits.utility import LEARNERS
from shoal.foundation.errors import MissingExtraError, SpecError
from shoal.foundation.shelf import did_you_mean

_LEAF = 20  # least number of records in a leaf

Features = NDArray[np.float64]
Codes = NDArray[np.int64]


def installed() -> bool:
    """Tell whether scikit-learn can be loaded."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        return False
    return True


def demand() -> None:
    """Raise a MissingExtraError if scikit-learn is not installed."""
    if not installed():
        raise MissingExtraError("scikit-learn", "learn")


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit the linear algebra to one thread: on tables of this size, several threads mostly wait for each other."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        yield
        return
    with threadpool_limits(1):
        yield


def fitted(name: str, features: Features, classes: Codes, seed: int) -> Any:
    """Return a fitted classifier, whose `predict` gives the classes of other records.

    Args:
        name: `logistic` (regression, main effects), `tree` (CART, at least 20 records in a leaf) or `forest` (50
            trees, at least 5 records in a leaf).
        features: A row for each record.
        classes: Its class.
        seed: The seed of all random draws.
    """
    demand()
    if name not in LEARNERS:
        raise SpecError(f"Unknown learner '{name}'. {did_you_mean(name, list(LEARNERS))}")
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    made: Any
    if name == "logistic":
        # centred, so that a feature that is constant in the release gets no weight
        made = make_pipeline(StandardScaler(with_std=False), LogisticRegression(max_iter=200))
    elif name == "tree":
        made = DecisionTreeClassifier(min_samples_leaf=_LEAF, random_state=seed)
    else:
        made = RandomForestClassifier(n_estimators=50, min_samples_leaf=5, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # accuracy settles long before the coefficients do
        return made.fit(features, classes)


def tree_shares(features: Features, second: NDArray[np.bool_], seed: int) -> NDArray[np.float64]:
    """Return for each record the propensity score of a tree: the share of the second table's records in its leaf."""
    demand()
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(min_samples_leaf=_LEAF, random_state=seed)
    shares = tree.fit(features, second).predict_proba(features)
    return np.asarray(shares[:, 1] if shares.shape[1] == 2 else np.zeros(len(features)), dtype=np.float64)
