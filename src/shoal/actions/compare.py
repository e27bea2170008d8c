"""Trial: tries the settings of a grid on one table, one after the other; the table is read once.

One after the other, since the searches use both cores themselves, and since two at once would take from each other the
seconds that are compared, and what a time limit lets them find.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from shoal.actions.anonymize import counted_of, release_of
from shoal.actions.comparison.common_loss import CommonLoss
from shoal.actions.comparison.comparison import Comparison
from shoal.actions.comparison.offers import with_offers
from shoal.actions.comparison.outcomes import Figures, SettingOutcome
from shoal.actions.comparison.settings import Grid, GridEntry, Setting, grid_entries
from shoal.audits.risk.thresholds import k_for
from shoal.certificate import examine_rows
from shoal.classes.observed import Observed
from shoal.foundation.errors import ShoalError, SpecError
from shoal.foundation.exact import fraction
from shoal.foundation.given import checked
from shoal.foundation.progress import Progress, silent
from shoal.jobs.arguments import frame_of, promises_of, read_argument, request, takes_a_request
from shoal.jobs.changes import CLUSTER_KEYS, has_objective
from shoal.jobs.job import Job, least_size
from shoal.jobs.people.households import members_of, with_members
from shoal.jobs.source import Source, again, read
from shoal.kernels.clock import clock
from shoal.models.model import PrivacyModel
from shoal.releases.release import Release
from shoal.releases.run import Run
from shoal.search.engines import Counted
from shoal.tables.table import Role

THRESHOLD = Fraction("0.09")
"""The risk that is often asked of data about health: at least twelve like each record."""

_AXES = ("k", "r", "algorithm", "measure", "max_suppressed")


@checked
@takes_a_request
def compare(data: Any, *, threshold: Any = THRESHOLD, progress: Progress = silent, **given: Any) -> Comparison:
    """Try several settings on one table; show the loss and risk of each, and which ones no other dominates.

    Args:
        data: A frame of polars, pandas or pyarrow, or the path of a file.
        threshold: Records with a higher risk than this are counted.
        progress: Called with the current step and the share of the whole that is done.
        given: The parameters of `anonymize`. `k`, `algorithm`, `measure` and `max_suppressed` may be lists; each value
            is tried with all others. Several promises with the same model and column (`require`) are alternatives.
            Losses are compared by the first measure. Without any list: k is 2, 5, 10 and 50, with optimal, mondrian and
            tightest.
    """
    axes = {name: [read_argument(name, one) for one in _listed(given.pop(name, None))] for name in _AXES}
    required = given.pop("require", None)
    if axes["k"] and axes["r"] and axes["k"] != axes["r"]:
        least_size(axes["k"][0], axes["r"][0])
    chosen = grid_entries(
        ks=axes["k"] or axes["r"],
        algorithms=axes["algorithm"],
        measures=axes["measure"],
        limits=axes["max_suppressed"],
        promises=() if required is None else promises_of(read_argument("require", required)),
    )

    def make(choice: GridEntry) -> Job:
        unused = () if has_objective(choice.algorithm) else CLUSTER_KEYS
        fixed = {key: value for key, value in given.items() if key not in unused}
        own = {"k": choice.k, "algorithm": choice.algorithm, "measure": choice.measure}
        own["max_suppressed"] = choice.max_suppressed
        picked = {key: value for key, value in own.items() if value is not None}
        return request(data, **fixed, **picked, require=choice.promises)

    trial = Trials(Grid.of(chosen, make), limit_of(threshold), frame_of(data))
    return trial.comparison(list(trial.outcomes(progress)))


def _listed(given: Any) -> list[Any]:
    """Read one entry of an axis as a list of one."""
    if given is None:
        return []
    return list(given) if isinstance(given, Iterable) and not isinstance(given, str | Mapping) else [given]


def limit_of(threshold: Any) -> Fraction:
    """Read a threshold of risk as the decimal that was written."""
    limit = fraction(threshold)
    if not isinstance(limit, Fraction) or not 0 < limit <= 1:
        raise SpecError(f"A threshold of risk is above 0 and at most 1, e.g. 0.09 or 1/3, not {threshold}.")
    return limit


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """A grid of settings on one table.

    Args:
        grid: The settings.
        threshold: The risk that records are counted above.
        data: A frame, if the table does not come from the jobs' file.
    """

    grid: Grid
    threshold: Fraction
    data: Any = None

    def outcomes(self, progress: Progress = silent) -> Iterator[SettingOutcome]:
        """Give the outcome of each setting as soon as it is known; one that has no release does not end the rest."""
        progress("reading the table")
        tables = _Tables(read(self.grid.reference, self.data))
        progress("counting the records")
        common_loss = CommonLoss(self.grid.reference.search.measure, tables.of(self.grid.reference)[1])
        whole = _Whole(progress, self.grid.settings)
        for setting in self.grid.settings:
            whole.begin(setting)
            try:
                source, counted = tables.of(setting.job)
                setting = replace(setting, job=source.job)  # noqa: PLW2901  (with what was assumed filled in)
                release = release_of(source, counted, whole)
                yield SettingOutcome(setting, self._figures(release, common_loss.loss(release).share))
            except ShoalError as error:
                yield SettingOutcome.of_error(setting, error)
            whole.end()

    def comparison(self, outcomes: Sequence[SettingOutcome]) -> Comparison:
        """Put some outcomes side by side, each with the best release that meets its setting."""
        seed = outcomes[0].setting.job.search.seed if outcomes else None
        return Comparison(
            with_offers(outcomes, self.grid),
            self.grid.reference.search.measure.name,
            self.threshold,
            seed,
            len(self.grid.settings),
            len(self.grid.promises),
        )

    def _figures(self, release: Release, loss: float) -> Figures:
        certificate, run = release.certificate, release.run
        how, lost, records = certificate["algorithm"], certificate["loss"], certificate["records"]
        dropped = certificate["missing"]["dropped"]
        groups = Observed.of_rows(run.rows, run.evidence.quasi, run.job.names(Role.ENTITY)).groups
        sizes = groups.sizes
        for name in run.job.names(Role.ENTITY):  # then it is persons who are named
            sizes = groups.histogram(name).distinct
        if run.gathered is not None and run.gathered.shape == "clusters":
            sizes = run.gathered.spread.sizes
        return Figures(
            algorithm=how["name"],
            loss=loss,
            lowered=lost["measure"],
            lowered_share=lost["share"],
            lowered_total=lost["total"],
            bound=lost["bound"],
            ratio=lost["ratio"],
            guarantee=how["guarantee"],
            recoding=how["recoding"],
            records=records["input"],
            released=records["released"],
            suppressed=records["suppressed"],
            gone=Fraction(records["suppressed"] - dropped, records["input"] - dropped),
            classes=len(sizes),
            smallest=int(sizes.min()),
            shown=int(sizes.sum()),
            above=int(sizes[sizes < k_for(self.threshold)].sum()),
            kept=_kept(run, self.grid.promises),
            seconds=run.seconds,
            remark=run.remark,
        )


def _kept(run: Run, promises: Sequence[PrivacyModel]) -> frozenset[int]:
    """Return which promises a release keeps, whether they were asked of it or not."""
    if not promises:
        return frozenset()
    names, rows = run.job.names(Role.SENSITIVE), run.rows
    over = {name: run.job.hierarchy_over(rows.frame[name], name) for name in names}
    hierarchies = {name: hierarchy for name, hierarchy in over.items() if hierarchy is not None}
    found = examine_rows(rows, promises, replace(run.evidence, sensitive=names, hierarchies=hierarchies))
    return frozenset(number for number, claim in enumerate(found.claims) if claim.holds)


@dataclass(slots=True, eq=False)
class _Tables:
    """The table of all settings, read once, and counted once for each choice of columns to look at.

    Where centres are published, hierarchies may be chosen otherwise than for cells.
    """

    first: Source
    sources: dict[bool, Source] = field(default_factory=dict)
    counts: dict[tuple[bool, tuple[str, ...]], Counted[Any]] = field(default_factory=dict)

    def of(self, job: Job) -> tuple[Source, Counted[Any]]:
        """Return the table for a request, with what was assumed filled in, and its tally."""
        clusters = job.objective is not None
        if clusters not in self.sources:
            self.sources[clusters] = again(self.first, job)
        shared = self.sources[clusters]
        members = members_of(self.first.job)
        job = job if members is None else with_members(job, members)
        filled = {"columns": shared.job.columns, "input": shared.job.input}
        source = replace(shared, job=job.with_seed(shared.job.search.seed or 0).model_copy(update=filled))
        key = (clusters, job.counted())
        if key not in self.counts:
            self.counts[key] = counted_of(source)
        return source, self.counts[key]


class _Whole:
    """Tells how far one setting is as how far the whole grid is, by the time that settings like it took."""

    def __init__(self, tell: Progress, settings: Sequence[Setting], clock: Callable[[], float] = clock) -> None:
        self._tell, self._settings, self._clock = tell, settings, clock
        self._taken: dict[str, list[float]] = {}
        self._place = -1
        self._started = 0.0
        self._most = 0.0

    def begin(self, setting: Setting) -> None:
        """Begin with the next setting."""
        self._place, self._started = self._place + 1, self._clock()
        self(setting.label)

    def end(self) -> None:
        """Note how long it took."""
        name = self._settings[self._place].algorithm
        self._taken.setdefault(name, []).append(self._clock() - self._started)

    def __call__(self, step: str, share: float | None = None) -> None:
        """Tell the setting, and the share of the whole; that never falls."""
        setting, n = self._settings[self._place], len(self._settings)
        self._most = max(self._most, self._share(share or 0.0))
        self._tell(f"{self._place + 1} of {n}: {setting.label}", self._most)

    def _share(self, own: float) -> float:
        every = [seconds for taken in self._taken.values() for seconds in taken]
        if not every:
            return 0.9 * own / len(self._settings)
        spent = self._clock() - self._started
        now = max(self._expected(self._settings[self._place].algorithm) - spent, 0.0)
        left = now + sum(self._expected(setting.algorithm) for setting in self._settings[self._place + 1 :])
        done = sum(every) + spent
        return done / (done + left) if done + left > 0 else 0.0

    def _expected(self, algorithm: str) -> float:
        """Return the mean of what the algorithm took so far, or of what all did."""
        taken = self._taken.get(algorithm) or [seconds for one in self._taken.values() for seconds in one]
        return sum(taken) / len(taken)
