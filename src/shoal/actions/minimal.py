"""Minimal: all minimal generalizations of a table (Ciriani et al. 2007, Definition 3.4)."""

from collections.abc import Sequence
from typing import Any, Unpack

from shoal.actions.anonymize import counted_of
from shoal.foundation.given import checked
from shoal.foundation.progress import Progress, silent
from shoal.jobs.arguments import Request, frame_of, listed, request, takes_a_request
from shoal.jobs.job import Job
from shoal.jobs.posing import problem_of
from shoal.jobs.source import read
from shoal.search.lattice.diagnosis import infeasible
from shoal.search.lattice.lattice import Lattice
from shoal.search.lattice.minimal import locally_minimal, minimal_nodes


@checked
@takes_a_request
def minimal_generalizations(
    data: Any, *, strategy: Sequence[str] = (), progress: Progress = silent, **given: Unpack[Request]
) -> list[dict[str, int]]:
    """Return all minimal generalizations (Ciriani et al. 2007, Definition 3.4), each as the level of every column.

    Args:
        data: The table, as for `anonymize`.
        strategy: Columns in the order in which they are raised by one level each. Then only the lowest allowed
            generalization on that path is returned, the locally minimal one (Ciriani et al. 2007, Definition 3.5).
        progress: Called with the current step and the share of it that is done.
        given: The parameters of `anonymize`.
    """
    return minimal_of(request(data, **given), progress, frame_of(data), listed(strategy))


def minimal_of(
    job: Job, progress: Progress = silent, data: Any = None, strategy: Sequence[str] = ()
) -> list[dict[str, int]]:
    """Return all minimal generalizations of a job's table, or the locally minimal one of a strategy."""
    lattice = lattice_of(job, data, progress)
    if not strategy:
        return [lattice.named(node) for node in minimal_nodes(lattice, progress)]
    found = locally_minimal(lattice, strategy, progress)
    if found is None:
        raise infeasible(lattice)
    return [lattice.named(found)]


def lattice_of(job: Job, data: Any, progress: Progress) -> Lattice:
    """Return the lattice of the full-domain generalizations of a job's table."""
    progress("reading the table")
    source = read(job, data)
    progress("counting the records")
    return Lattice(problem_of(source.job, counted_of(source).tally))
