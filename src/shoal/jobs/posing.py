"""Posing: what a job asks of an algorithm."""

from fractions import Fraction

from shoal.classes.sampling_weights import weighed
from shoal.classes.tally import Tally
from shoal.jobs.job import Job
from shoal.jobs.source import metric_of
from shoal.search.problem import Problem


def problem_of(job: Job, tally: Tally) -> Problem:
    """Return what is asked of the algorithm."""
    weights = job.search.sampling_weights
    return Problem(
        tally=tally if weights is None else weighed(tally, weights),
        models=tuple(model for promise in job.require for model in promise.counted()),
        measure=job.search.measure,
        max_suppressed=Fraction(job.search.max_suppressed),
        stars=job.release.suppressed == "star" or any(promise.of_input for promise in job.require),
        wildcard=job.input.missing == "wildcard",
        time_limit=job.search.time_limit,
        seed=job.search.seed or 0,
        metric=metric_of(job, tally),
        by_record=job.search.suppress == "records",
    )
