"""Forgeries: a release is changed, and all that binds it is made anew, as somebody could who knows how it is made."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shoal.certificate import CERTIFICATE, sealed, text_of
from shoal.jobs.disclosure import PUBLIC, disclosed
from shoal.jobs.job import JOB_FILE, Job
from shoal.releases.claims.manifest import MANIFEST, PUBLIC_MANIFEST, Manifest
from shoal.releases.release import STEWARD
from shoal.tables.location import FileLocation

Change = Callable[[dict[str, Any]], object]


def stated(path: Path) -> dict[str, Any]:
    """Return what a certificate states, without its seal."""
    content: dict[str, Any] = json.loads(path.read_bytes())
    del content["seal"]
    return content


def forge(path: Path, change: Change = lambda content: None) -> None:
    """Change a certificate, seal it anew, make the public one by it, and list all files anew."""
    content = stated(path)
    change(content)
    put(path, content)


def put(path: Path, content: dict[str, Any]) -> None:
    """Seal a certificate, make the public one by it if it tells enough, and list all files anew."""
    path.write_bytes(text_of(sealed(content)))
    if path.name == CERTIFICATE:
        _disclose(path.parent, content)
    relist(path.parent)


def forge_first(path: Path, change: Change = lambda content: None) -> None:
    """Change a certificate of the first schema, which was not strict, and seal it anew; other files stay."""
    made_first(path.parent)
    content = stated(path)
    change(content)
    path.write_bytes(text_of(sealed(content)))


def made_first(folder: Path) -> None:
    """Turn a release into one of the first schema: it lists no files, and its certificates have no schema."""
    for name in (MANIFEST, PUBLIC_MANIFEST):
        (folder / name).unlink(missing_ok=True)
    for path in (folder / CERTIFICATE, folder / PUBLIC):
        content = stated(path) if path.exists() else {}
        if content.pop("schema", None) is not None:
            content["algorithm"] |= content.pop("told", {})
            path.write_bytes(text_of(sealed(content)))


def relist(folder: Path) -> None:
    """List the files of a folder with their digests, if they were listed."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name not in (MANIFEST, PUBLIC_MANIFEST)]
    names = [path.relative_to(folder).as_posix() for path in paths]
    names = [name for name in names if not name.endswith(".sig")]
    if (folder / PUBLIC_MANIFEST).exists():
        Manifest.of(folder, PUBLIC_MANIFEST, [name for name in names if name not in STEWARD]).write(folder)
        names.append(PUBLIC_MANIFEST)
    if (folder / MANIFEST).exists():
        Manifest.of(folder, MANIFEST, names).write(folder)


def _disclose(folder: Path, content: dict[str, Any]) -> None:
    try:
        job = Job.read(folder / JOB_FILE)
        told = disclosed(job, content, lambda name: _held(folder, content, job, name))
    except Exception:  # a certificate that cannot be disclosed: the public one stays as it was
        return
    (folder / PUBLIC).write_bytes(text_of(sealed(told)))


def _held(folder: Path, content: dict[str, Any], job: Job, name: str) -> set[str]:
    file = FileLocation(folder / content["file"]["name"], job.input.delimiter or ",")
    return set(file.read(keep=[name])[name].cast(str).drop_nulls().to_list())
