"""The app: which address is answered by which screen, and what is said when something is wrong."""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from traceback import extract_tb

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from shoal.foundation.errors import ShoalError
from shoal.web.guard import Guard
from shoal.web.rendering import StaleError, page, see, session_of
from shoal.web.screens import ROUTES
from shoal.web.sessions import AppSession
from shoal.web.texts import error_text, translator


def application(session: AppSession) -> ASGIApp:
    """Return the app for a session; the guard is outside of all, so that it sees every answer, also to an error."""
    static = StaticFiles(directory=str(files("shoal.web").joinpath("static")))
    app = Starlette(
        routes=[Route("/", _start), *ROUTES, Mount("/static", static)],
        exception_handlers={
            404: _missing,
            405: _elsewhere,
            StaleError: _stale,
            ShoalError: _at_fault,
            Exception: _broken,
        },
    )
    app.state.session = session
    return Guard(app, session)


async def _start(request: Request) -> Response:
    """Go to where the work goes on."""
    session = session_of(request)
    opening = session.tasks.last("opening")
    if opening is not None and opening.state == "running":
        return see(f"/tasks/{opening.number}")
    return see("/columns" if session.project is not None and session.project.opened else "/open")


async def _missing(request: Request, error: Exception) -> Response:
    return page(request, "error.html", {"message": _words(request)("errors.missing")}, status=404)


async def _elsewhere(request: Request, error: Exception) -> Response:
    """Lead who asks for the address of a form to where the work goes on."""
    return see("/") if request.method == "GET" else PlainTextResponse("There is nothing to send here.", 405)


async def _stale(request: Request, error: Exception) -> Response:
    return page(request, "error.html", {"message": _words(request)("errors.stale")}, status=409)


async def _at_fault(request: Request, error: Exception) -> Response:
    return page(
        request,
        "error.html",
        {"message": error_text(error, _words(request)) if isinstance(error, ShoalError) else str(error)},
        status=422,
    )


async def _broken(request: Request, error: Exception) -> Response:
    """Tell an error that nobody foresaw by its place only: its own words might hold a value of the table."""
    last = extract_tb(error.__traceback__)[-1]
    place = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
    return page(request, "error.html", {"message": _words(request)("errors.internal", place=place)}, status=500)


def _words(request: Request) -> Callable[..., str]:
    return translator(session_of(request).language)
