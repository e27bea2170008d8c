"""Settings: what is changed of the project's job for one try, by the names that the arguments of `anonymize` have."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from shoal.foundation.errors import SpecError
from shoal.jobs.changes import changed
from shoal.jobs.job import Job
from shoal.web.figures import percent
from shoal.web.projects import HIERARCHIES, Content, Project
from shoal.web.texts import Translate

Setting = Mapping[str, Any]
"""`k`, `algorithm`, `measure`, `max_suppressed`, and `omit`, columns to leave out; an empty one is the job itself."""

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


def setting_words(setting: Setting, t: Translate) -> list[str]:
    """Return what a setting changes of the job, a few words for each."""
    words = []
    if "k" in setting:
        words.append(f"k = {setting['k']}")
    words += [str(setting[name]) for name in ("algorithm", "measure") if name in setting]
    if "max_suppressed" in setting:
        words.append(t("trials.at_most", share=percent(setting["max_suppressed"], t)))
    return words + [t("trials.without", name=name) for name in setting.get("omit", ())]
