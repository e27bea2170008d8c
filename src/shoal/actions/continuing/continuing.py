"""Continuing: the next release of a series, in a straight line."""

from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np

from shoal.actions.continuing.earlier import Earlier
from shoal.actions.continuing.history import KnownRecords, empty_state, everybody
from shoal.actions.continuing.persons import SeriesPersons, forgotten
from shoal.actions.continuing.publishing import Drawn, PublishedClasses, published_classes
from shoal.foundation.errors import InfeasibleError
from shoal.foundation.progress import Progress, silent
from shoal.foundation.wording import number_of
from shoal.jobs.job import Job
from shoal.jobs.posing import problem_of
from shoal.jobs.series_request import SeriesRequest
from shoal.jobs.source import Source
from shoal.kernels.clock import clock
from shoal.releases.proof import prove
from shoal.releases.release import Release
from shoal.releases.series.continuation import Continuation
from shoal.releases.series.state import SeriesState
from shoal.search.series.invariance import invariant_classes
from shoal.search.series.people import People
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.table import Role

Signatures = tuple[tuple[Label, ...], ...]


def continued(job: Job, asked: SeriesRequest, data: Any = None, progress: Progress = silent) -> Release:
    """Read a table and the state before, place everybody, publish, prove, and keep the state for the next release.

    Args:
        job: The request.
        asked: What it asks of the series.
        data: A frame, if the table is not in the job's file.
        progress: Called with the step and the share of it that is done.
    """
    progress("reading the release before")
    earlier = Earlier.of(job, asked)
    progress("reading the table")
    persons = SeriesPersons.of(job, asked, data, progress)
    source = persons.source
    column = source.job.names(Role.SENSITIVE)[0]
    before = empty_state(asked.promise, source.table.names(Role.QUASI)) if earlier is None else earlier.state
    marks, gone = persons.marks([column]), forgotten(asked, job.folder, persons.key)
    known = KnownRecords.of(before, persons.pseudonyms, marks, gone)
    rng, started = np.random.default_rng(source.job.search.seed), clock()
    drawn, signatures = _drawn(source, asked, column, known, before.signatures, rng, progress)
    progress("publishing the release")
    made = published_classes(source, column, drawn, asked.promise, rng, clock() - started)
    bound = (known.held >= 0) | known.barred
    left_out = made.label < 0
    _check_limit(source, int(left_out.sum()))
    held = np.append(made.owned, -1)[made.label]
    everyone = everybody(before, known, persons.pseudonyms, marks, held, made.label, gone)
    series = Continuation(
        asked=asked,
        column=column,
        state=_state(before, everyone, signatures, made),
        earlier=() if earlier is None else earlier.links,
        withheld=int((bound & left_out).sum()),
        waiting=int((~bound & left_out).sum()),
    )
    run = replace(made.run, series=series)
    return Release(prove(run, progress), run)


def _drawn(
    source: Source,
    asked: SeriesRequest,
    column: str,
    known: KnownRecords,
    signatures: Signatures,
    rng: np.random.Generator,
    progress: Progress,
) -> tuple[Drawn, Signatures]:
    """Place everybody who may be published; also return all signatures."""
    progress("counting the records")
    counted = source.engine.count(tuple(dict.fromkeys((*source.job.watched(), column))))
    tally = counted.tally
    number = [one.name for one in tally.sensitive].index(column)
    values = tally.profile_codes[tally.profiles[counted.point_of], number].astype(np.int64)
    labels = list(tally.sensitive[number].values)
    labels += sorted({value for one in signatures for value in one} - set(labels), key=str)
    code = {value: place for place, value in enumerate(labels)}
    inside = np.flatnonzero(~known.barred)
    people = People.of(
        problem_of(source.job, tally), counted.point_of[inside], values[inside], known.held[inside], known.homes[inside]
    )
    found = invariant_classes(
        people,
        [tuple(sorted(code[value] for value in one)) for one in signatures],
        len(labels),
        m=_least_values(source, asked, column),
        column=column,
        counterfeits=asked.counterfeits != "none",
        rng=rng,
        progress=progress,
    )
    label = np.full(source.table.n_records, -1, dtype=np.int64)
    label[inside] = found.label
    new = tuple(tuple(labels[value] for value in one) for one in found.signatures[len(signatures) :])
    faked = tuple(labels[value] for value in found.faked.tolist())
    return Drawn(label, found.owned, found.fakes, faked), (*signatures, *new)


def _least_values(source: Source, asked: SeriesRequest, column: str) -> int:
    """Return how many values a new signature has at least: so many keep the diversity that each release promises."""
    promised = [ceil(getattr(one, "l", 1)) for one in source.job.require if getattr(one, "column", "") == column]
    return max(asked.m or 2, *promised) if promised else asked.m or 2


def _check_limit(source: Source, left_out: int) -> None:
    """Raise an InfeasibleError if more persons wait or are withheld than may be."""
    n = source.table.n_records
    limit = int(source.job.search.max_suppressed * n)
    if left_out > limit:
        raise InfeasibleError(
            f"{number_of(left_out, 'person')} of {n} would not be published, since nobody balances their values, and "
            f"at "
            f"most {limit} may be suppressed. Allow more (--max-suppressed {left_out / n + 0.0005:.3f}), take a "
            f"smaller 'm', "
            "or allow counterfeits."
        )


def _state(before: SeriesState, everyone: Any, signatures: Signatures, made: PublishedClasses) -> SeriesState:
    names, held, of_mark, places, known_marks = everyone
    return SeriesState(
        before.promise,
        before.number + 1,
        names,
        held,
        of_mark,
        places,
        known_marks,
        signatures,
        made.owned,
        made.columns,
        made.cells,
        made.fakes,
    )
