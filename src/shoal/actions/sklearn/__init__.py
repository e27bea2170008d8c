"""Estimators of scikit-learn, `shoal.sklearn`; that library is loaded when one is asked for."""

from typing import TYPE_CHECKING

from shoal.foundation.lazy_imports import offer

if TYPE_CHECKING:  # imported when asked for
    from shoal.actions.sklearn.anonymizer import Anonymizer as Anonymizer
else:
    __getattr__, __dir__ = offer(__name__)
