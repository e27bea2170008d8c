"""Settings: what is changed of the project's job for one try, by the names that the arguments of `anonymize` have."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.foundation.errors import SpecError
from shoal.jobs.changes import changed
from shoal.jobs.job import Job
from shoal.web.projects import HIERARCHIES, TRIED, Content, Project

Setting = Mapping[str, Any]
"""`k`, `algorithm`, `measure`, `max_suppressed`, and `omit`, columns to leave out; an empty one is the job itself."""

RESULT = "setting.json"
"""What came of a setting, in its folder of the tried ones."""

INFEASIBLE = "infeasible"
"""The folder of the settings that no release meets, among the tried ones."""

_SEARCH = ("algorithm", "measure", "max_suppressed")


def key_of(version: str, setting: Setting) -> str:
    """Return what tells a setting of a state of the project from all others."""
    told = json.dumps({name: setting[name] for name in sorted(setting)})
    return hashlib.sha256(f"{version}\0{told}".encode()).hexdigest()[:16]


def scale_of(project: Project, setting: Setting) -> str:
    """Return what tells tries apart whose losses mean different things: other columns, hierarchies or measures."""
    content = with_setting(project.content, setting)
    job = Job.of(content, project.folder)
    digest = hashlib.sha256(json.dumps([content["input"], content["columns"]], default=str).encode())
    digest.update(f"{job.search.measure!r} {job.objective}".encode())
    for path in sorted((project.folder / HIERARCHIES).glob("*.csv")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def job_of(project: Project, setting: Setting) -> Job:
    """Return the request of a setting; it is written into a folder, wherever the project's own release would go."""
    changes, promises, omitted = _changes(setting)
    return Job.read(project.job_file, {**changes, "release": {"url": None, "table": None}}, promises, omitted)


def with_setting(content: Content, setting: Setting) -> Content:
    """Return the content of a job file with a setting on top."""
    changes, promises, omitted = _changes(setting)
    return changed(content, changes, promises, omitted)


def _changes(setting: Setting) -> tuple[dict[str, dict[str, Any]], list[dict[str, Any]], list[str]]:
    """Return what flags would give: keys by section, promises, and columns to leave out."""
    unknown = sorted(set(setting) - {*_SEARCH, "k", "omit"})
    if unknown:
        raise SpecError(f"A setting has no '{unknown[0]}'.")
    search = {name: setting[name] for name in _SEARCH if name in setting}
    promises = [{"model": "k-anonymity", "k": setting["k"]}] if "k" in setting else []
    return ({"search": search} if search else {}), promises, list(setting.get("omit", ()))


def tried(project: Project) -> dict[int, dict[str, Any]]:
    """Return what came of the settings that have a release, by the number of their folders."""
    found = {}
    for path in sorted((project.folder / TRIED).glob(f"[0-9]*/{RESULT}")):
        found[int(path.parent.name)] = json.loads(path.read_text(encoding="utf-8"))
    return found


def number_of(project: Project, key: str) -> int | None:
    """Return the number of the setting that was tried already, if it was."""
    return next((number for number, one in tried(project).items() if one["key"] == key), None)


def all_infeasible(project: Project) -> list[dict[str, Any]]:
    """Return the settings of the present state of the project that no release meets, with the reasons."""
    paths = sorted((project.folder / TRIED / INFEASIBLE).glob("*.json"), key=lambda path: path.stat().st_mtime)
    found = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    return [one for one in found if one["version"] == project.version]


def infeasible(project: Project, key: str) -> dict[str, Any] | None:
    """Return why no release meets a setting, if that was found out."""
    path = infeasible_file(project.folder, key)
    if not path.is_file():
        return None
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def infeasible_file(folder: Path, key: str) -> Path:
    """Return where it is written why no release meets a setting."""
    return folder / TRIED / INFEASIBLE / f"{key}.json"
