"""Earlier: the release that a series is continued after, checked before anything is built on it."""

from dataclasses import dataclass
from typing import Any

from shoal.foundation.errors import SpecError
from shoal.jobs.job import Job
from shoal.jobs.series_request import SeriesRequest
from shoal.releases.claims.reading import claims_in
from shoal.releases.series.continuation import link_of
from shoal.releases.series.state import SeriesState

_SAME = ("promise", "person", "m", "cohort")


@dataclass(frozen=True, slots=True, eq=False)
class EarlierRelease:
    """What the release before says of the series.

    Args:
        state: Its state.
        links: What the next certificate says of all releases before.
    """

    state: SeriesState
    links: tuple[dict[str, Any], ...]

    @classmethod
    def of(cls, job: Job, asked: SeriesRequest) -> "EarlierRelease | None":
        """Read the release before, if there is one.

        Raises:
            SpecError: It is none of this series, or is not the steward's.
            CertificateError: Its files are not those that were certified.
        """
        if asked.after is None:
            return None
        path = job.folder / asked.after
        claims = claims_in(path)
        if claims.job is None or claims.job.series is None:
            raise SpecError(
                f"'{path}' is not the steward's folder of a release of a series: give the folder that it was written "
                f"into, "
                "with 'private' in it."
            )
        different = [name for name in _SAME if getattr(asked, name) != getattr(claims.job.series, name)]
        if _roles(job) != _roles(claims.job):
            different.append("roles of columns")
        if different:
            raise SpecError(
                f"The request and the previous release, '{path}', differ in {', '.join(different)}: these cannot "
                "change within a series."
            )
        links, _ = link_of(claims.where.public)
        return cls(SeriesState.read(claims.where.private), links)


def _roles(job: Job) -> dict[str, str]:
    """Return the roles of the columns that leave."""
    return {name: str(column.role) for name, column in job.columns.items() if column.leaves}
