"""Simulated annealing of a partition: records move and classes change until the loss stops falling."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.classes.records import Records
from shoal.foundation.parallel import THREADS
from shoal.foundation.progress import Progress
from shoal.kernels.clock import clock
from shoal.kernels.local.annealing import MOST_REBUILT, AnnealingWorkspace, anneal_classes
from shoal.kernels.local.classes import GROUP, Classes, total_price
from shoal.kernels.local.closures import Forms
from shoal.kernels.local.greedy_classes import cluster_rest, cluster_seeds, join_rest, split_alike
from shoal.kernels.local.moves import MoveContext
from shoal.kernels.sufficient_tests import SufficientTests
from shoal.search.local.layout import laid_out
from shoal.search.local.states import encoding_of
from shoal.search.neighbours.by_price import neighbours_by_price
from shoal.search.problem import Problem

_NEAR = 40  # nearest neighbours of a point that are candidates
_REST = 6_000  # the last so many records are clustered by comparing all of them
_COLD = 1e-300  # a temperature at which no increase of the loss is accepted
_ROUND = (1_000, 100_000)  # least and largest number of moves of a round, which is else one for each record
_COLD_SHARE = 0.95  # after this share of a phase no increase is accepted
_SMALL = 1.5  # times k: the usual size of a class if only k records are required
_WAITING = 2.0  # times the price of suppression: the price of a record that waits for a class
_FEW = 200  # up to so many classes are one region, searched by one core


Closing = Callable[[NDArray[np.int64]], NDArray[np.int64]]


class Phase(NamedTuple):
    """A part of the work, in which the temperature falls.

    Args:
        begin: The share of all work that is done before.
        end: The share that is done after it.
        first: The first temperature, as a share of the mean loss of a class at the start.
        last: The last temperature, likewise.
    """

    begin: float
    end: float
    first: float
    last: float


_PHASE = (Phase(0.0, 1.0, 0.07, 0.012),)
_PHASES = (Phase(0.0, 0.8, 0.07, 0.012), Phase(0.8, 1.0, 0.016, 0.012))
"""More records are suppressed in the last phase only: at high temperatures too many would be, and would stay so."""


class Annealer:
    """Improves a partition of a problem's records: the loss falls, and every promise is kept.

    Args:
        problem: The problem.
        forms: What a class may be published as, and its price.
        sufficient_tests: Tests that imply the promises beyond the number of records.
        seconds: How long the preparation may take, roughly; no limit if left out.
    """

    def __init__(
        self, problem: Problem, forms: Forms, sufficient_tests: SufficientTests, seconds: float | None = None
    ) -> None:
        self.records = Records.of(problem.tally)
        self.least = problem.k
        self._full, self._times = forms.full, 1.0
        self.limit = self._most = problem.limit if may_suppress(problem) else 0
        self.sufficient_tests = sufficient_tests
        encoding = encoding_of(problem.tally.quasi, forms)
        self.columns, self.states = encoding.columns, encoding.states(self.records.codes)
        self._rng = np.random.default_rng(problem.seed)
        self.near = neighbours_by_price(self.records.codes, forms, _NEAR, self._rng, seconds)

    def clustered(self) -> NDArray[np.int64]:
        """Return classes of at least k records, grown greedily one after another from the outermost records inwards."""
        records, columns, least = self.records, self.columns, self.least
        label = np.full(len(records.point), -1, dtype=np.int64)
        n_classes = split_alike(records.firsts, least, 2 * least, label)
        middle = np.median(records.codes[records.point], axis=0)
        seeds = np.argsort(-np.abs(records.codes - middle).sum(axis=1), kind="stable")
        n_classes = cluster_seeds(columns, self.states, records.firsts, self.near, seeds, least, label, n_classes)
        rest = np.flatnonzero(label < 0)
        while len(rest) > max(_REST, 2 * least):
            label[rest[-least:]], rest = n_classes, rest[:-least]
            n_classes += 1
        n_classes = cluster_rest(columns, self.states, records.point, rest, least, label, n_classes)
        join_rest(columns, self.states, records.point, label, n_classes)
        return label

    def loss(self, label: NDArray[np.int64]) -> float:
        """Return the total price of all records, times their weights; those with the label -1 are suppressed."""
        return total_price(self.classes(label, suppressing=bool((label < 0).any())).groups)

    def prices(self, label: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the price of a record of each class."""
        return np.array(self.classes(label, suppressing=bool((label < 0).any())).groups["price"])

    def improved(
        self,
        label: NDArray[np.int64],
        tries: int,
        seconds: float | None,
        progress: Progress,
        closing: Closing | None = None,
    ) -> NDArray[np.int64]:
        """Return the best classes seen while the temperature falls; never worse than the given ones.

        Args:
            label: The class of each record, or -1 if it is suppressed.
            tries: How many moves to try.
            seconds: How long to try instead; the answer then depends on the speed of the machine.
            progress: Called with the share of the work that is done.
            closing: Makes classes that are allowed of those that are found first. Then records with the label -1 need
                not be suppressed: they wait for a class, at a multiple of the price, and no more than at first.
        """
        rounds = -(-tries // self._tries(len(label)))
        unit = self._unit(self.classes(label, suppressing=bool((label < 0).any())))
        phases = _PHASES if self.limit > 0 else _PHASE
        for phase in phases:
            part = phase.end - phase.begin
            most = ceil(rounds * (part / phases[0].end))
            shares = _shares(most, None if seconds is None else seconds * part)
            waiting = closing is not None and phase.begin == 0
            self._times = _WAITING if waiting else 1.0
            label = self._cooled(label, phase, unit, shares, progress)
            self._times = 1.0
            if closing is not None and waiting:
                label = closing(label)
        return label

    def _cooled(
        self, label: NDArray[np.int64], phase: Phase, unit: float, shares: Iterable[float], progress: Progress
    ) -> NDArray[np.int64]:
        self._most = self.limit if phase.begin > 0 else int((label < 0).sum())
        classes = self.classes(label, suppressing=self._most > 0)
        setting = self.setting(classes)
        floor = float((classes.records["alone"] * classes.records["weight"]).sum())
        best, best_loss = label, total_price(classes.groups)
        for share in shares:
            if best_loss <= floor:
                break
            temperature = unit * phase.first * (phase.last / phase.first) ** (share / _COLD_SHARE)
            self.round(classes, setting, temperature if share <= _COLD_SHARE else _COLD)
            progress("improving the classes", phase.begin + share * (phase.end - phase.begin))
            loss = total_price(classes.groups)
            if loss < best_loss:
                best, best_loss = self.label(classes), loss
        return best

    def _unit(self, classes: Classes) -> float:
        """Return the mean loss of the classes that lose more than their values alone: the unit of temperatures.

        Where promises keep classes large, it is scaled to the size of a small class, since a move changes one record.
        """
        groups, records = classes.groups, classes.records
        own = records["alone"] * records["weight"]
        alone = np.bincount(records["label"], weights=own, minlength=len(groups))
        lost = np.where(groups["least"] > 0, groups["weight"] * groups["price"] - alone, 0.0)
        if not (lost > 0).any():
            return _COLD
        large = float(groups["size"][lost > 0].mean()) / (_SMALL * self.least)
        return max(float(lost[lost > 0].mean()) / (max(large, 1.0) if len(self.sufficient_tests.tests) else 1.0), _COLD)

    def round(self, classes: Classes, setting: MoveContext, temperature: float) -> float:
        """Try moves in all regions at the same time; return the change of the loss."""
        setting.region[:] = self._regions(classes)
        self.share_out(classes, setting)
        workspaces = self.workspaces(classes, setting.opening)
        columns, sufficient_tests = self.columns, self.sufficient_tests

        def search(region: int) -> float:
            inside = np.flatnonzero(setting.region == region)
            tries = self._tries(len(setting.region)) * len(inside) // len(setting.region)
            return anneal_classes(
                columns, classes, setting, sufficient_tests, workspaces[region], inside, tries, temperature, region
            )

        with ThreadPoolExecutor(THREADS) as pool:
            return sum(pool.map(search, range(THREADS)))

    @staticmethod
    def _tries(n_records: int) -> int:
        """Return how many moves are tried in a round."""
        return min(max(n_records, _ROUND[0]), _ROUND[1])

    def _regions(self, classes: Classes) -> NDArray[np.int8]:
        """Return the region of each record; the classes are divided along a random order of the columns and values.

        Few classes are one region.
        """
        codes, groups, label = self.records.codes, classes.groups, classes.records["label"]
        region = np.zeros(len(label), dtype=np.int8)
        filled = np.flatnonzero((groups["size"] > 0) & (groups["least"] > 0))
        if len(filled) <= _FEW:
            return region
        alone = np.flatnonzero(groups["least"][label] == 0)
        begins: NDArray[np.int64] = groups["begin"][filled]
        examples = codes[self.records.point[np.append(classes.members[begins], alone)]]
        keys = []
        for j in self._rng.permutation(codes.shape[1]):
            size = int(codes[:, j].max()) + 1
            turned = (examples[:, j] + self._rng.integers(size)) % size
            keys.append(turned if self._rng.random() < 0.5 else -turned)
        order = np.lexsort(keys[::-1])
        ends = np.cumsum(np.append(groups["size"][filled], np.ones_like(alone))[order])
        part = np.zeros(len(order), dtype=np.int8)
        part[order] = (ends - 1) * THREADS // ends[-1]
        of_class = np.zeros(len(groups), dtype=np.int8)
        of_class[filled] = part[: len(filled)]
        region[:] = of_class[label]
        region[alone] = part[len(filled) :]
        return region

    def share_out(self, classes: Classes, setting: MoveContext) -> None:
        """Give each region its own suppressed records, and its part of how many more are allowed, randomly rounded."""
        if setting.suppressed < 0:
            return
        records, groups = classes.records, classes.groups
        alone = np.flatnonzero(records["label"] >= setting.suppressed)
        n = len(records)
        behind = np.cumsum(np.bincount(setting.region, minlength=THREADS))
        spare = np.diff(((self._most - len(alone)) * behind + self._rng.integers(n)) // n, prepend=0)
        for region in range(THREADS):
            c = setting.suppressed + region
            mine = alone[setting.region[alone] == region]
            slots = groups["begin"][c] + np.arange(len(mine))
            classes.members[slots] = mine
            records["slot"][mine], records["label"][mine] = slots, c
            groups["size"][c], groups["weight"][c] = len(mine), records["weight"][mine].sum()
            groups["capacity"][c] = len(mine) + spare[region]

    def classes(self, label: NDArray[np.int64], *, suppressing: bool = False) -> Classes:
        """Return the arrays of the classes, with free capacity, and with empty classes that may be opened.

        There are half as many empty classes, but not more than could be filled. If records may be suppressed, a class
        of them for each region comes last.
        """
        kept = label >= 0
        sizes = np.bincount(label[kept])
        opening = self._opening(sizes)
        n_empty = min(len(sizes) // 2 + 64, len(label) // opening + THREADS)
        n_classes, n_regions = len(sizes) + n_empty, THREADS if suppressing else 0
        groups = np.zeros(n_classes + n_regions, dtype=GROUP)
        groups["least"][:n_classes] = self.least
        groups["capacity"] = 2 * opening
        groups["capacity"][: len(sizes)] += sizes
        lost = max(self.limit, int((label < 0).sum()))
        groups["capacity"][n_classes:] = lost + 1  # one more while two records are exchanged
        groups["price"][n_classes:] = self._full * self._times
        own = np.where(kept, label, n_classes)
        records = self.records
        return laid_out(self.columns, self.states, records.point, records.profile, own, groups, records.weight)

    def label(self, classes: Classes) -> NDArray[np.int64]:
        """Return the class of each record, or -1 if it is suppressed."""
        label = np.array(classes.records["label"])
        return np.where(classes.groups["least"][label] > 0, label, -1)

    def _opening(self, sizes: NDArray[np.int64]) -> int:
        """Return the size of a new class: k, or, if the promises require more, that of the smallest class."""
        return self.least if len(self.sufficient_tests.tests) == 0 else int(sizes[sizes > 0].min())

    def setting(self, classes: Classes) -> MoveContext:
        """Return the context of the moves, with new random numbers."""
        label = self.label(classes)
        return MoveContext(
            near=self.near,
            firsts=self.records.firsts,
            region=np.zeros(len(label), dtype=np.int8),
            random=self._rng.integers(1, 2**62, (THREADS, 8)).astype(np.uint64),
            opening=self._opening(np.bincount(label[label >= 0])),
            suppressed=len(classes.groups) - THREADS if classes.groups["least"][-1] == 0 else -1,
        )

    def workspaces(self, classes: Classes, opening: int) -> list[AnnealingWorkspace]:
        """Return a workspace for each region, with its part of the empty classes."""
        empty = np.flatnonzero((classes.groups["size"] == 0) & (classes.groups["least"] > 0))
        n_classes = len(classes.groups)
        workspaces = []
        for region in range(THREADS):
            own = empty[region::THREADS]
            free = np.zeros(n_classes + 1, dtype=np.int64)
            free[: len(own)], free[-1] = own, len(own)
            workspaces.append(
                AnnealingWorkspace(
                    moved=np.zeros(((3 * MOST_REBUILT + 2) * opening + 64, 2), dtype=np.int64),
                    found=np.zeros(max(512, 4 * opening), dtype=np.int64),
                    prices=np.zeros(max(512, 4 * opening)),
                    seen=np.zeros(n_classes + 1, dtype=np.int64),
                    free=free,
                    slots=np.zeros(MOST_REBUILT, dtype=np.int64),
                )
            )
        return workspaces


def may_suppress(problem: Problem) -> bool:
    """Return whether suppressing records of one class leaves the tests of all others unchanged."""
    return problem.limit > 0 and not problem.stars and not any(model.relative for model in problem.models)


def _shares(rounds: int, seconds: float | None) -> Iterator[float]:
    """Yield, before each round, the share of the work that will be done after it, up to 1."""
    if seconds is None:
        yield from ((number + 1) / rounds for number in range(rounds))
        return
    started = now = clock()
    longest = 0.0
    while now + longest < started + seconds:
        yield min((now + longest - started) / seconds, 1.0)
        longest = max(longest, clock() - now)
        now = clock()
