"""Households: who lives together, so that k counts households, of which no file tells who is in them.

If no household has more than m records, a class of (k - 1) m + 1 records has records of at least k households: k - 1 of
them have at most (k - 1) m. So the sizes of the classes, which everybody can count, prove it.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shoal.foundation.errors import SpecError
from shoal.models.k_anonymity import KAnonymity
from shoal.tables.table import Role, check_whole

if TYPE_CHECKING:
    from shoal.jobs.job import Job


def household_errors(job: "Job") -> Iterator[str]:
    """Say what stands in the way of counting households."""
    homes, counting = job.names(Role.HOUSEHOLD), [one for one in job.require if isinstance(one, KAnonymity)]
    if len(homes) > 1:
        yield f"{len(homes)} columns have the role 'household': one of them tells who lives together"
    if homes and job.names(Role.ENTITY):
        yield "k counts persons or households: one column has the role 'entity' or 'household', and the other 'omitted'"
    if homes and not counting:
        yield "a column has the role 'household', and nothing counts households: require k-anonymity, which does"
    if any(one.members is not None for one in counting) and job.names(Role.ENTITY):
        yield "'members' is for records whose persons are not told apart, and a column has the role 'entity'"


def counting_households(job: "Job", data: Any = None) -> "Job":
    """Return the job with k counting households: by the most records that one has, which the table tells.

    Args:
        job: The request.
        data: A frame, if the table is in memory.

    Raises:
        SpecError: A record has no household, or a household has more records than the job says.
    """
    homes = job.names(Role.HOUSEHOLD)
    if not homes:
        return job
    from shoal.jobs.given_table import count_columns  # it knows the job

    rows = count_columns(job.location if data is None else data, homes)
    column = rows.column(homes[0])
    check_whole(column, homes[0], rows.counts)
    return with_members(job, int(rows.histogram(homes[0]).counts.max(initial=1)))


def with_members(job: "Job", most: int) -> "Job":
    """Return the job with promises that know how many records a household has at most; a SpecError if they say less."""
    for one in job.require:
        if isinstance(one, KAnonymity) and one.members is not None and one.members < most:
            raise SpecError(
                f"A household has {most} records, and 'members' of k-anonymity is {one.members}. Leave it out, and it "
                f"is counted; or give {most} or more."
            )
    counted = [replace(one, members=one.members or most) if isinstance(one, KAnonymity) else one for one in job.require]
    return job.model_copy(update={"require": counted})


def members_of(job: "Job") -> int | None:
    """Return the most records that one household has, where the promises of a job know it."""
    known = [one.members for one in job.require if isinstance(one, KAnonymity) and one.members is not None]
    return min(known, default=None)
