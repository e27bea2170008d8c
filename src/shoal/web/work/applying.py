"""Applying: put the rules of a try to another table, and keep the release of that."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from shoal.actions.apply import Failing, apply
from shoal.foundation.atomic_write import write_folder
from shoal.foundation.progress import Progress
from shoal.jobs.release_folder import PASSED_ON
from shoal.web.projects import Project
from shoal.web.tries import APPLIED, RESULT_BY_RULES, by_rules, folder_of, keep_json
from shoal.web.work.looking import keep_look

_RELEASE = "release"


def work(*, folder: str, number: int, path: str, failing: str, progress: Progress) -> dict[str, Any]:
    """Make the release of another table by the rules of a try, under the next number.

    Args:
        folder: The folder of the project.
        number: The number of the try.
        path: The file of the other table.
        failing: Whether what the rules do not cover refuses the whole, or is suppressed.
        progress: Where to tell how far it is.
    """
    project = Project(Path(folder))
    rules = folder_of(project, number) / _RELEASE
    made = apply(rules, path, failing=cast(Failing, failing), progress=progress)
    place = project.folder / APPLIED
    place.mkdir(mode=0o700, exist_ok=True)
    taken = max((one.number for one in by_rules(project)), default=0) + 1

    def fill(draft: Path) -> None:
        certificate = made.write(draft / _RELEASE, progress=progress)
        keep_look(made, draft, progress)
        classes = certificate.get("clusters") or certificate["classes"]
        told = {
            "when": datetime.now(UTC).isoformat(timespec="seconds"),
            "of": number,
            "table": Path(os.path.relpath(path, project.folder)).as_posix(),
            "failing": failing,
            "setting": {},
            "verdict": certificate["verdict"],
            "loss": {name: certificate["loss"][name] for name in ("measure", "share")},
            "records": {name: certificate["records"][name] for name in ("input", "released", "suppressed")},
            "classes": {name: classes[name] for name in ("count", "smallest")},
        }
        keep_json(draft / RESULT_BY_RULES, told)

    target = place / f"{taken:04}"
    write_folder(target, fill, public=lambda path: path.parts[:2] == (_RELEASE, PASSED_ON))
    target.chmod(0o700)
    return {"number": taken}
