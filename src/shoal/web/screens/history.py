"""History: every change of the project and every setting that was tried; undo, and going back to any state."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.web.projects import EarlierState
from shoal.web.rendering import check_version, page, posted, project_of, see, session_of
from shoal.web.screens.session import proposed_name
from shoal.web.texts import LANGUAGES, Translate, catalogue, translator
from shoal.web.tries import stale, tries

SHOWN = 50  # changes on a page


async def show(request: Request) -> Response:
    """Show what was changed, the last change first, and what was tried."""
    session, project = session_of(request), project_of(request)
    t = translator(session.language)
    changes = [(one, in_words(one, t)) for one in reversed(project.history)]
    asked = request.query_params.get("first", "0")
    first = int(asked) if asked.isdecimal() and len(asked) < 9 else 0
    facts = {
        "changes": changes[first : first + SHOWN],
        "last": changes[0] if changes else None,
        "first": first,
        "shown": SHOWN,
        "total": len(changes),
        "tries": [(one, stale(one, project)) for one in tries(project)][:SHOWN],
        "name": proposed_name(project),
        "root": session.root,
    }
    return page(request, "history.html", facts)


def in_words(change: EarlierState, t: Translate) -> str:
    """Return what was done; a change that this version has no words for is told by its key."""
    key, told = change.what
    return t(key, **told) if key in catalogue(LANGUAGES[0]) else key


async def restore(request: Request) -> Response:
    """Go back to the state before a change."""
    project, fields = project_of(request), await posted(request)
    check_version(project, fields)
    project.restore(int(request.path_params["number"]))
    return see("/history")


ROUTES = [
    Route("/history", show),
    Route("/history/{number:int}", restore, methods=["POST"]),
]
