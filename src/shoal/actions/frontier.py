"""Frontier: what every generalization costs, for every k and every limit of suppression at once."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

from shoal.actions.minimal import lattice_of
from shoal.foundation.errors import SpecError
from shoal.foundation.given import checked
from shoal.foundation.progress import Progress, silent
from shoal.jobs.arguments import Request, frame_of, request, takes_a_request
from shoal.jobs.job import Job
from shoal.jobs.people.households import members_of
from shoal.models import KAnonymity
from shoal.models.persons import Persons
from shoal.search.lattice.frontier import Frontier, sweep
from shoal.search.lattice.lattice import Lattice
from shoal.tables.table import Role


@checked
@takes_a_request
def frontier(data: Any, *, ks: Sequence[int], progress: Progress = silent, **given: Unpack[Request]) -> Frontier:
    """Find the least loss for every k and every limit of suppression at once, in one sweep over all generalizations.

    Args:
        data: A frame of polars, pandas or pyarrow, the path of a file, or a `shoal.table`.
        ks: The values of k.
        progress: Called with the current step and the share of it that is done.
        given: The parameters of `anonymize`; further promises apply for every k.
    """
    if not ks:
        raise SpecError("'ks' is empty: name at least one value of k.")
    given.setdefault("k", 1)
    return frontier_of(request(data, **given), ks, progress, frame_of(data))


def frontier_of(job: Job, ks: Sequence[int], progress: Progress = silent, data: Any = None) -> Frontier:
    """Sweep the lattice of a job; its own k-anonymity gives way to the values of k."""
    if job.names(Role.HOUSEHOLD) or members_of(job) is not None:
        raise SpecError(
            "A frontier counts records or persons: give no column the role 'household', and require (k - 1) "
            "m + 1 records, where m is the size of the largest household."
        )
    lattice = lattice_of(job, data, progress)
    others = tuple(model for model in lattice.problem.models if not isinstance(model, KAnonymity | Persons))
    entity = next(iter(job.names(Role.ENTITY)), None)
    return sweep(Lattice(replace(lattice.problem, models=others)), ks, progress, entity)
