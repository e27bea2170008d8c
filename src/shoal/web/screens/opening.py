"""Open: a file by upload or path, a sheet, a table of a database; what was found, to be corrected."""

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.tables.databases import FILES, database_of
from shoal.tables.databases.address import Address
from shoal.tables.formats import FORMATS
from shoal.tables.stores import is_store
from shoal.web.projects import Project
from shoal.web.rendering import check_version, page, posted, project_of, see, session_of
from shoal.web.rows import FOLDER, kept, window
from shoal.web.sessions import AppSession
from shoal.web.texts import TextError
from shoal.web.uploads import take_form
from shoal.web.work.correcting import ENCODINGS

_PARTS = ("table_name", "sheet", "delimiter", "encoding")  # which table of a file, and how it is read
_DELIMITERS = (",", ";", "tab", "|")
_FIRST = 10  # rows that are shown
_LISTED = 100  # files of the folder that are offered


async def show(request: Request) -> Response:
    """Show what is open, and how to open something else."""
    session = session_of(request)
    project, facts = session.project, {}
    if project is not None and project.opened:
        rows = session.workspace.cache / FOLDER
        facts = {
            "input": project.content["input"],
            "found": project.columns,
            "first": window(rows, 0, _FIRST) if kept(rows) else None,
        }
    told = {"opened": facts, "root": session.root, "files": _tables(session.root)}
    return page(request, "open.html", told | {"delimiters": _DELIMITERS, "encodings": [*ENCODINGS]})


def _tables(folder: Path) -> list[str]:
    """Return the files of a folder that hold tables by their names, some of them if there are many."""
    endings = {ending for member in FORMATS for ending in member.suffixes} | set(FILES)
    found = (path.name for path in sorted(folder.iterdir()) if path.suffix.lower() in endings and path.is_file())
    return list(islice((name for name in found if not name.startswith(".")), _LISTED))


async def choose(request: Request) -> Response:
    """Open a file under the folder that the app was started in, or a table of a database."""
    session, fields = session_of(request), await posted(request)
    given = {key: (fields.get(key) or [""])[0] for key in ("path", "url", *_PARTS)}
    asked: dict[str, Any] = {key: value for key, value in given.items() if value.strip()}
    if "path" in asked:
        asked["path"] = session.inside(asked["path"])
    elif "url" in asked:
        asked["url"] = session.reachable(asked["url"])
    else:
        raise TextError("open.nothing")
    return _opened(session, asked)


async def again(request: Request) -> Response:
    """Read the open table once more: another sheet or table, or with another delimiter, encoding, or names."""
    session, project, fields = session_of(request), project_of(request), await posted(request)
    check_version(project, fields)
    source = project.content["input"]
    given = {key: fields.get(key, [""])[0] for key in _PARTS}
    asked: dict[str, Any] = {key: value for key, value in given.items() if value}
    if asked.get("delimiter") == "tab":
        asked["delimiter"] = "\t"
    if "path" in source:
        path = project.folder / project.columns.get("original", source["path"])
        return _opened(session, asked | _names(project, fields) | {"path": path.resolve()})
    return _opened(session, asked | {"url": _from_anywhere(source["url"], project.folder)})


def _names(project: Project, fields: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the names that columns are given which had none, or shared theirs; an empty field gives the old one."""
    found = project.columns
    given = {number: fields.get(f"name-{number}", [""])[0].strip() for number in found.get("names", {})}
    kept = set(found.get("renamed", {}))
    names = {number: one for number, one in given.items() if one and (one != found["names"][number] or number in kept)}
    return {"names": names} if names else {}


def _from_anywhere(url: str, folder: Path) -> str:
    """Return the URL of a job in a folder; a path of a file in it starts from the root of the disk."""
    file = None if is_store(url) else database_of(Address.of(url), folder).file
    return url if file is None else f"{urlsplit(url).scheme}:///{quote(str(file.resolve()))}"


async def upload(request: Request) -> Response:
    """Take a file, as it comes, into the private folder."""
    session = session_of(request)
    fields, target = await take_form(request, session.workspace.uploads)
    if target is None:
        raise TextError("open.nothing")
    given = {key: fields.get(key, "") for key in _PARTS}
    return _opened(session, {key: value for key, value in given.items() if value.strip()} | {"path": target})


def _opened(session: AppSession, asked: dict[str, Any]) -> Response:
    """Begin to look at a table, in a project of its own."""
    folder: Path = session.workspace.folder
    session.project = Project(folder)
    task = session.tasks.start("opening", "/open", folder=folder, cache=session.workspace.cache, **asked)
    return see(f"/tasks/{task.number}")


ROUTES = [
    Route("/open", show),
    Route("/open", choose, methods=["POST"]),
    Route("/open/again", again, methods=["POST"]),
    Route("/upload", upload, methods=["POST"]),
]
