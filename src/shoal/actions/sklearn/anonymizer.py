"""Anonymizer: a release's recoding as a step of a pipeline of scikit-learn."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.actions.anonymize import anonymize
from shoal.actions.sklearn.recoding import Recoded, recoded
from shoal.foundation.errors import MissingExtraError, SpecError
from shoal.releases.rules.rules import Rules
from shoal.tables.hierarchies.hierarchy import Label

try:
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise MissingExtraError("scikit-learn", "learn") from None

_UNCOVERED = -1
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Recode the rows of a table by the rules of a release that is made of the training table.

    `fit` searches for a release of the training table that keeps all promises, and keeps its rules. `transform` gives
    each row, in its place, the cells of the class of that release that covers it; a row that no class covers gets a
    star in each quasi column. So each row comes out as the cells of a class that at least `k` training records are
    in, or as stars.

    What comes out of `transform` is **not certified**, and is for use in the house, as to see how well a model learns
    from anonymized data: rows and their order are kept, nobody counts how many rows of *that* table are in a class,
    and promises on sensitive columns are not looked at again. What leaves the house is made by `shoal.anonymize` or
    `shoal.apply`.

    The raw training table is not kept: a pickled estimator holds the rules, the cells of the release's classes and
    its certificate, which is the steward's.
    """

    rules_: Rules
    """The rules of the release; `shoal.apply` takes them, too."""
    certificate_: dict[str, Any]
    """The certificate of the release of the training table."""
    classes_of_release_: tuple[tuple[Label, ...], ...]
    """The cells of its classes, in the order of `quasi_`."""
    quasi_: tuple[str, ...]
    """The quasi columns."""
    cells_: dict[str, list[Label]]
    """The cells of each quasi column, in the order of their codes."""

    def __init__(
        self,
        *,
        quasi: Mapping[str, Any] | Iterable[str] | None = None,
        sensitive: Sequence[str] = (),
        insensitive: Sequence[str] = (),
        drop: Sequence[str] = (),
        k: int = 5,
        require: Sequence[Any] = (),
        algorithm: Any = "mondrian",
        max_suppressed: float | str = 0.0,
        output: Literal["labels", "codes"] = "labels",
        seed: int = 0,
    ) -> None:
        """Keep what is asked for, as it is.

        Args:
            quasi: The columns that an attacker may know; a mapping gives each its hierarchy. If None, all columns that
                have no other role. Columns of an array are called `x0`, `x1`, ...
            sensitive: The columns that promises may speak of; they stay as they are.
            insensitive: Other columns that stay as they are. With `quasi`, every column needs a role.
            drop: Columns that do not come out.
            k: The least number of training records in a class.
            require: More promises on the training table, as `shoal.anonymize` takes them.
            algorithm: The algorithm, or a table with its parameters.
            max_suppressed: The share of the training records that may be left out of all classes.
            output: `labels` gives texts such as `30 - 39`, for an encoder; `codes` the number of each cell among
                those of its column, by the first number in their texts, and -1 for a row that no class covers.
            seed: The seed of the search.
        """
        self.quasi = quasi
        self.sensitive = sensitive
        self.insensitive = insensitive
        self.drop = drop
        self.k = k
        self.require = require
        self.algorithm = algorithm
        self.max_suppressed = max_suppressed
        self.output = output
        self.seed = seed

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803  (the name in scikit-learn)
        """Release the training table, and keep the rules.

        Args:
            X: A frame of pandas or polars, or an array.
            y: Not looked at.

        Raises:
            InfeasibleError: No release keeps the promises.
        """
        if self.output not in ("labels", "codes"):
            raise SpecError(f"'output' is '{self.output}': known are labels, codes.")
        checked = self._checked(X, first=True)
        frame = self._frame(checked)
        release = anonymize(
            frame,
            quasi=self._quasi(list(frame.columns)),
            sensitive=list(self.sensitive),
            insensitive=list(self.insensitive),
            drop=list(self.drop),
            k=self.k,
            require=list(self.require),
            algorithm=self.algorithm,
            max_suppressed=self.max_suppressed,
            engine="local",
            seed=self.seed,
        )
        self.rules_ = release.rules()
        self.certificate_ = release.certificate
        self.quasi_ = tuple(self.rules_.columns)
        self.classes_of_release_ = tuple(sorted(set(release.frame.select(self.quasi_).iter_rows()), key=_texts))
        shown = zip(*self.classes_of_release_, strict=True)
        self.cells_ = {name: sorted(set(cells), key=_place) for name, cells in zip(self.quasi_, shown, strict=True)}
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Return the table with its quasi columns recoded: a frame of the kind that was given, or an array."""
        checked = self._checked(X)
        found = self._recoded(checked)
        columns = {name: self._shown(name, cells) for name, cells in found.cells.items()}
        kept = self.get_feature_names_out().tolist()
        if isinstance(checked, pl.DataFrame):
            return checked.select(pl.Series(name, columns[name]) if name in columns else name for name in kept)
        if hasattr(checked, "iloc"):
            return checked.assign(**columns)[kept]
        names = self._names()
        parts = [columns[name] if name in columns else checked[:, names.index(name)] for name in kept]
        return (
            np.column_stack(parts) if self.output == "codes" else np.column_stack([one.astype(object) for one in parts])
        )

    def covered(self, X: Any) -> NDArray[np.bool_]:  # noqa: N803
        """Tell which rows a class of the release covers; all others come out as stars."""
        return self._recoded(self._checked(X)).covered

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns that come out: all but those of `drop`, in their order."""
        check_is_fitted(self)
        names = self._names()
        if input_features is not None and list(input_features) != names:
            raise ValueError(f"input_features should be the {len(names)} names of the columns of the training table.")
        return np.array([name for name in names if name not in self.drop], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _checked(self, given: Any, *, first: bool = False) -> Any:
        """Return a table after the checks of scikit-learn; a frame stays as it is, all else is an array."""
        if not first:
            check_is_fitted(self)
        framed = isinstance(given, pl.DataFrame) or (hasattr(given, "iloc") and hasattr(given, "columns"))
        least = {"ensure_min_samples": max(self.k, 1) if isinstance(self.k, int) else 1} if first else {}
        read = validate_data(self, given, reset=first, dtype=None, ensure_all_finite="allow-nan", **least)
        if framed and not hasattr(self, "feature_names_in_"):
            raise SpecError("The names of the columns are not all texts: rename those that are not.")
        return given if framed else read

    def _names(self) -> list[str]:
        known = getattr(self, "feature_names_in_", None)
        return [f"x{number}" for number in range(self.n_features_in_)] if known is None else list(known)

    def _frame(self, checked: Any) -> Any:
        """Return a frame as it is, and an array as one with the names of the training table."""
        if hasattr(checked, "columns"):
            return checked
        return pl.DataFrame([pl.Series(name, _values(checked[:, number])) for number, name in enumerate(self._names())])

    def _quasi(self, names: Sequence[str]) -> Any:
        if self.quasi is not None:
            return self.quasi
        others = {*self.sensitive, *self.insensitive, *self.drop}
        return [name for name in names if name not in others]

    def _recoded(self, checked: Any) -> Recoded:
        return recoded(self.rules_, self.classes_of_release_, self._frame(checked))

    def _shown(self, name: str, cells: list[Label]) -> NDArray[Any]:
        """Return the cells of a column as they come out."""
        if self.output == "labels":
            return np.array(cells, dtype=object)
        code = {cell: number for number, cell in enumerate(self.cells_[name])}
        return np.array([code.get(cell, _UNCOVERED) for cell in cells], dtype=np.int64)


def _values(column: NDArray[Any]) -> Any:
    """Return a column of an array; one of objects becomes texts, with what is no value as missing."""
    if column.dtype.kind in "iufb":
        return column
    return [None if one is None or one != one else str(one) for one in column.tolist()]


def _texts(row: tuple[Label, ...]) -> tuple[str, ...]:
    return tuple(cell or "" for cell in row)


def _place(cell: Label) -> tuple[float, str]:
    """Return what cells are sorted by: their first number, and their text; those without a number come last."""
    number = _NUMBER.search(cell or "")
    return (float(number[0]) if number else float("inf"), cell or "")
