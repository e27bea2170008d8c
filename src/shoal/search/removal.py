"""Removal: the fewest records to suppress so that one class of all others keeps the promises."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping, Histogram, Parts
from shoal.classes.tally import QuasiColumn, SensitiveColumn, Tally
from shoal.foundation.errors import SpecError
from shoal.models.k_anonymity import KAnonymity
from shoal.models.model import PrivacyModel, SensitiveModel, holding
from shoal.search.problem import Problem

_ENTRIES = 1 << 20  # of the candidates that are decided at once


@dataclass(frozen=True, slots=True, eq=False)
class Removal:
    """Records to suppress, and the problem of the others, which one class of all of them solves.

    The promises are monotone: joined, the classes of an allowed release are one class that keeps every promise that
    does not compare it with the release. So no release suppresses fewer records than this class must lose.

    Args:
        problem: The problem of the other records.
        points: The number of each of its points in the whole table.
        gone: The suppressed records, in no class.
        least: How many records every release suppresses, at least.
    """

    problem: Problem
    points: NDArray[np.int32]
    gone: Parts
    least: int

    @property
    def n_records(self) -> int:
        """The number of suppressed records."""
        return int(self.gone.counts.sum())

    def whole(self, parts: Parts) -> Parts:
        """Return classes of the other records as classes of the whole table."""
        if self.n_records == 0:
            return parts
        return Parts(
            np.concatenate([self.points[parts.points], self.gone.points]),
            np.concatenate([parts.classes, self.gone.classes]),
            np.concatenate([parts.counts, self.gone.counts]),
        )


def removal_of(problem: Problem) -> Removal | None:
    """Return the fewest records that were found to be enough; None if no number of them is known to be.

    Promises on the values of one column are evened out together, and if no others fail, the number of records is the
    least of all. Else it may not be: records are removed for the promises that need most first, those that help others,
    too, before the rest, and of these the outermost ones.

    Args:
        problem: The problem; what it allows to be suppressed is not looked at.
    """
    tally, left, least = problem.tally, problem.tally.counts, 0
    far: NDArray[np.float64] | None = None
    while failing := broken_by(problem.models, replace(tally, counts=left)):
        excesses = [_Excess.of(models, tally, left) for models in _together(problem.models, failing)]
        if not excesses:
            return None
        if far is None:
            least, far = max(excess.size for excess in excesses), _outlying(tally)
        helps = np.sum([excess.amounts[excess.keys] > 0 for excess in excesses], axis=0)
        left = max(excesses, key=lambda excess: excess.size).taken(left, np.lexsort((-far, -helps)))
        if not left.any():
            return None
    return _removal(problem, left, least)


def broken_by(models: tuple[PrivacyModel, ...], tally: Tally) -> list[PrivacyModel]:
    """Return the promises that one class of all records does not keep."""
    groups = Grouping.of_parts(tally, Parts.whole(tally, np.zeros(tally.n_points, dtype=np.int32)), 1)
    return [model for model in models if not model.holds(groups).all()]


def _together(models: tuple[PrivacyModel, ...], failing: list[PrivacyModel]) -> list[tuple[SensitiveModel, ...]]:
    """Return failing promises with those that are evened out in the same way; none if one cannot be evened out."""
    kinds: dict[tuple[str, ...], list[SensitiveModel]] = {}
    for model in models:
        if isinstance(model, SensitiveModel) and model.evened and model.entity is None:
            kinds.setdefault(_kind(model), []).append(model)
    if not all(isinstance(model, SensitiveModel) and model.evened and model.entity is None for model in failing):
        return []
    return [tuple(kind) for kind in kinds.values() if any(model in failing for model in kind)]


def _kind(model: SensitiveModel) -> tuple[str, ...]:
    return (model.column, model.others, *(str(getattr(model, name)) for name in model.told_values))


class ClassRemoval:
    """The fewest records that each class of a generalization must lose to keep the promises.

    All promises beyond the number of records are about the values of one column, so that the same removal is the best
    for all of them.

    Args:
        problem: The problem; a SpecError is raised if the fewest records cannot be told.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._models = tuple(model for model in problem.models if isinstance(model, SensitiveModel))
        reason = _untold(problem, self._models)
        if reason is not None:
            raise SpecError(
                f"suppress = 'records' takes promises that look at the values of one sensitive column in each class "
                f"alone; {reason}. Use suppress = 'classes', or an algorithm that recodes each class on its own, such "
                "as 'tightest'."
            )

    def lost(self, groups: Grouping) -> NDArray[np.int64]:
        """Return how many records of each class are suppressed: all, if no part of it keeps the promises."""
        return groups.sizes - self._left(groups).sum(axis=1)

    def parts(self, labels: NDArray[np.int32], groups: Grouping) -> Parts:
        """Return the classes without what they lose, numbered without gaps: the outermost records go first.

        Args:
            labels: The class of each point.
            groups: The classes.
        """
        tally = self._problem.tally
        left = self._left(groups)
        keys = labels.astype(np.int64) * left.shape[1]
        if self._models:
            number = [column.name for column in tally.sensitive].index(self._models[0].column)
            keys += tally.profile_codes[tally.profiles, number]
        counts = np.bincount(keys, tally.counts, left.size).astype(np.int64)
        kept = _Excess(keys, counts - left.reshape(-1)).taken(
            tally.counts, np.argsort(-_outlying(tally), kind="stable")
        )
        points, gone = np.arange(tally.n_points, dtype=np.int32), np.full(tally.n_points, -1, dtype=np.int32)
        both = Parts(np.tile(points, 2), np.append(labels, gone), np.append(kept, tally.counts - kept))
        return both.filled()

    def _left(self, groups: Grouping) -> NDArray[np.int64]:
        """Return what is left of each class, by the values of the column, or as a whole if there is none."""
        if not self._models:
            return np.where(holding(self._problem.models, groups), groups.sizes, 0)[:, None]
        blocks = groups.histogram(self._models[0].column)
        counts = np.zeros((groups.n_classes, len(blocks.reference)), dtype=np.int64)
        counts[blocks.owners, blocks.values] = blocks.counts
        failing = ~holding(self._problem.models, groups)
        counts[failing] = evened(self._models, blocks.column, counts[failing])
        counts[counts.sum(axis=1) < self._problem.k] = 0
        return counts


