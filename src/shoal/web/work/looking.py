"""Looking: what there is to look at of a release, if that was not kept when it was made."""

from pathlib import Path
from typing import Any

from shoal.actions.anonymize import run
from shoal.foundation.progress import Progress
from shoal.jobs.job import JOB_FILE, Job
from shoal.web.tries import LOOK, keep_json


def work(*, folder: str, progress: Progress) -> dict[str, Any]:
    """Make the release of a try again, which gives the same, and keep what there is to look at.

    Args:
        folder: The folder of the try.
        progress: Where to tell how far it is.
    """
    keep_look(run(Job.read(Path(folder) / JOB_FILE), progress=progress), Path(folder), progress)
    return {}


def keep_look(release: Any, folder: Path, progress: Progress) -> None:
    """Keep what there is to look at of a release; nothing if it was made in regions, which are never all in memory."""
    progress("looking at what became of the table")
    keep_json(folder / LOOK, {} if "left_out" in release.certificate else release.look())
