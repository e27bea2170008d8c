"""Blindness: whether a release was made without the sensitive values, so that how it was made tells nothing of them."""

from shoal.jobs.job import Job


def is_blind(job: Job, *, applied: bool = False) -> bool:
    """Tell whether the proof of docs/blind.md holds for the releases of a job, by the job alone.

    It does if the job asks for it, and also if no promise and no measure reads a sensitive value, counts persons or
    goes by sampling weights: then the search sees the quasi columns alone. To count persons it must see whose record is
    whose, and whoever exchanges the records of a class exchanges that as well; so a release that counts persons is
    blind only if the job asks for it. The releases of a series are not:
    who fills whose place, and who waits, depends on values.

    Args:
        job: The request.
        applied: Whether the release was made by the rules of another. Which records they cover, and which classes fail,
            may then depend on sensitive values in another way than in a blind search.
    """
    return job.series is None and (bool(job.search.blind and not applied) or not job.counted())
