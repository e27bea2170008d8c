"""The main job, in a straight line. The file to read first."""

from fractions import Fraction
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.certificate import Evidence
from shoal.classes.tally import Tally
from shoal.clusters.centre_distances import CentreDistances
from shoal.foundation.progress import Progress, silent
from shoal.jobs.job import Job
from shoal.jobs.source import Source, metric_of, population_cells, read
from shoal.releases.gathered import Gathered
from shoal.releases.release import Release
from shoal.search.algorithms import auto
from shoal.search.engines.local import Counted, assigned, count, publish, publish_clusters
from shoal.search.problem import Problem, Solution
from shoal.tables.table import Role

_CLUSTERS = 1  # names the order of the clusters among what the seed draws


def run(job: Job, data: Any = None, progress: Progress = silent) -> Release:
    """Read, count, solve, publish. Each line hands one noun to the next.

    Args:
        job: The request.
        data: A frame of polars, pandas or pyarrow, if the table does not come from the job's file.
        progress: Where to tell how far the run is.
    """
    progress("reading the table")
    source = read(job, data)
    progress("counting the records")
    return release_of(source, counted_of(source), progress)


def counted_of(source: Source) -> Counted:
    """Return the tally of a table, by the columns that its job looks at."""
    return count(source.table, source.hierarchies, source.weights, source.job.watched(), source.populations)


def release_of(source: Source, counted: Counted, progress: Progress = silent) -> Release:
    """Solve and publish what is asked of a table that is read and counted."""
    job = source.job
    problem = problem_of(job, counted.tally)
    started = perf_counter()
    name, reason, solution = _solved(job, problem, progress)
    seconds = perf_counter() - started
    progress("publishing the release")
    shuffled, rng = job.release.order == "random", np.random.default_rng(job.search.seed)
    classes = assigned(source.table, counted, solution, rng)
    frame = publish(source.table, counted, solution, stars=problem.stars, shuffled=shuffled, rng=rng, classes=classes)
    gathered = gathered_of(source, problem, solution, classes)
    evidence = evidence_of(source, solution, frame)
    remark = "; ".join(part for part in (reason, solution.remark) if part)
    return Release(
        frame,
        job,
        evidence,
        solution,
        source.n_input,
        name,
        remark,
        seconds,
        source.delimiter,
        source.kind,
        gathered,
        source.codebook,
        source.reasons,
        raw=source.table,
    )


def _solved(job: Job, problem: Problem, progress: Progress) -> tuple[str, str, Solution]:
    """Return the name of the algorithm, why it was taken, if nobody asked for it, and what it found."""
    if job.search.algorithm is not None:
        return job.search.algorithm.name, "", job.search.algorithm.solve(problem, progress)
    choice, solution = auto.solved(problem, progress)
    return choice.algorithm.name, choice.reason, solution


def problem_of(job: Job, tally: Tally) -> Problem:
    """Return what is asked of the algorithm."""
    return Problem(
        tally=tally,
        models=tuple(model for promise in job.require for model in promise.counted()),
        measure=job.search.measure,
        max_suppressed=Fraction(job.search.max_suppressed),
        stars=job.release.suppressed == "star",
        wildcard=job.input.missing == "wildcard",
        time_limit=job.search.time_limit,
        seed=job.search.seed or 0,
        metric=metric_of(job, tally),
    )


def gathered_of(source: Source, problem: Problem, solution: Solution, classes: NDArray[np.int32]) -> Gathered | None:
    """Return the clusters of a solution as they are released, if it has some.

    Their order is drawn apart from that of the records, which so stays the same whatever is asked for.
    """
    if solution.spread is None or problem.metric is None:
        return None
    asked = source.job.release
    radius, values = asked.radius or "own", asked.values or "multiset"
    rng = np.random.default_rng([source.job.search.seed or 0, _CLUSTERS])
    frame, order = publish_clusters(source.table, solution, classes, radius=radius, values=values, rng=rng)
    row_of = np.append(np.argsort(order), -1)  # those in no class, which is -1, are in no row
    distances = CentreDistances.of(problem.metric, source.table, row_of[classes])
    centres = str(getattr(source.job.search.algorithm, "centres", "anywhere"))
    return Gathered(frame, distances, solution.spread, asked.shape or "both", radius, values, centres)


def evidence_of(source: Source, solution: Solution, frame: pl.DataFrame) -> Evidence:
    """Return what the certificate needs to know beside the released file.

    Hierarchies to measure along are built over what is released, as `verify` does, which knows no more.
    """
    over = {name: source.job.hierarchy_over(frame[name], name) for name in source.job.watched()}
    columns = solution.recoding.columns
    levels = [solution.levels[column.name] for column in columns] if source.populations else []
    return Evidence(
        quasi=tuple(column.name for column in columns),
        sensitive=source.job.watched(),
        wildcard=source.job.input.missing == "wildcard",
        hierarchies={name: hierarchy for name, hierarchy in over.items() if hierarchy is not None},
        populations={name: population_cells(table, columns, levels) for name, table in source.populations.items()},
        held=() if source.job.objective is None else source.table.names(Role.SENSITIVE),
        values=source.job.release.values or "multiset",
    )
