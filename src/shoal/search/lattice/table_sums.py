"""Sums over the classes of a release that must not be above 0: promises about all of them together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.models.table_model import TableModel
from shoal.search.problem import Problem

_SLACK = 1e-9  # a share of all summands that exceeds the rounding error

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class TableSums:
    """What each class adds to sums that are at most 0 in every allowed release.

    Args:
        lacking: `lacking[promise, class]`.
    """

    lacking: NDArray[np.float64]

    @classmethod
    def of(cls, problem: Problem, groups: Grouping) -> "TableSums":
        """Return the sums of the promises that have one; none where stars are a class, too, or classes overlap."""
        together = () if problem.stars or problem.wildcard else problem.models
        found = [model.lacking(groups.sizes) for model in together if isinstance(model, TableModel)]
        return cls(np.array([one for one in found if one is not None]).reshape(-1, groups.n_classes))

    def least_extra(self, gone: Mask, open_: Mask, gaps: NDArray[np.float64]) -> float:
        """Return what every choice that suppresses some classes loses beyond them, at least.

        A sum above 0 is made up for by suppressing open classes that add to it. Parts of classes may be taken here, of
        those first that cost least for what they take away, so that no choice of whole classes costs less.

        Args:
            gone: The classes that are suppressed in any case.
            open_: Those that may be.
            gaps: What suppressing each class costs, at least.
        """
        return max((self._covering(lacking, gone, open_, gaps) for lacking in self.lacking), default=0.0)

    def cheapest(self, gone: Mask, fixed: Mask, gaps: NDArray[np.float64]) -> Mask | None:
        """Return classes to release such that no sum is above 0, the others chosen by their cost; None if none are.

        Args:
            gone: The classes that are suppressed in any case.
            fixed: Those that are released in any case.
            gaps: What suppressing each class costs, at least.
        """
        released = ~gone
        for lacking in self.lacking:
            useful = np.flatnonzero(released & ~fixed & (lacking > 0))
            order = useful[np.lexsort((useful, np.maximum(gaps[useful], 0) / lacking[useful]))]
            above = float(lacking[released].sum())
            taken = np.concatenate([[0.0], np.cumsum(lacking[order])])
            enough = np.flatnonzero(taken >= above + _SLACK * max(above, 0.0))
            if above > 0 and not len(enough):
                return None
            released[order[: enough[0] if above > 0 else 0]] = False
        return released if len(self.lacking) and released.any() else None

    def _covering(self, lacking: NDArray[np.float64], gone: Mask, open_: Mask, gaps: NDArray[np.float64]) -> float:
        above = float(lacking[~gone].sum()) - _SLACK * float(np.abs(lacking).sum())
        if above <= 0:
            return 0.0
        useful = np.flatnonzero(open_ & (lacking > 0))
        rates = np.maximum(gaps[useful], 0) / lacking[useful]
        order = useful[np.argsort(rates)]
        before = np.cumsum(lacking[order]) - lacking[order]
        taken = np.clip(above - before, 0, lacking[order])
        if taken.sum() < above * (1 - _SLACK):
            return float("inf")
        return float(np.sort(rates) @ taken) * (1 - _SLACK)
