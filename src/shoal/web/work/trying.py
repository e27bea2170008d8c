"""Trying: a whole release of the project's job with one setting, as the command line makes it from the same job."""

import json
import os
import secrets
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

from shoal.actions.anonymize import run
from shoal.foundation.atomic_write import write_file, write_folder
from shoal.foundation.errors import InfeasibleError
from shoal.foundation.progress import Progress
from shoal.jobs.job import JOB_FILE, Job
from shoal.web.projects import TRIED, Project
from shoal.web.settings import job_of, key_of, scale_of
from shoal.web.tries import RESULT, infeasible, infeasible_file, number_of
from shoal.web.work.looking import keep_look

RELEASE = "release"


def work(
    *, folder: str, version: str, settings: list[dict[str, Any]], progress: Progress, seed: int | None = None
) -> dict[str, Any]:
    """Make a release for each setting, one after the other; what is made stays if the rest is cancelled.

    Args:
        folder: The folder of the project.
        version: The state of the project that the settings were chosen for.
        settings: What is changed of its job, for each.
        progress: Where to tell how far it is.
        seed: The seed, if the job has none: that of an earlier try gives the same records in the same order.
    """
    project, total = Project(Path(folder)), len(settings)

    def told(number: int) -> Progress:
        def tell(step: str, share: float | None = None) -> None:
            progress(step if total == 1 else f"{number} / {total}: {step}", share)

        return tell

    made = [_tried(project, version, setting, told(number), seed) for number, setting in enumerate(settings, start=1)]
    return {"numbers": made}


def _tried(project: Project, version: str, setting: dict[str, Any], progress: Progress, seed: int | None) -> int | None:
    """Make a release and keep it under the next number; one that was made already is not made again.

    The job is written first, complete and with its seed, and read again from there: so that whoever runs that file gets
    the same bytes.
    """
    key = key_of(version, setting)
    number = number_of(project, key)
    if number is not None or infeasible(project, key) is not None:
        return number
    job = job_of(project, setting)
    drawn = secrets.randbelow(2**32) if seed is None else seed
    taken = drawn if job.search.seed is None else job.search.seed
    place = project.folder / TRIED
    place.mkdir(mode=0o700, exist_ok=True)
    told = {"key": key, "version": version, "setting": setting, "scale": scale_of(project, setting), **_asked(job)}
    made = place / f".{key}"

    def fill(draft: Path) -> None:
        (draft / JOB_FILE).write_bytes(job.with_seed(taken).toml(draft).encode())
        text = json.dumps(told | _released(draft, progress), indent=1)
        (draft / RESULT).write_text(text, encoding="utf-8")

    try:
        write_folder(made, fill, force=True, public=lambda path: path.parts[:2] == (RELEASE, "public"))
    except InfeasibleError as error:
        _refuse(infeasible_file(project.folder, key), told, error)
        return None
    made.chmod(0o700)
    return _numbered(made)


def _released(draft: Path, progress: Progress) -> dict[str, Any]:
    """Make the release of the job in a folder, write it there, and return what came of it."""
    started = monotonic()
    release = run(Job.read(draft / JOB_FILE), progress=progress)
    seconds = monotonic() - started
    certificate = release.write(draft / RELEASE, progress=progress)
    keep_look(release, draft, progress)
    progress("trying what would help")
    judged, better = release.judged, release.alternatives
    how, classes = certificate["algorithm"], certificate.get("clusters") or certificate["classes"]
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        "verdict": certificate["verdict"],
        "loss": {name: certificate["loss"][name] for name in ("measure", "share", "bound", "ratio")},
        "records": {name: certificate["records"][name] for name in ("input", "released", "suppressed")},
        "classes": {"count": classes["count"], "smallest": _smallest(certificate, classes["smallest"])},
        "algorithm": {"name": how["name"], "guarantee": how["guarantee"], "remark": certificate["told"]["remark"]},
        "useful": {
            "is": bool(judged),
            "words": judged.verdict,
            "silent": list(judged.silent),
            "tried": better.tried,
            "alike": better.alike,
            "changes": [
                {
                    "words": change.words,
                    "remarks": change.remarks,
                    "loss": change.loss,
                    "suppressed": change.suppressed,
                    "omitted": list(change.omitted),
                    "setting": dict(change.arguments),
                }
                for change in better.changes
            ],
        },
    }


def _asked(job: Job) -> dict[str, Any]:
    """Return what is promised: the least size of a class, and all else as a text each."""
    sizes = [promise.parameters["k"] for promise in job.require if promise.name == "k-anonymity"]
    others = [promise for promise in job.require if promise.name != "k-anonymity"]
    return {
        "k": max(map(int, map(str, sizes)), default=None),
        "promises": sorted(f"{one.name} {json.dumps(one.parameters, default=str)}" for one in others),
    }


def _smallest(certificate: dict[str, Any], records: int) -> int:
    """Return the size of the smallest class: in persons, if these are counted."""
    for claim in certificate["claims"]:
        if claim["model"] == "k-anonymity" and claim["parameters"].get("entity") is not None:
            return int(claim["achieved"])
    return records


def _numbered(made: Path) -> int:
    """Give a folder that is whole the next free number."""
    number = 1
    while True:
        try:
            os.rename(made, made.with_name(f"{number:04}"))  # noqa: PTH104  (a folder that stands is not replaced)
        except OSError:
            if not made.with_name(f"{number:04}").exists():
                raise
            number += 1
        else:
            return number


def _refuse(path: Path, told: dict[str, Any], error: InfeasibleError) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    text = json.dumps(told | {"message": str(error), "diagnosis": error.diagnosis}, indent=1, default=str)
    write_file(path, lambda draft: draft.write_text(text, encoding="utf-8"), force=True)
