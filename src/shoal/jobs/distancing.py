"""Distancing: which columns may be measured by a distance, and which two of them share an axis."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoal.tables.table import Role

if TYPE_CHECKING:
    from shoal.jobs.job import Job


def distance_errors(job: "Job") -> Iterator[str]:
    """Say which distances stand on a column that is not measured, or share an axis that cannot be shared."""
    quasi = job.names(Role.QUASI)
    given = {name: column.distance for name, column in job.columns.items() if column.distance is not None}
    for name in given:
        if name not in quasi:
            role = job.columns[name].role
            yield f"column '{name}' has a distance but the role '{role}': only quasi columns are measured"
    shared = [(name, recipe.partner) for name, recipe in given.items() if recipe.partner is not None]
    partners = [partner for _, partner in shared]
    for name, partner in shared:
        if partner not in quasi or partner == name:
            yield f"the distance of column '{name}' needs '{partner}' to be another column, a quasi one"
        elif partner in given or partners.count(partner) > 1:
            yield f"column '{partner}' is measured with '{name}', and so has no other distance"
