"""Utility: what a release is still good for, beside the table that it was made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.actions.anonymize import run
from shoal.actions.attack import roles_of
from shoal.actions.pairing.table_pair import TablePair
from shoal.audits.utility import FIGURES, LEARNERS, learners
from shoal.audits.utility.associations import Association, associations
from shoal.audits.utility.classification import ClassifierScores, ClassifierTask, RowNumbers, sampled
from shoal.audits.utility.losses import column_loss
from shoal.audits.utility.marginals import Marginal, marginal
from shoal.audits.utility.propensity import MODELS, Propensity, propensities
from shoal.audits.utility.scales import Scale
from shoal.audits.utility.utility import Utility
from shoal.clusters.cluster_table import ClusterTable
from shoal.foundation.errors import SpecError
from shoal.foundation.given import checked
from shoal.foundation.progress import Progress, silent
from shoal.foundation.shelf import did_you_mean
from shoal.jobs.delivery import Delivery
from shoal.jobs.given_table import frame_or_location
from shoal.jobs.job import Job
from shoal.jobs.release_folder import ReleaseFolder
from shoal.measures import MEASURES
from shoal.measures.lm import Lm
from shoal.measures.measure import CellMeasure
from shoal.releases.release import Release
from shoal.releases.release_view import ReleaseView, is_applied, job_of, made_here
from shoal.tables.dependence import says_the_same
from shoal.tables.rows import Rows
from shoal.tables.table import Role, Table

_NAMED = 5  # records that must hold a value for it to be named, where no k is promised
_PAIRED = 20  # columns that are compared in pairs, at most
_TARGETS = 3  # sensitive columns that are told by a classifier where none is named
_FEWEST = 20  # records of each table below which no model is fitted
_UNWEIGHTED = (
    "Who has a table without its weights cannot go by them: give the column the role 'insensitive' in the job, so that "
    "it leaves, or leave 'weights' out, so that every record counts once."
)
_SPLIT = "the job is run again on some of its single records (split)"
_MOST_FOLDS = 1_000
_MOST_SEED = 2**32 - 1  # of the learners
_ALL = "without a limit models are fitted on all of its single records (sample = 0)"


@checked
def utility(
    release: Any,
    *,
    raw: Any = None,
    quasi: Sequence[str] | Mapping[str, Any] = (),
    sensitive: Sequence[str] | Mapping[str, Any] = (),
    figures: Sequence[str] | str | None = None,
    target: Sequence[str] | str | None = None,
    learner: Sequence[str] | str = ("logistic", "tree"),
    measure: str | None = None,
    weights: str | None = None,
    split: bool = False,
    folds: int = 5,
    sample: int = 20_000,
    named_from: int | None = None,
    seed: int = 0,
    delimiter: str | None = None,
    progress: Progress = silent,
) -> Utility:
    """Measure how useful a release still is, compared with the table that it was made from.

    Args:
        release: A release of shoal, in memory or its folder; or any table, with `quasi`.
        raw: The table that it was made from; by default that of its job, or what `anonymize` was given.
        quasi: The generalized columns of a table made with another tool; a mapping gives their hierarchies.
        sensitive: The sensitive columns of such a table.
        figures: What to measure: `columns`, `pairs`, `propensity`, `classification`; by default all.
        target: The columns that classifiers predict; by default up to three sensitive ones.
        learner: Classifiers: `logistic`, `tree`, `forest`.
        measure: The measure of the loss of each column; by default that of the release's job, or `lm`.
        weights: The column of sampling weights, if the release contains it: distributions, means, correlations and the
            loss of columns are then weighted. By default that of the release's job.
        split: Whether the job is run again on the training records of each fold, so that no tested record is in the
            release that a classifier is trained on. For releases of shoal.
        folds: The number of folds.
        sample: The most records of each table that a model is fitted on; 0 means no limit.
        named_from: A value is named only if at least this many raw records hold it; by default the promised k, or 5.
        seed: The seed of samples and folds.
        delimiter: The field separator of CSV files; detected by default.
        progress: Called with the current step and the share of it that is done.
    """
    roles = roles_of(quasi, sensitive)
    if roles is not None and made_here(release):
        raise SpecError(
            "A release of shoal defines the roles of its columns: leave out quasi and sensitive, which are "
            "for other tables."
        )
    job = job_of(release)
    if job is not None and job.release.shape == "clusters":
        view = _clusters(release, job)
    else:
        view = ReleaseView.of(release, roles, delimiter)
    chosen, named = _chosen(figures, FIGURES, "figure"), _NAMED if job is None else view.k
    modelled = not chosen or bool({"propensity", "classification"} & set(chosen))
    single = _SPLIT if split else _ALL if modelled and not sample else None
    least, given = named if named_from is None else named_from, frame_or_location(raw, delimiter)
    weighing = weights or (None if job is None else job.search.sampling_weights)
    weighed = weighing if weighing in view.columns else None
    if weights is not None and weighed is None:
        raise SpecError(f"The release has no column '{weights}' of sampling weights. {_UNWEIGHTED}")
    comparison = _Comparison(
        pair=TablePair(view, view.raw if raw is None else given, least, sample, single, seed, progress, weighed),
        view=view,
        job=job,
        figures=chosen,
        targets=_listed(target),
        learners=_chosen(learner, LEARNERS, "learner"),
        measure=_measure(measure, job),
        split=split,
        folds=folds,
        sample=sample,
        least=least,
        seed=seed,
        progress=progress,
        applied=split and job is not None and is_applied(release),
        withheld=weighing if weighed is None else None,
    )
    return comparison.run()


@dataclass(frozen=True, eq=False)
class _Comparison:
    """A release and its raw table, and what is to be measured; the fields are as for `utility`."""

    pair: TablePair
    view: ReleaseView
    job: Job | None
    figures: tuple[str, ...]
    targets: tuple[str, ...]
    learners: tuple[str, ...]
    measure: CellMeasure
    split: bool
    folds: int
    sample: int
    least: int
    seed: int
    progress: Progress
    applied: bool
    withheld: str | None

    def run(self) -> Utility:
        """Measure one thing after the other."""
        self._check()
        not_run: dict[str, str] = {}
        notes: list[str] = []
        columns = self._marginals(notes) if self._wanted("columns") else ()
        pairs = self._pairs(notes) if self._wanted("pairs") else ()
        with learners.one_thread():
            scores = self._propensity(not_run, notes) if self._wanted("propensity") else ()
            classified = self._classification(not_run, notes) if self._wanted("classification") else ()
        return Utility(
            records=self.pair.records,
            named_from=self.least,
            columns=columns,
            pairs=pairs,
            propensity=scores,
            classification=classified,
            not_run=not_run,
            notes=(*self._known, *notes),
        )

    def _wanted(self, figure: str) -> bool:
        return not self.figures or figure in self.figures

    def _check(self) -> None:
        if self.pair.raw is None:
            raise SpecError("A release is compared with its raw table, which is not available. Give it (--raw).")
        if self.split and (self.job is None or self.applied):
            raise SpecError(
                "To repeat the release on training records, its job is needed: give a release of shoal that was "
                "not made by rules."
            )
        for name, number, least, most in (
            ("folds", self.folds, 2, _MOST_FOLDS),
            ("sample", self.sample, 0, inf),
            ("named_from", self.least, 1, inf),
            ("seed", self.seed, 0, _MOST_SEED),
        ):
            if number < least:
                raise SpecError(f"'{name}' is {number}: at least {least} is needed.")
            if number > most:
                raise SpecError(f"'{name}' is {number}: at most {most} is allowed.")
        if self.targets or "classification" in self.figures or self.split:
            learners.demand()
        self.pair.check()
        for name in self.targets:
            if name not in self.pair.names:
                raise SpecError(f"No column '{name}' is in both tables. {did_you_mean(name, self.pair.names)}")

    @property
    def _known(self) -> list[str]:
        """What one must know of the tables."""
        notes = []
        alone = [name for name in self.view.columns if name not in self.pair.names]
        if alone:
            notes.append(f"not in the raw table, and so not compared: {', '.join(alone)}")
        if self.pair.weights is not None:
            notes.append(
                f"distributions, means, correlations and the loss of columns go by the sampling weights in "
                f"'{self.pair.weights}'; numbers of records, propensity and classification do not"
            )
        if self.withheld is not None:
            notes.append(f"the sampling weights in '{self.withheld}' did not leave, so every record counts once")
        if self.pair.centres:
            notes.append("the release publishes centres of clusters: what these lost stands in its certificate")
        if self.pair.records[1] > self.pair.records[0]:
            notes.append("the release has more records than the raw table")
        return notes

    def _marginals(self, notes: list[str]) -> tuple[Marginal, ...]:
        found = []
        for scale in self.pair.scales:
            name = scale.reading.name
            quasi = name in self.view.quasi
            loss = None if quasi and self.pair.centres else column_loss(scale.reading, self.measure, self.view.folder)
            found.append(marginal(scale, self.pair.role(name), loss, self.least))
        strange = [f"{one.name} ({one.strange})" for one in found if one.strange]
        if strange:
            notes.append(f"cells that are no value of the raw table and stand for none: {', '.join(strange)}")
        return tuple(found)

    def _pairs(self, notes: list[str]) -> tuple[Association, ...]:
        order = list(Role)[1:]
        ranked = sorted(self.pair.scales, key=lambda scale: order.index(self.pair.role(scale.reading.name)))
        if len(ranked) > _PAIRED:
            notes.append(f"pairs are those of {_PAIRED} columns of {len(ranked)}: first quasi, then sensitive ones")
        return associations(ranked[:_PAIRED], self.progress)

    def _propensity(self, not_run: dict[str, str], notes: list[str]) -> tuple[Propensity, ...]:
        told = [scale for scale in self.pair.drawn if scale.after[: scale.n_value_bins].any()]
        if min(self.pair.records) < _FEWEST or not told:
            few = f"each table needs {_FEWEST} records or more"
            not_run["propensity"] = few if told else "every column is suppressed in every record"
            return ()
        models = list(MODELS)
        if not learners.installed():
            models.remove("cart")
            not_run["propensity (cart)"] = "needs scikit-learn: pip install 'shoal[learn]'"
        rng = np.random.default_rng(self.seed)
        reading = told[0].reading
        rows = tuple(sampled(np.arange(len(one.codes)), self.sample, rng) for one in (reading.raw, reading.shown))
        if self.sample and max(self.pair.records) > self.sample:
            notes.append(
                f"propensity: of each table at most {self.sample} records, drawn by chance {self.pair.sampling}"
            )
        silent_ones = [scale.reading.name for scale in self.pair.drawn if scale not in told]
        if silent_ones:
            notes.append(f"propensity: without what is suppressed in every record: {', '.join(silent_ones)}")
        return propensities(told, models, (rows[0], rows[1]), rng, self.progress)

    def _classification(self, not_run: dict[str, str], notes: list[str]) -> tuple[ClassifierScores, ...]:
        if not self._classifies(not_run):
            return ()
        found = []
        for name in self._told:
            kept = self._without_copies(name, notes)
            trial = ClassifierTask(
                [self.pair.drawn[one] for one in kept],
                kept.index(self.pair.names.index(name)),
                self.folds,
                self.sample,
                self.seed,
            )
            remake = partial(self._remade, kept=kept) if self.split else None
            reason = self._too_few(trial) if len(kept) > 1 else "all other columns say the same in other words"
            if reason is not None:
                not_run[f"classification ({name})"] = reason
                continue
            for learner in self.learners:
                self.progress(f"training classifiers ({name}, {learner})")
                found.append(trial.classify(learner, remake))
        if found:
            notes.append(
                "classification: the release was made anew of the training records of each fold"
                if self.split
                else "classification: the persons who are tested are in the release too; compare with 'raw, seen'"
            )
        if found and self.sample and self.pair.records[0] > self.sample:
            notes.append(
                f"classification: at most {self.sample} records are trained on, drawn by chance, and tested, "
                f"{self.pair.sampling}"
            )
        return tuple(found)

    @property
    def _told(self) -> tuple[str, ...]:
        """The columns to tell."""
        return self.targets or tuple(name for name in self.view.sensitive if name in self.pair.names)[:_TARGETS]

    def _classifies(self, not_run: dict[str, str]) -> bool:
        """Tell whether there is something to classify, or why not."""
        reason = None
        if not self._told:
            reason = "no column to tell is named (--target), and none is sensitive"
        elif not learners.installed():
            reason = "needs scikit-learn: pip install 'shoal[learn]'"
        elif len(self.pair.names) < 2:
            reason = "there is no other column to tell it from"
        if reason is not None:
            not_run["classification"] = reason
        return reason is None

    def _too_few(self, trial: ClassifierTask) -> str | None:
        """Say why a column cannot be told."""
        scale = trial.scales[trial.target]
        if np.count_nonzero(scale.before[: scale.n_value_bins]) < 2:
            return "it has not two values or bins that enough records hold"
        told = min(scale.before[: scale.n_value_bins].sum(), scale.after[: scale.n_value_bins].sum())
        return f"fewer than {_FEWEST} records tell it" if told < _FEWEST else None

    def _without_copies(self, name: str, notes: list[str]) -> list[int]:
        """Return the columns to tell a column from, and itself: a copy of it would tell it in any table."""
        codes = [scale.reading.raw.codes for scale in self.pair.drawn]
        target = self.pair.names.index(name)
        same = {one for one in range(len(codes)) if one != target and says_the_same(codes[target], codes[one])}
        if same:
            words = ", ".join(self.pair.names[one] for one in sorted(same))
            notes.append(f"classification: '{name}' is not told from what says the same in other words: {words}")
        return [one for one in range(len(codes)) if one not in same]

    def _remade(self, rows: RowNumbers, kept: list[int]) -> list[Scale]:
        """Run the job on some raw records, and return some of the columns."""
        if self.job is None:
            raise SpecError("To repeat the release on training records, its job is needed.")
        again = run(self.job.without_key(), self.pair.whole[rows], self.progress)
        scales = self.pair.compared(Rows.each(again.frame))
        return [scales[one].unweighted() for one in kept]


def _clusters(release: Any, job: Job) -> ReleaseView:
    """Return a release of clusters alone with a row for each record."""
    known_raw: Table | None = None
    if isinstance(release, Release) and release.run.gathered is not None:
        frame, known_raw = release.run.gathered.frame, release.run.raw
    else:
        frame = Delivery(job, ReleaseFolder.of(Path(release)).public).location("clusters").read()
    kind = job.release.values or "multiset"
    quasi = tuple(name for name in frame.columns if name in job.names(Role.QUASI))
    sensitive = tuple(name for name in frame.columns if name in job.names(Role.SENSITIVE))
    table = ClusterTable.of(frame, quasi, sensitive, kind)
    rows = np.repeat(np.arange(len(table)), table.sizes)
    told = sensitive if kind == "multiset" else ()  # a set does not say how many records hold a value
    records = pl.DataFrame([*table.centres[rows], *(table.records(name)[name] for name in told)])
    return ReleaseView(records, tuple(records.columns), quasi, told, {}, job, known_raw=known_raw)


def _measure(name: str | None, job: Job | None) -> CellMeasure:
    """Return a measure that prices the cells of each column: the one that is asked for, that of the job, or lm."""
    if name is None:
        own = None if job is None or job.objective is not None else job.search.measure
        return own if isinstance(own, CellMeasure) else Lm()
    made = MEASURES[name]
    if not issubclass(made, CellMeasure):
        known = ", ".join(one.name for one in MEASURES if issubclass(one, CellMeasure))
        raise SpecError(f"The measure '{name}' does not apply to a single column. Use one of: {known}.")
    return made()


def _listed(names: Sequence[str] | str | None) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names or ())


def _chosen(names: Sequence[str] | str | None, known: Sequence[str], what: str) -> tuple[str, ...]:
    for name in _listed(names):
        if name not in known:
            raise SpecError(f"Unknown {what} '{name}'. {did_you_mean(name, list(known))}")
    return _listed(names)
