"""Identifiers: what may be asked of columns that name somebody, where they do not just stay behind."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoal.tables.table import Role

if TYPE_CHECKING:
    from shoal.jobs.job import Job


def identifier_errors(job: "Job") -> Iterator[str]:
    """Say what of masks and pseudonyms cannot be."""
    for name, column in job.columns.items():
        if column.mask is not None and column.role is not Role.QUASI:
            yield f"column '{name}' has a mask but the role '{column.role}': a mask is for the role 'identifier'"
        if column.mask is not None and column.missing:
            yield f"column '{name}' has a mask and 'missing': list what means a missing value in 'missing_values'"
        if column.pseudonym is not None and column.role not in (Role.IDENTIFIER, Role.ENTITY):
            yield (
                f"column '{name}' has a pseudonym but the role '{column.role}': it is for the roles 'identifier' and "
                "'entity'; what a mask keeps has none"
            )
    linked = list(job.pseudonyms.values())
    for one in sorted({one for one in linked if linked.count(one) > 1}):
        yield f"two columns are linked by the name '{one}': they would link records of different persons"
    if job.release.pseudonym_key is not None and not job.pseudonyms:
        yield "'pseudonym_key' is given, and no column leaves as a pseudonym: give one 'pseudonym = true'"
    if job.pseudonyms and job.release.shape == "clusters":
        yield "a pseudonym stands in a row for each record, and shape = 'clusters' releases none: choose 'records'"
