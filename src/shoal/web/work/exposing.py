"""Exposing: how many persons of the raw table stand alone, by which columns, and how that falls with larger groups."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from shoal.actions.risk import risk
from shoal.foundation.atomic_write import write_file
from shoal.foundation.progress import Progress
from shoal.web.projects import EXPOSURE, Project

_SIZES = (*range(2, 21), 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 750, 1000)
_WIDE = 10  # quasi columns up to which sets of three are looked at
_LISTED = 60  # pairs that are kept


def work(*, folder: str, version: str, progress: Progress) -> dict[str, Any]:
    """Measure the risks of a project's table as it is, and keep them.

    Args:
        folder: The folder of the project.
        version: The state of the project that is measured.
        progress: Where to tell how far it is.
    """
    project = Project(Path(folder))
    quasi = [name for name, column in project.content["columns"].items() if column.get("role") == "quasi"]
    progress("counting the records")
    found = risk(project.job_file, suda=3 if len(quasi) <= _WIDE else 2, progress=progress)
    progress("looking at the size of the groups")
    sizes = np.concatenate([part["k"].to_numpy() for part in found.each.parts()])
    summary = found.as_dict()
    summary["singling_out"]["pairs"] = summary["singling_out"]["pairs"][:_LISTED]
    curve = {size: float((sizes < size).mean()) for size in _SIZES}
    text = json.dumps({"version": version, "quasi": quasi, "risk": summary, "curve": curve}, default=str)
    write_file(project.folder / EXPOSURE, lambda draft: draft.write_text(text, encoding="utf-8"), force=True)
    return {}
