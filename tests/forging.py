"""Forgeries: a release is changed, and all that binds it is made anew, as somebody could who knows how it is made."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shoal.certificate import CERTIFICATE, sealed, text_of
from shoal.jobs.disclosure import PUBLIC, disclosed
from shoal.jobs.job import JOB_FILE, Job
from shoal.jobs.release_folder import KEPT, PASSED_ON, ReleaseFolder
from shoal.releases.claims.manifest import MANIFEST, PUBLIC_MANIFEST, Manifest
from shoal.tables.location import FileLocation

STEWARD = ("certificate.json", "job.toml", "charges.json", "rules.json", "manifest.json", "report.html")
Change = Callable[[dict[str, Any]], object]


def file_in(release: Path, name: str) -> Path:
    """Return the file of a release that has a name."""
    return release / (KEPT if name in STEWARD else PASSED_ON) / name


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
        _disclose(_where(path.parent), content)
    relist(path.parent)


def forge_first(path: Path, change: Change = lambda content: None) -> None:
    """Change a certificate of the first schema, which was not strict, and seal it anew; other files stay."""
    made_first(path.parent)
    content = stated(path)
    change(content)
    path.write_bytes(text_of(sealed(content)))


def made_first(folder: Path) -> None:
    """Turn a release into one of the first schema: it lists no files, and its certificates have no schema."""
    where = _where(folder)
    for path in (where.private / MANIFEST, where.public / PUBLIC_MANIFEST):
        path.unlink(missing_ok=True)
    for path in (where.private / CERTIFICATE, where.public / PUBLIC):
        content = stated(path) if path.exists() else {}
        if content.pop("schema", None) is not None:
            content["algorithm"] |= content.pop("told", {})
            path.write_bytes(text_of(sealed(content)))


def relist(folder: Path) -> None:
    """List the files of a release with their digests, if they were listed; its folder, or one of its two, is given."""
    where = _where(folder)
    if (where.public / PUBLIC_MANIFEST).exists():
        names = [name for name in _names(where.public, PUBLIC_MANIFEST) if name not in STEWARD]
        Manifest.of(where.public, PUBLIC_MANIFEST, names).write(where.public)
    if (where.private / MANIFEST).exists():
        Manifest.of(where.root, MANIFEST, _names(where.root, MANIFEST)).write(where.private)


def _where(folder: Path) -> ReleaseFolder:
    """Return where the files of a release are; its public folder stands for all of it."""
    return ReleaseFolder.of(folder.parent if folder.name == PASSED_ON else folder)


def _names(folder: Path, manifest: str) -> list[str]:
    """Return the names of all files that are to be listed."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name not in (manifest, MANIFEST)]
    return [path.relative_to(folder).as_posix() for path in paths if path.suffix != ".sig"]


def _disclose(where: ReleaseFolder, content: dict[str, Any]) -> None:
    try:
        job = Job.read(where.private / JOB_FILE)
        told = disclosed(job, content, lambda name: _held(where.public, content, job, name))
    except Exception:  # a certificate that cannot be disclosed: the public one stays as it was
        return
    (where.public / PUBLIC).write_bytes(text_of(sealed(told)))


def _held(folder: Path, content: dict[str, Any], job: Job, name: str) -> set[str]:
    file = FileLocation(folder / content["file"]["name"], job.input.delimiter or ",")
    return set(file.read(keep=[name])[name].cast(str).drop_nulls().to_list())
