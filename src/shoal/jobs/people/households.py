"""Households: who lives together, so that k counts households, of which no file tells who is in them.

`members` of a promise is the most records that one household has, or, for l-diversity, one person.
If no household has more than m records, a class of (k - 1) m + 1 records has records of at least k households: k - 1 of
them have at most (k - 1) m. So the sizes of the classes, which everybody can count, prove it.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shoal.foundation.errors import SpecError
from shoal.models.distinct_l_diversity import DistinctLDiversity
from shoal.models.frequency_l_diversity import FrequencyLDiversity
from shoal.models.k_anonymity import KAnonymity
from shoal.models.model import PrivacyModel
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
        yield "'members' is for records whose persons are unknown, but a column has the role 'entity'"


def counting_households(job: "Job", data: Any = None) -> "Job":
    """Return the job with k counting households: by the most records that one has, which the table tells.

    What promises say of the records of a household, or of a person, is put to the table.

    Args:
        job: The request.
        data: A frame, if the table is in memory.

    Raises:
        SpecError: A record has no household, or a household has more records than the job says.
    """
    homes = job.names(Role.HOUSEHOLD)
    units = homes or (job.names(Role.ENTITY) if any(_members(one) is not None for one in job.require) else ())
    if not units:
        return job
    from shoal.jobs.given_table import count_columns  # it knows the job

    rows = count_columns(job.location if data is None else data, units)
    check_whole(rows.column(units[0]), units[0], rows.counts)
    most = int(rows.histogram(units[0]).counts.max(initial=1))
    return with_members(job, most) if homes else _checked(job, most)


def with_members(job: "Job", most: int) -> "Job":
    """Return the job with k that knows how many records a household has at most; a SpecError if a promise says less."""
    counted = [
        replace(one, members=one.members or most) if isinstance(one, KAnonymity) else one
        for one in _checked(job, most).require
    ]
    return job.model_copy(update={"require": counted})


def members_of(job: "Job") -> int | None:
    """Return the most records that one household has, where k of a job knows it."""
    known = [one.members for one in job.require if isinstance(one, KAnonymity) and one.members is not None]
    return min(known, default=None)


def _checked(job: "Job", most: int) -> "Job":
    """Return the job, or raise a SpecError if a promise knows of fewer records than a household or person has."""
    for one in job.require:
        members = _members(one)
        if members is not None and members < most:
            raise SpecError(
                f"A household or person has {most} records, and 'members' of {one.name} is {members}: give {most} or "
                "more, or, for k-anonymity, leave it out, and it is counted."
            )
    return job


def _members(promise: PrivacyModel) -> int | None:
    """Return what a promise says of the records of a household or person."""
    return promise.members if isinstance(promise, KAnonymity | DistinctLDiversity | FrequencyLDiversity) else None
