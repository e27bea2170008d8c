"""Grids: at which public ends the ranges of a release end, as its certificate says it."""

from collections.abc import Iterable, Mapping
from typing import Any

from shoal.classes.tally import QuasiColumn
from shoal.jobs.job import Job
from shoal.tables.hierarchies import Ranges
from shoal.tables.hierarchies.grid import step_text
from shoal.tables.table import Role

KEY = "grid"  # in the certificate
_PRINTING = ("local", "single-dimensional")  # recodings that print ranges


def grids_of(job: Job, columns: Iterable[QuasiColumn], recoding: str) -> dict[str, Any]:
    """Return the section of the certificate on grids, for a release that may print ranges; else nothing.

    For each column it states the step of the grid, and whether it is as fine as the values: then each end is a true
    value of the class, as without a grid.

    Args:
        job: The request.
        columns: The quasi columns, with their hierarchies over the raw table.
        recoding: How values were recoded.
    """
    if recoding not in _PRINTING:
        return {}
    told: dict[str, Any] = {}
    for column in columns:
        recipe, grid = job.columns[column.name].hierarchy, column.hierarchy.grid
        if isinstance(recipe, Ranges):
            step = "none" if grid is None or recipe.grid is None else recipe.grid
            told[column.name] = {
                "step": step_text(step),
                "fine": grid is None or grid.fine,
            }
    return {KEY: told} if told else {}


def steps_agree(job: Job, certificate: Mapping[str, Any]) -> bool:
    """Tell whether a certificate states the steps that its job asks for; a column without values has none."""
    printing = certificate["algorithm"]["recoding"] in _PRINTING
    ranges = {name: column.hierarchy for name, column in job.columns.items() if column.role is Role.QUASI and printing}
    asked = {name: step_text(recipe.grid or "none") for name, recipe in ranges.items() if isinstance(recipe, Ranges)}
    stated = {name: told["step"] for name, told in certificate.get(KEY, {}).items()}
    return stated.keys() == asked.keys() and all(step in (asked[name], "none") for name, step in stated.items())


def with_earlier_grids(job: Job, certificate: dict[str, Any]) -> Job:
    """Return the job of a release as it was understood then: before there were grids, ranges had none.

    Args:
        job: The job beside the certificate.
        certificate: The certificate; one without grids is of a release without them.
    """
    if KEY in certificate:
        return job
    columns = {
        name: column.model_copy(update={"hierarchy": column.hierarchy.without_grid()})
        if isinstance(column.hierarchy, Ranges)
        else column
        for name, column in job.columns.items()
    }
    return job.model_copy(update={"columns": columns})
