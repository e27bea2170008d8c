"""Minimal: all minimal generalizations of a table (002 Definition 3.4)."""

from typing import Any, Unpack

from shoal.actions.anonymize import counted_of
from shoal.foundation.given import checked
from shoal.foundation.progress import Progress, silent
from shoal.jobs.arguments import Request, frame_of, request, takes_a_request
from shoal.jobs.job import Job
from shoal.jobs.posing import problem_of
from shoal.jobs.source import read
from shoal.search.lattice.lattice import Lattice
from shoal.search.lattice.minimal import minimal_nodes


@checked
@takes_a_request
def minimal_generalizations(
    data: Any, *, progress: Progress = silent, **given: Unpack[Request]
) -> list[dict[str, int]]:
    """Return all minimal generalizations (002 Definition 3.4), each as the level of every column."""
    return minimal_of(request(data, **given), progress, frame_of(data))


def minimal_of(job: Job, progress: Progress = silent, data: Any = None) -> list[dict[str, int]]:
    """Return all minimal generalizations of a job's table."""
    lattice = lattice_of(job, data, progress)
    return [lattice.named(node) for node in minimal_nodes(lattice, progress)]


def lattice_of(job: Job, data: Any, progress: Progress) -> Lattice:
    """Return the lattice of the full-domain generalizations of a job's table."""
    progress("reading the table")
    source = read(job, data)
    progress("counting the records")
    return Lattice(problem_of(source.job, counted_of(source).tally))
