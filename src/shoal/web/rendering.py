"""Rendering: a page or a part of one, from a template and facts; every value is escaped."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from shoal.web import figures
from shoal.web.guard import FORM
from shoal.web.projects import Project
from shoal.web.sessions import AppSession
from shoal.web.texts import LANGUAGES, TextError, catalogue, translator

PART = "x-shoal-part"
"""The header by which our script asks for a part of a page."""


@dataclass(frozen=True, slots=True)
class Step:
    """A screen in the order of the work.

    Args:
        key: Its key in the catalogue of texts.
        path: Its address.
        needs: What must be there: nothing, a `table`, or something `tried`.
    """

    key: str
    path: str
    needs: str = "table"


STEPS = (
    Step("open", "/open", ""),
    Step("columns", "/columns"),
    Step("exposure", "/exposure"),
    Step("words", "/words"),
    Step("promises", "/promises"),
    Step("trials", "/try"),
    Step("look", "/look", "tried"),
    Step("hand_over", "/hand-over", "tried"),
    Step("next_time", "/next-time"),
    Step("history", "/history"),
)


_FIGURES: Mapping[str, Callable[..., str]] = {
    "counted": figures.number,
    "decimal": figures.decimal,
    "percent": figures.percent,
    "share": figures.share_of_all,
}
"""How pages write numbers."""


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("shoal.web", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def session_of(request: Request) -> AppSession:
    """Return the session of the app."""
    found: AppSession = request.app.state.session
    return found


def project_of(request: Request) -> Project:
    """Return the open project, or raise a SpecError if there is none."""
    project = session_of(request).project
    if project is None or not project.opened:
        raise TextError("open.first")
    return project


def page(request: Request, name: str, facts: Mapping[str, Any] | None = None, *, status: int = 200) -> Response:
    """Return a page.

    Args:
        request: What is answered.
        name: The name of its template.
        facts: What the template shows.
        status: The status of the answer.
    """
    return HTMLResponse(rendered(request, name, facts), status)


def rendered(request: Request, name: str, facts: Mapping[str, Any] | None = None) -> str:
    """Return a template with its facts filled in, and with what all pages know."""
    session = session_of(request)
    project = session.project if session.project is not None and session.project.opened else None
    tried = project is not None and any((project.folder / "tried").glob("[0-9]*"))
    there = {"", *(("table",) if project is not None else ()), *(("tried",) if tried else ())}
    t = translator(session.language)
    shared = {
        "t": t,
        "keys": catalogue(session.language),
        "language": session.language,
        "languages": LANGUAGES,
        "path": request.url.path,
        "here": _address(request),
        "part": PART in request.headers,
        "steps": [(step, step.needs in there) for step in STEPS],
        "project": project,
        "kept": project is not None and project.folder != session.workspace.folder,
        "version": "" if project is None else project.version,
        "tasks": session.tasks.running,
        "action": lambda path, **query: action(session, path, **query),
        "svg": Markup,  # pictures of ours, which escape what they show
        "message": "",
        **{name: partial(written, t=t) for name, written in _FIGURES.items()},
    }
    return _environment().get_template(name).render(shared | dict(facts or {}))


def _address(request: Request) -> str:
    """Return the address of a page that is asked for, so that another language leads back to it."""
    query = request.url.query if request.method == "GET" else ""
    return f"{request.url.path}?{query}" if query else request.url.path


def action(session: AppSession, path: str, **query: Any) -> str:
    """Return the address that a form of ours is sent to."""
    return f"{path}?{urlencode({FORM: session.form, **query})}"


def see(path: str) -> Response:
    """Return an answer that leads to a page, so that going back or reloading sends nothing twice."""
    return RedirectResponse(path, 303)


async def posted(request: Request) -> dict[str, list[str]]:
    """Return the fields of a form that was sent; each may have several values."""
    form = await request.form()
    found: dict[str, list[str]] = {}
    for name, value in form.multi_items():
        if isinstance(value, str):
            found.setdefault(name, []).append(value)
    return found


def check_version(project: Project, fields: Mapping[str, list[str]]) -> None:
    """Raise a StaleError unless a form was made of the present state of a project."""
    if fields.get("version", [""])[0] != project.version:
        raise StaleError


class StaleError(Exception):
    """The project has changed since a form was made: in another tab, by the command line or in an editor."""
