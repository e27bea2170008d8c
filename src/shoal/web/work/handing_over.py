"""Handing over: copy a release to where the steward says, and verify it there, from the files that were written."""

import shutil
from pathlib import Path
from typing import Any

from shoal.actions.verify import verify
from shoal.foundation.atomic_write import write_folder
from shoal.foundation.progress import Progress
from shoal.jobs.release_folder import PASSED_ON
from shoal.web.tries import HANDED, keep_json, kept_json
from shoal.web.work.verifying import summary


def work(*, folder: str, target: str, told: str, public: bool, progress: Progress) -> dict[str, Any]:
    """Copy the release of a try into a new folder: all or nothing, and never over anything that stands there.

    Args:
        folder: The folder of the try.
        target: The folder to make.
        told: What pages call it.
        public: Whether only what may be passed on is copied.
        progress: Where to tell how far it is.
    """
    release = Path(folder) / "release"
    source = release / PASSED_ON if public else release

    def fill(draft: Path) -> dict[str, Any]:
        progress("copying the files")
        shutil.copytree(source, draft, dirs_exist_ok=True, copy_function=shutil.copyfile)
        return summary(verify(draft, progress=progress))

    found = write_folder(Path(target), fill, public=lambda path: public or path.parts[0] == PASSED_ON)
    record = Path(folder) / HANDED
    handed = (kept_json(record) or {"copies": []})["copies"]
    keep_json(record, {"copies": [*handed, {"where": told, "public": public, **found}]})
    return {"verdict": found["verdict"]}
