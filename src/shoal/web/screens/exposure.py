"""How exposed are people now? The risks of the raw table, and what somebody who looks for a person finds."""

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.reports.drawing.charts import bars, curve
from shoal.tables.table import Role
from shoal.web.figures import wording
from shoal.web.projects import EXPOSURE, Project
from shoal.web.rendering import page, posted, project_of, see, session_of
from shoal.web.texts import TextError, Translate, translator

_LISTED = 12  # columns, and pairs, that are shown
_VALUE = 200  # letters of a value that somebody knows


async def show(request: Request) -> Response:
    """Show the risks, which are measured when the page is first looked at."""
    session, project = session_of(request), project_of(request)
    t = translator(session.language)
    kept, version = _kept(project), project.version
    last = session.tasks.last("exposing")
    mine = last is not None and last.request["version"] == version
    if kept is None and not mine:
        last, mine = session.tasks.start("exposing", "/exposure", folder=project.folder, version=version), True
        kept = _kept(project)
    facts: dict[str, Any] = {
        "risk": None if kept is None else kept["risk"],
        "task": last.as_dict() if kept is None and last is not None and mine else None,
        "quasi": project.job.names(Role.QUASI),
        "known": {},
        "found": None,
    }
    if kept is not None:
        facts |= _shown(kept, t)
    return page(request, "exposure.html", facts)


def _kept(project: Project) -> dict[str, Any] | None:
    """Return the risks of the present state of the project, if they were measured."""
    path = project.folder / EXPOSURE
    if not path.is_file():
        return None
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found if found["version"] == project.version else None


def _shown(kept: dict[str, Any], t: Translate) -> dict[str, Any]:
    """Return the figures in the order of the page, and its pictures."""
    single = kept["risk"]["singling_out"]
    columns = sorted(single["columns"], key=lambda one: (-one["alone"], one["without"]))
    pairs = sorted(single["pairs"], key=lambda one: -one["alone"])
    best = columns[:_LISTED]
    shares = {int(size): share for size, share in kept["curve"].items()}
    return {
        "columns": best,
        "pairs": pairs[:_LISTED],
        "more": max(len(columns) - _LISTED, 0),
        "sets": (kept["risk"]["suda"] or {}).get("sets", [])[:_LISTED],
        "limits": kept["risk"]["prosecutor"]["strict"]["thresholds"],
        "curve": curve(t("exposure.curve"), 0, shares, wording=wording(t)),
        "bars": bars(
            t("exposure.bars"), [one["columns"][0] for one in best], [one["alone"] for one in best], wording=wording(t)
        ),
    }


async def measure(request: Request) -> Response:
    """Measure the risks again, after that was cancelled or went wrong."""
    session, project = session_of(request), project_of(request)
    session.tasks.start("exposing", "/exposure", folder=project.folder, version=project.version)
    return see("/exposure")


async def find(request: Request) -> Response:
    """Look for a person by what is known; the values are in no address, and are not kept."""
    session, project, fields = session_of(request), project_of(request), await posted(request)
    names = project.job.names(Role.QUASI)
    given = {name: (fields.get(f"known-{number}") or [""])[0] for number, name in enumerate(names)}
    known = {name: value[:_VALUE] for name, value in given.items() if value.strip()}
    if not known:
        raise TextError("exposure.nothing_known")
    task = session.tasks.start("finding", "", folder=project.folder, known=known)
    task.then = f"/exposure/found/{task.number}"
    return see(f"/tasks/{task.number}")


async def found(request: Request) -> Response:
    """Show what somebody found."""
    session, project = session_of(request), project_of(request)
    task = session.tasks.get(int(request.path_params["number"]))
    if task is None or task.kind != "finding" or task.state != "done":
        return see("/exposure")
    facts = {
        "found": task.result,
        "known": task.request["known"],
        "quasi": project.job.names(Role.QUASI),
    }
    return page(request, "found.html", facts)


ROUTES = [
    Route("/exposure", show),
    Route("/exposure", measure, methods=["POST"]),
    Route("/exposure/find", find, methods=["POST"]),
    Route("/exposure/found/{number:int}", found),
]
