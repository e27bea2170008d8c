"""Next time: the same rules, or the same job, for the next table; what came of it beside the first release."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.actions.apply import Failing
from shoal.web.projects import Content, Project
from shoal.web.rendering import check_version, page, posted, project_of, see, session_of
from shoal.web.sessions import AppSession
from shoal.web.texts import TextError
from shoal.web.tries import Try, by_rules, table_of, tries
from shoal.web.uploads import take_form

_SHOWN = 6  # releases side by side


async def show(request: Request) -> Response:
    """Show how to go on with the next table, and what came of that so far."""
    session, project = session_of(request), project_of(request)
    found = [one for one in tries(project) if not one.applied]
    asked = request.query_params.get("number", "")
    one = next((one for one in found if one.key == asked), found[0] if found else None)
    made = by_rules(project)[-_SHOWN:]
    firsts = {one.number: one for one in found}
    compared = [*(one for number, one in firsts.items() if number in {each.told["of"] for each in made}), *made]
    facts = {
        "one": one,
        "tries": found,
        "compared": compared,
        "tables": {each.key: _shown_table(session, project, each) for each in made},
        "ways": get_args(Failing),
        "root": session.root,
    }
    return page(request, "next_time.html", facts)


def _shown_table(session: AppSession, project: Project, one: Try) -> str:
    path, root = table_of(project, one), session.root.absolute()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


async def put(request: Request) -> Response:
    """Put the rules of a try to another table."""
    session, project = session_of(request), project_of(request)
    fields, sent = await take_form(request, session.workspace.uploads)
    number, failing, path = (fields.get(name, "") for name in ("number", "failing", "path"))
    found = {one.key for one in tries(project) if not one.applied}
    if number not in found or failing not in get_args(Failing):
        raise TextError("look.none")
    if sent is None and not path.strip():
        raise TextError("open.nothing")
    asked: dict[str, Any] = {
        "folder": project.folder,
        "number": int(number),
        "path": sent or session.inside(path),
        "failing": failing,
    }
    return see(f"/tasks/{session.tasks.start('applying', '/next-time#compared', **asked).number}")


async def go_on(request: Request) -> Response:
    """Take the next table for the same job: its settings stay, and are to be tried again."""
    session, project, fields = session_of(request), project_of(request), await posted(request)
    check_version(project, fields)
    table = session.inside(fields.get("path", [""])[0] or "/")
    if not table.is_file():
        raise TextError("open.nothing")
    project.change(lambda content: with_table(content, table, project.folder), "history.table")
    task = session.tasks.start("opening", "/try", folder=project.folder, cache=session.workspace.cache)
    return see(f"/tasks/{task.number}")


def with_table(content: Content, table: Path, folder: Path) -> Content:
    """Return a job for another file; how that is to be read is found out again."""
    old: Mapping[str, Any] = content["input"]
    kept = {key: value for key, value in old.items() if key not in ("path", "url", "table", "delimiter", "sheet")}
    return {**content, "input": {"path": Path(os.path.relpath(table, folder)).as_posix(), **kept}}


ROUTES = [
    Route("/next-time", show),
    Route("/next-time/apply", put, methods=["POST"]),
    Route("/next-time/table", go_on, methods=["POST"]),
]
