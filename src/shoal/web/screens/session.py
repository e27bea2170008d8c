"""The run of the app itself: its language, keeping the project, quitting."""

from pathlib import PurePath

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.web.projects import Project
from shoal.web.rendering import page, posted, project_of, see, session_of
from shoal.web.texts import LANGUAGES, TextError


async def language(request: Request) -> Response:
    """Show all pages in another language."""
    fields = await posted(request)
    asked = fields.get("language", [""])[0]
    if asked in LANGUAGES:
        session_of(request).language = asked
    back = fields.get("back", ["/"])[0]
    return see(back if back.startswith("/") and not back.startswith("//") else "/")


async def keep(request: Request) -> Response:
    """Keep the project under a name in the folder that the app was started in."""
    session, project = session_of(request), project_of(request)
    fields = await posted(request)
    name = fields.get("name", [""])[0].strip()
    if project.folder != session.workspace.folder:
        raise TextError("keep.kept")
    if session.tasks.running:
        raise TextError("keep.running")
    if not name or name.startswith(".") or name != "".join(one for one in name if one.isalnum() or one in "-_. "):
        raise TextError("keep.name")
    target = session.root / name
    if target.exists() or session.workspace.folder.parent != session.root:
        raise TextError("keep.taken")
    session.keep(target)
    return see("/quit" if "quit" in fields else "/history#keep")


async def ask(request: Request) -> Response:
    """Ask before the app ends: what is not kept is lost."""
    return page(request, "leave.html", {"name": proposed_name(session_of(request).project)})


def proposed_name(project: Project | None) -> str:
    """Return a name for a project: that of its table."""
    if project is None or not project.opened:
        return ""
    stem = PurePath(str(project.content["input"].get("path", "project"))).stem
    return "".join(one if one.isalnum() or one in "-_" else "-" for one in stem).strip("-") + "-release"


async def leave(request: Request) -> Response:
    """End the app; everything that was not kept is taken away, and that is asked about first."""
    session = session_of(request)
    project = session.project
    lost = project is not None and project.opened and project.folder == session.workspace.folder
    if (lost or session.tasks.running) and "sure" not in await posted(request):
        return see("/quit")
    return Response(page(request, "quit.html").body, media_type="text/html", background=BackgroundTask(session.quit))


ROUTES = [
    Route("/language", language, methods=["POST"]),
    Route("/keep", keep, methods=["POST"]),
    Route("/quit", ask),
    Route("/quit", leave, methods=["POST"]),
]
