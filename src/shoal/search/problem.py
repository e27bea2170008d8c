"""Problem and Solution: what is asked of an algorithm, and what it answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping, Parts
from shoal.classes.recoding import Recoding
from shoal.classes.tally import Tally
from shoal.classes.wildcard_matching import neighbourhoods
from shoal.clusters.metric import Metric
from shoal.clusters.objectives import Spread
from shoal.kernels.clock import clock
from shoal.measures.measure import Loss, Measure
from shoal.models.k_anonymity import KAnonymity
from shoal.models.model import PrivacyModel, holding
from shoal.models.table_model import TableModel

Guarantee = Literal["optimal", "factor", "none"]


@dataclass(frozen=True, slots=True, eq=False)
class PointCharges:
    """What a bound charges the records of a part of a table, as if there were no others.

    Args:
        own: The charge of a record of each point.
        ceilings: What it costs at least in a class with a record from outside of the part.
        excess: By how much classes inside of the part are charged too much, at most, all together.
    """

    own: NDArray[np.float64]
    ceilings: NDArray[np.float64]
    excess: float


@dataclass(frozen=True, slots=True, eq=False)
class Border:
    """The border of a part of a table.

    Args:
        leaving: What a cell costs at least in each column that covers a leaf and a value that is outside of the part
            (`leaving[column][leaf]`).
        charged: Called by a bound with its charges.
    """

    leaving: tuple[NDArray[np.float64], ...]
    charged: Callable[[PointCharges], object]


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A tally, the promises to keep, and the loss to minimize.

    Args:
        tally: The table.
        models: The promises; a class is released only if it keeps all of them.
        measure: The loss to minimize.
        max_suppressed: The share of the records that may be suppressed.
        stars: Whether suppressed records are published as stars, with their sensitive values. Then they are a class,
            which must keep the promises like any other; else they are left out.
        wildcard: Whether a missing value matches every value.
        time_limit: Seconds after which a search returns the best it has, with a bound on what is left.
        seed: For searches that draw random numbers; equal seeds give equal answers.
        metric: The distances of records, for algorithms that publish clusters.
        by_record: Whether a full-domain release may suppress single records of a class; else it suppresses classes.
            Algorithms that recode each class on its own may suppress single records in any case.
        unbounded: Whether no bound on the loss is looked for beside the search. No class depends on it.
        enough: A loss below which any release will do: a search for the least may stop there.
        border: For a part of a table, what it costs to leave it: a bound then holds for releases of the whole table.
            None if the tally is the whole table.
        together: Whether records of one person leave with one pseudonym, and so must be in one class.
        limit: The largest number of records that may be suppressed, by that share.
    """

    tally: Tally
    models: tuple[PrivacyModel, ...]
    measure: Measure
    max_suppressed: Fraction = Fraction(0)
    stars: bool = False
    wildcard: bool = False
    time_limit: float | None = None
    seed: int = 0
    metric: Metric | None = None
    by_record: bool = False
    unbounded: bool = False
    enough: float = -inf
    border: Border | None = None
    together: bool = False
    limit: int = field(init=False)

    def __post_init__(self) -> None:
        """Work out the limit once: it is asked for at every node of a lattice."""
        object.__setattr__(self, "limit", int(self.max_suppressed * self.tally.n_records))

    def deadline(self) -> float:
        """Return the time, by the clock of searches, at which a search that starts now must end."""
        return float("inf") if self.time_limit is None else clock() + self.time_limit

    @property
    def k(self) -> int:
        """The least number of records of a class, whichever promise requires it."""
        return max(model.least_size for model in self.models)

    @property
    def prunable(self) -> tuple[PrivacyModel, ...]:
        """The models whose failures only shrink when classes are joined, so that a search may prune by them."""
        return tuple(model for model in self.models if model.monotone_with_suppression)

    def released(
        self,
        groups: Grouping,
        recoding: Recoding | None,
        models: tuple[PrivacyModel, ...] | None = None,
        most: int | None = None,
    ) -> NDArray[np.bool_]:
        """Return which classes keep all promises in the release that they form.

        Classes that fail are removed. Where a promise compares a class with the whole release, or missing values match
        everything, that may make other classes fail. So it is repeated until no class fails.

        Args:
            groups: All classes of the table.
            recoding: What each is published as; used only if missing values match everything.
            models: The promises, if not all of them.
            most: How many records may be in classes that fail: if there are more, no others are looked for.
        """
        models = self.models if models is None else models
        kept = np.ones(groups.n_classes, dtype=np.bool_)
        again = self.wildcard or any(model.relative for model in models)
        while True:
            fails = ~self._passing(groups, recoding, kept, models)
            kept[np.flatnonzero(kept)[fails]] = False
            if not again or not fails.any() or not kept.any():
                return kept
            if most is not None and int(groups.sizes[~kept].sum()) > most:
                return kept

    @property
    def selects(self) -> bool:
        """Whether it is a choice which classes of a table are released; else all are that keep the promises.

        It is one where a verdict on a class depends on what else is released, or on what is suppressed; see
        `search.lattice.selection`. Where single records are suppressed, each class loses as few as it must.
        """
        if self.limit == 0 or self.by_record:
            return False
        beside = any(model.relative for model in self.models)
        overlapping = self.wildcard and len(self.prunable) < len(self.models)
        return self.stars or beside or overlapping or not self.measure.monotone

    def passing(
        self, groups: Grouping, recoding: Recoding | None, kept: NDArray[np.bool_] | None = None
    ) -> NDArray[np.bool_]:
        """Return which classes keep all promises if all of them, or exactly those that are `kept`, are released."""
        kept = np.ones(groups.n_classes, dtype=np.bool_) if kept is None else kept
        return self._passing(groups, recoding, kept, self.models)

    def _passing(
        self, groups: Grouping, recoding: Recoding | None, kept: NDArray[np.bool_], models: tuple[PrivacyModel, ...]
    ) -> NDArray[np.bool_]:
        if not kept.all():
            groups = groups.only(kept)
            groups = groups if self.stars else groups.own_totals()
        if self.wildcard and recoding is not None:
            groups = neighbourhoods(groups, recoding.cells[kept], recoding.missing_cells())
        return holding(models, groups)

    def keeps(self, groups: Grouping, recoding: Recoding, released: NDArray[np.bool_]) -> bool:
        """Return whether exactly these classes may be released: all keep every promise, and so do stars of the rest."""
        passing = self._passing(groups, recoding, released, self.models)
        return bool(passing.all()) and self.feasible(groups, recoding, released)

    def forfeits(
        self,
        groups: Grouping,
        recoding: Recoding | None,
        released: NDArray[np.bool_] | None = None,
        share: Fraction | None = None,
    ) -> NDArray[np.int64]:
        """Return how many records of each class every refinement of these classes suppresses, at least.

        Each promise gives a lower bound, and the largest counts. What is left of a class is released in parts of at
        least k records; if fewer are left, all are suppressed. Where missing values match everything, the classes
        overlap, and only the promises that are monotone with suppression say something. If all promises are, the bound
        is what is not released.

        Args:
            groups: The classes.
            recoding: What they are published as; used only if missing values match everything.
            released: What `released` returns, if that is known.
            share: The share of the records of these classes that may be suppressed, if it is not that of the problem.
        """
        if len(self.prunable) == len(self.models):
            return np.where(self.released(groups, recoding) if released is None else released, 0, groups.sizes)
        if self.wildcard:
            return np.where(self.released(groups, recoding, self.prunable), 0, groups.sizes)
        share = Fraction(0) if self.stars else self.max_suppressed if share is None else share
        lost = np.zeros(groups.n_classes, dtype=np.int64)
        for model in self.models:
            lost = np.maximum(lost, model.forfeits(groups, share))
        k = max((model.k for model in self.models if isinstance(model, KAnonymity)), default=1)
        return np.where(groups.sizes - lost < k, groups.sizes, lost)

    def fewest_lost(self, groups: Grouping, lost: NDArray[np.int64]) -> int:
        """Return how many records every refinement of these classes suppresses in all, at least.

        Args:
            groups: The classes.
            lost: What each class loses at least (see `forfeits`).
        """
        together = () if self.stars or self.wildcard else self.models
        told = [model.fewest_lost(groups.sizes) for model in together if isinstance(model, TableModel)]
        return max([int(lost.sum()), *told])

    def feasible(self, groups: Grouping, recoding: Recoding | None, released: NDArray[np.bool_]) -> bool:
        """Return whether releasing these classes and suppressing the others is allowed."""
        if released.all():
            return groups.n_classes > 0
        if not released.any() or int(groups.sizes[~released].sum()) > self.limit:
            return False
        return not self.stars or self._stars_pass(groups, recoding, released)

    def _stars_pass(self, groups: Grouping, recoding: Recoding | None, released: NDArray[np.bool_]) -> bool:
        """Return whether the released classes and the class of the stars keep all promises together."""
        n_released = int(released.sum())
        target = np.where(released, np.cumsum(released) - 1, n_released).astype(np.int32)
        together = groups.merged(target, n_released + 1)
        if self.wildcard and recoding is not None:
            cells = np.vstack([recoding.cells[released], recoding.star_cells()])
            together = neighbourhoods(together, cells, recoding.missing_cells())
        return bool(holding(self.models, together).all())


