"""Continuing: the next release of a series, in a straight line."""

from dataclasses import replace
from typing import Any

import numpy as np

from shoal.actions.continuing.drawing import SeriesTable, companions_drawn, invariant_drawn
from shoal.actions.continuing.earlier import EarlierRelease
from shoal.actions.continuing.history import KnownRecords, empty_state
from shoal.actions.continuing.persons import SeriesPersons, forgotten
from shoal.actions.continuing.publishing import published_classes
from shoal.foundation.errors import InfeasibleError
from shoal.foundation.progress import Progress, silent
from shoal.foundation.wording import number_of
from shoal.jobs.job import Job
from shoal.jobs.series_request import SeriesRequest
from shoal.kernels.clock import clock
from shoal.releases.proof import prove
from shoal.releases.release import Release
from shoal.releases.series.continuation import Continuation
from shoal.tables.table import Role


def continued(job: Job, asked: SeriesRequest, data: Any = None, progress: Progress = silent) -> Release:
    """Read a table and the state before, place everybody, publish, prove, and keep the state for the next release.

    Args:
        job: The request.
        asked: What it asks of the series.
        data: A frame, if the table is not in the job's file.
        progress: Called with the step and the share of it that is done.
    """
    progress("reading the release before")
    earlier = EarlierRelease.of(job, asked)
    progress("reading the table")
    persons = SeriesPersons.of(job, asked, data, progress)
    source, columns = persons.source, persons.source.job.names(Role.SENSITIVE)
    before = empty_state(asked.promise, source.table.names(Role.QUASI)) if earlier is None else earlier.state
    persons.check_key(before)
    gone = forgotten(asked, job.folder, persons.key)
    known = KnownRecords.of(before, persons.pseudonyms, persons.marks(columns), gone)
    rng, started = np.random.default_rng(source.job.search.seed), clock()
    progress("counting the records")
    table = SeriesTable.of(source, columns)
    if asked.promise == "m-invariance":
        drawn, signatures = invariant_drawn(table, asked, known, rng, progress)
    else:
        drawn, signatures = companions_drawn(table, asked, known, rng, progress), ()
    progress("publishing the release")
    made = published_classes(source, columns, drawn, asked.promise, rng, clock() - started)
    bound, left_out = (known.held >= 0) | known.barred, made.label < 0
    _check_limit(job, len(left_out), int(left_out.sum()))
    state = replace(
        known.after(np.append(made.owned, -1)[made.label], made.label),
        signatures=signatures,
        owned=made.owned,
        columns=made.columns,
        cells=made.cells,
        fakes=made.fakes,
        key=persons.key_mark,
    )
    withheld, waiting = int((bound & left_out).sum()), int((~bound & left_out).sum())
    links = () if earlier is None else earlier.links
    series = Continuation.of(asked, job.require, columns, (state, before), links, (withheld, waiting))
    run = replace(made.run, series=series)
    return Release(prove(run, progress), run)


def _check_limit(job: Job, n_records: int, left_out: int) -> None:
    """Raise an InfeasibleError if more persons wait or are withheld than may be."""
    limit = int(job.search.max_suppressed * n_records)
    if left_out > limit:
        raise InfeasibleError(
            f"{number_of(left_out, 'person')} of {n_records} would not be published, since they wait for "
            f"others or are withheld, and at most {limit} may be suppressed. Allow more (--max-suppressed "
            f"{left_out / n_records + 0.0005:.3f}), or weaken the promise of the series."
        )
