"""Open: a file by upload or path, a sheet, a table of a database; what was found, to be corrected."""

import re
from pathlib import Path
from typing import Any

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.foundation.errors import SpecError
from shoal.web.projects import Project
from shoal.web.rendering import check_version, page, posted, project_of, see, session_of
from shoal.web.rows import FOLDER, kept, window
from shoal.web.sessions import Session
from shoal.web.texts import translator

_DELIMITERS = (",", ";", "tab", "|")
_FIRST = 10  # rows that are shown
_NAME = re.compile(r"[^/\\\0]{1,200}")


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
    return page(request, "open.html", {"opened": facts, "root": session.root, "delimiters": _DELIMITERS})


async def choose(request: Request) -> Response:
    """Open a file under the folder that the app was started in, or a table of a database."""
    session, fields = session_of(request), await posted(request)
    given = {key: (fields.get(key) or [""])[0] for key in ("path", "url", "table_name", "sheet", "delimiter")}
    asked: dict[str, Any] = {key: value for key, value in given.items() if value.strip()}
    if "path" in asked:
        asked["path"] = session.inside(asked["path"])
    elif "url" not in asked:
        raise SpecError(translator(session.language)("open.nothing"))
    return _opened(session, asked)


async def again(request: Request) -> Response:
    """Read the open table once more, with another delimiter or from another sheet or table."""
    session, project, fields = session_of(request), project_of(request), await posted(request)
    check_version(project, fields)
    source = project.content["input"]
    given = {key: fields.get(key, [""])[0] for key in ("sheet", "delimiter", "table_name")}
    asked: dict[str, Any] = {key: value for key, value in given.items() if value}
    if asked.get("delimiter") == "tab":
        asked["delimiter"] = "\t"
    if "path" in source:
        return _opened(session, asked | {"path": (project.folder / source["path"]).resolve()})
    return _opened(session, asked | {"url": source["url"]})


async def upload(request: Request) -> Response:
    """Take a file, as it comes, into the private folder.

    The name comes as a header of the part; a name with a path in it is refused, and nothing is ever followed.
    """
    session = session_of(request)
    t = translator(session.language)
    async with request.form(max_files=1) as form:
        file = form.get("file")
        if not isinstance(file, UploadFile) or not file.filename:
            raise SpecError(t("open.nothing"))
        name = file.filename
        if not _NAME.fullmatch(name) or name.startswith("."):
            raise SpecError(t("open.name"))
        target = session.workspace.uploads / name
        draft = target.with_name(f".{target.name}.part")
        draft.touch(mode=0o600)
        with draft.open("wb") as out:
            while chunk := await file.read(2**20):
                out.write(chunk)
    draft.replace(target)
    return _opened(session, {"path": target})


def _opened(session: Session, asked: dict[str, Any]) -> Response:
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