def _untold(problem: Problem, models: tuple[SensitiveModel, ...]) -> str | None:
    """Return why the fewest records of each class cannot be told, or None."""
    others = [model for model in problem.models if not isinstance(model, SensitiveModel | KAnonymity)]
    if others:
        return f"'{others[0].name}' is none"
    counting = next((model for model in models if model.entity is not None), None)
    if counting is not None:
        return f"'{counting.name}' counts persons, who may have records in several classes"
    if len({_kind(model) for model in models}) > 1:
        return "these are about more than one column, or about one value among others"
    unsuitable = next((model for model in models if not model.evened or model.others_known), None)
    if unsuitable is not None:
        return f"'{unsuitable.name}' is none, as it is asked for"
    if problem.wildcard or problem.stars:
        return "missing = 'wildcard' and suppressed = 'star' let classes depend on each other"
    if not problem.measure.monotone:
        return f"'{problem.measure.name}' may charge more for a class than for suppressing it"
    return None


@dataclass(frozen=True, slots=True, eq=False)
class _Excess:
    """How many records of which values a class has too many of.

    Args:
        keys: The block and value of each point, as one number.
        amounts: How many records of each such number are removed.
    """

    keys: NDArray[np.int64]
    amounts: NDArray[np.int64]

    @classmethod
    def of(cls, models: tuple[SensitiveModel, ...], tally: Tally, left: NDArray[np.int64]) -> "_Excess":
        """Even out the values of a column, in each block of what is left of the table."""
        model = models[0]
        number = [column.name for column in tally.sensitive].index(model.column)
        column, values = tally.sensitive[number], tally.profile_codes[:, number]
        blocks = np.zeros(len(values), dtype=np.int64)
        if model.others_known:
            blocks = np.unique(np.delete(tally.profile_codes, number, axis=1), axis=0, return_inverse=True)[1]
        n_values = len(column.values)
        keys = (blocks.reshape(-1) * n_values + values)[tally.profiles]
        counts = np.bincount(keys, left, (int(blocks.max(initial=0)) + 1) * n_values).astype(np.int64)
        return cls(keys, counts - evened(models, column, counts.reshape(-1, n_values)).reshape(-1))

    @property
    def size(self) -> int:
        """The number of records to remove."""
        return int(self.amounts.sum())

    def taken(self, left: NDArray[np.int64], order: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many records of each point are left; those of the points that come first in an order are taken."""
        order = order[np.argsort(self.keys[order], kind="stable")]
        keys, counts = self.keys[order], left[order]
        before = np.cumsum(counts) - counts
        before -= before[np.searchsorted(keys, keys)]
        found = left.copy()
        found[order] = counts - np.clip(self.amounts[keys] - before, 0, counts)
        return found


def evened(models: tuple[SensitiveModel, ...], column: SensitiveColumn, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what is left of blocks if the fewest records are removed that let each keep promises; nothing if none do.

    Args:
        models: The promises, which limit the same values of the column.
        column: The sensitive column.
        counts: `counts[block, value]`, how many records there are.
    """
    left = np.zeros_like(counts)
    step = max(_ENTRIES // max(counts.shape[1], 1), 1)
    for start in range(0, len(counts), step):
        left[start : start + step] = _evened(models, column, counts[start : start + step])
    return left


def _evened(
    models: tuple[SensitiveModel, ...], column: SensitiveColumn, counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    left, limited, sizes = np.zeros_like(counts), models[0].limited(column), counts.sum(axis=1)
    blocks = np.flatnonzero(sizes)
    if len(blocks) == 0:
        return left
    whole = _histogram(column, counts[blocks])
    begin = np.max([model.forfeited(whole, Fraction(0)) for model in models], axis=0)
    most = np.minimum(counts[:, limited].sum(axis=1), sizes - 1)
    width = 1
    while len(open_ := np.flatnonzero(begin <= most[blocks])):
        blocks, begin = blocks[open_], begin[open_]
        removed = begin[:, None] + np.arange(width)
        possible = removed <= most[blocks][:, None]
        rows = np.repeat(blocks, width)
        shown = levelled(counts[rows], limited, np.minimum(removed.reshape(-1), most[rows]))
        passes = possible & np.logical_and.reduce(
            [model.passes(_histogram(column, shown)) for model in models]
        ).reshape(-1, width)
        found, first = passes.any(axis=1), np.argmax(passes, axis=1)
        left[blocks[found]] = shown.reshape(len(blocks), width, -1)[found, first[found]]
        blocks, begin = blocks[~found], begin[~found] + width
        width = min(2 * width, max(_ENTRIES // max(len(blocks) * counts.shape[1], 1), 1))
    return left


def levelled(counts: NDArray[np.int64], limited: NDArray[np.bool_], removed: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return blocks without so many records each, taken from the most frequent of some values, down to a common level.

    Args:
        counts: `counts[block, value]`, how many records there are.
        limited: The values that records are taken from.
        removed: How many are taken from each block; it has as many with these values.
    """
    own = np.where(limited, counts, 0)
    order = np.argsort(-own, axis=1, kind="stable")
    own = np.take_along_axis(own, order, axis=1)
    number = np.arange(1, own.shape[1] + 1)
    together = np.cumsum(own, axis=1) - removed[:, None]  # what the first values keep, if all are taken from them
    following = np.append(own[:, 1:], np.zeros((len(own), 1), dtype=np.int64), axis=1)
    last = np.argmax(together >= following * number, axis=1)  # the fewest values whose level is not below the next one
    level, more = np.divmod(np.take_along_axis(together, last[:, None], axis=1), last[:, None] + 1)
    own = np.where(number <= last[:, None] + 1, level + (number <= more), own)
    left = np.empty_like(own)
    np.put_along_axis(left, order, own, axis=1)
    return np.where(limited, left, counts)


def _histogram(column: SensitiveColumn, counts: NDArray[np.int64]) -> Histogram:
    """Return blocks by `counts[block, value]`; none is empty."""
    blocks, values = np.nonzero(counts)
    return Histogram(
        column=column,
        offsets=np.searchsorted(blocks, np.arange(len(counts) + 1)),
        values=values.astype(np.int32),
        counts=counts[blocks, values],
        sizes=counts.sum(axis=1),
        reference=counts.sum(axis=0),
    )


def _outlying(tally: Tally) -> NDArray[np.float64]:
    """Return how far out each point is: the logarithms of how rare its values are, and what they generalize to."""
    far = np.zeros(tally.n_points)
    for j, column in enumerate(tally.quasi):
        far += column.weight * _rarity(column)[tally.codes[:, j]]
    return far


def _rarity(column: QuasiColumn) -> NDArray[np.float64]:
    """Return how rare each leaf is, from 0: its nodes at all levels, or for ranges the leaves at its side of it."""
    hierarchy, counts = column.hierarchy, column.leaf_counts
    total = max(int(counts.sum()), 1)
    if hierarchy.form == "ranges":
        below = np.cumsum(counts)
        shares = [np.minimum(below, total - below + counts) / total]
    else:
        shares = [np.bincount(codes, counts)[codes] / total for codes in hierarchy.codes]
    return -np.sum([np.log(np.maximum(share, 1 / total)) for share in shares], axis=0)


def _removal(problem: Problem, left: NDArray[np.int64], least: int) -> Removal:
    tally = problem.tally
    points = np.flatnonzero(left > 0).astype(np.int32)
    gone = np.flatnonzero(left < tally.counts).astype(np.int32)
    parts = Parts(gone, np.full(len(gone), -1, dtype=np.int32), (tally.counts - left)[gone])
    n_left = int(left.sum())
    if len(gone) == 0:
        return Removal(problem, points, parts, least)
    allowed = Fraction(max(problem.limit - (tally.n_records - n_left), 0), n_left)
    rest = replace(problem, tally=tally.at(points, left[points]), max_suppressed=allowed)
    return Removal(rest, points, parts, least)