@dataclass(frozen=True, slots=True, eq=False)
class Witness:
    """Charges that prove a lower bound: no class is charged more than it costs.

    Args:
        own: What a record of each point is charged, in units.
        unit: A unit is 2 ** -unit of the measure's.
        column: The number of the sensitive column, if the shares of its values have caps.
        total: What all records are charged together, with what the measure charges whatever is released.
    """

    own: NDArray[np.int64]
    unit: int
    column: int | None
    total: float


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The classes that an algorithm found, what they are published as, and what is known about their loss.

    Args:
        parts: The records of each class; those in none are suppressed.
        groups: The released classes.
        recoding: What each released class is published as.
        suppressed: The number of suppressed records.
        loss: The loss by the problem's measure.
        bound: A proven lower bound on the loss of every allowed release of the algorithm's kind, if known.
        guarantee: `optimal`, `factor` (at most `factor` times the optimum) or `none`.
        factor: The proven factor.
        levels: For a full-domain release, the level of each column.
        nodes_checked: How many candidates were evaluated.
        minimal: All minimal generalizations, where the algorithm finds them.
        remark: What the user should know, in one line.
        alike: Whether equal values of a column are published alike in all classes, at whatever level.
        one_level: Whether each cell is a node of the one level of its column, or a star.
        spread: For clusters, how far the records of each released class are from its centre.
        witness: Charges that prove the bound, or one below it.
    """

    parts: Parts
    groups: Grouping
    recoding: Recoding
    suppressed: int
    loss: Loss
    bound: float | None = None
    guarantee: Guarantee = "none"
    factor: float | None = None
    levels: Mapping[str, int] = field(default_factory=dict)
    nodes_checked: int = 0
    minimal: tuple[Mapping[str, int], ...] = ()
    remark: str = ""
    alike: bool = False
    one_level: bool = False
    spread: Spread | None = None
    witness: Witness | None = None


def with_suppressed(tally: Tally, parts: Parts, recoding: Recoding) -> tuple[Grouping, Recoding, NDArray[np.bool_]]:
    """Return the classes with the suppressed records, if any, as a last class that is not released."""
    n_classes = recoding.n_classes
    lost = bool((parts.classes < 0).any())
    labels = np.where(parts.classes < 0, n_classes, parts.classes).astype(np.int32)
    groups = Grouping.of_parts(tally, replace(parts, classes=labels), n_classes + int(lost))
    if lost:
        recoding = replace(recoding, cells=np.vstack([recoding.cells, recoding.cells[:1]]))
    return groups, recoding, np.arange(groups.n_classes) < n_classes
