"""The table itself: any of its rows."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.web.rendering import page, project_of, session_of
from shoal.web.rows import FOLDER, kept, window
from shoal.web.texts import TextError

SHOWN = 40  # rows of a part


async def show(request: Request) -> Response:
    """Show some rows."""
    session = session_of(request)
    project_of(request)
    path = session.workspace.cache / FOLDER
    if not kept(path):
        raise TextError("rows.gone")
    asked = request.query_params.get("first", "0")
    found = window(path, int(asked) if asked.isdecimal() and len(asked) < 16 else 0, SHOWN)
    return page(request, "rows.html", {"window": found, "shown": SHOWN})


ROUTES = [Route("/rows", show)]
