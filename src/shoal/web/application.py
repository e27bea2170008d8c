"""The app: which address is answered by which screen, and what is said when something is wrong."""

from collections.abc import Awaitable, Callable
from importlib.resources import files
from pathlib import Path
from traceback import extract_tb

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from shoal.foundation.errors import ShoalError
from shoal.web.guard import Guard
from shoal.web.rendering import StaleError, page, see, session_of
from shoal.web.screens import ROUTES
from shoal.web.sessions import Session
from shoal.web.texts import translator


def application(session: Session) -> Starlette:
    """Return the app for a session."""
    static = StaticFiles(directory=str(files("shoal.web").joinpath("static")))
    app = Starlette(
        routes=[Route("/", _start), *ROUTES, Mount("/static", static)],
        middleware=[Middleware(Guard, session=session)],
        exception_handlers={
            404: _missing,
            StaleError: _stale,
            ShoalError: _at_fault,
            Exception: _broken,
        },
    )
    app.state.session = session
    return app


async def _start(request: Request) -> Response:
    """Go to where the work goes on."""
    session = session_of(request)
    opening = session.tasks.last("opening")
    if opening is not None and opening.state == "running":
        return see(f"/tasks/{opening.number}")
    return see("/columns" if session.project is not None and session.project.opened else "/open")


Handler = Callable[[Request, Exception], Awaitable[Response]]


async def _missing(request: Request, error: Exception) -> Response:
    return page(request, "error.html", {"message": _words(request)("errors.missing")}, status=404)


async def _stale(request: Request, error: Exception) -> Response:
    return page(request, "error.html", {"message": _words(request)("errors.stale")}, status=409)


async def _at_fault(request: Request, error: Exception) -> Response:
    return page(request, "error.html", {"message": str(error)}, status=422)


async def _broken(request: Request, error: Exception) -> Response:
    """Tell an error that nobody foresaw by its place only: its own words might hold a value of the table."""
    last = extract_tb(error.__traceback__)[-1]
    place = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
    return page(request, "error.html", {"message": _words(request)("errors.internal", place=place)}, status=500)


def _words(request: Request) -> Callable[..., str]:
    return translator(session_of(request).language)
