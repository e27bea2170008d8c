"""What do we promise? Each promise in one sentence, with its parameters; checked by the library as they are entered."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.foundation.errors import SpecError
from shoal.jobs.requests import faults_in
from shoal.models import MODELS
from shoal.tables.table import Role
from shoal.web import promise_forms
from shoal.web.projects import Project
from shoal.web.rendering import check_version, page, posted, project_of, see, session_of
from shoal.web.sessions import AppSession
from shoal.web.texts import catalogue

PRESETS = {"public": 12, "contract": 5, "in_house": 3}
"""The k of each kind of recipient: risks of 0.09, 0.2 and a third."""


async def show(request: Request) -> Response:
    """Show what is promised."""
    return _page(request, project_of(request).content["require"])


def _page(request: Request, promises: Sequence[Mapping[str, Any]], *, status: int = 200) -> Response:
    session, project = session_of(request), project_of(request)
    beside, others = _checked(project, promises)
    texts = catalogue(session.language)
    sensitive = _sensitive(project)
    unusable = set() if sensitive else {name for name in MODELS.own if _speaks_of_column(name)}
    facts = {
        "promises": [_card(place, one, session, project) for place, one in enumerate(promises)],
        "beside": beside,
        "others": others,
        "unsaved": status != 200,
        "models": [name for name in MODELS.names if name not in unusable],
        "sensitive": sensitive,
        "presets": PRESETS,
        "said": lambda key, default="": texts.get(f"promises.{key}", default),
        "short": lambda name: texts.get(f"promises.{name}", name),
    }
    return page(request, "promises.html", facts, status=status)


def _sensitive(project: Project) -> list[str]:
    return [name for name, column in project.content["columns"].items() if column.get("role") == Role.SENSITIVE]


def _speaks_of_column(model: str) -> bool:
    return any(field.kind == "column" for field in promise_forms.fields_of(model))


def _card(place: int, promise: Mapping[str, Any], session: AppSession, project: Project) -> dict[str, Any]:
    member = MODELS.find(promise["model"])
    if member is None:
        raise SpecError(f"Unknown privacy model in the job file of the project: promise {place + 1}.")
    fields = promise_forms.fields_of(promise["model"])
    return {
        "model": promise["model"],
        "reference": member.reference,
        "first_line": (member.__doc__ or "").partition("\n")[0],
        "fields": [(one, promise_forms.shown(one, promise, project.folder, session.root)) for one in fields],
    }


def _checked(project: Project, promises: Sequence[Mapping[str, Any]]) -> tuple[dict[str, str], list[str]]:
    """Return what the library says of promises: by field, and what concerns no field."""
    content = promise_forms.with_promises(project.content, promises)
    return promise_forms.places_of(faults_in(content, project.folder))


async def _entered(request: Request) -> tuple[dict[str, list[str]], list[dict[str, Any]]]:
    """Return the fields of the form, and its promises with what a button does to them."""
    session, project, fields = session_of(request), project_of(request), await posted(request)
    stated = project.content["require"]
    for key, values in fields.items():
        if key.startswith("p") and key.endswith("-model"):
            _ = MODELS[values[0]]
    return fields, promise_forms.entered(fields, stated, project.folder, session.root)


async def change(request: Request) -> Response:
    """Save the promises, or add one, or take one away."""
    session, project = session_of(request), project_of(request)
    fields, promises = await _entered(request)
    check_version(project, fields)
    stated = project.content["require"]
    asked = {name: fields[name][0] for name in ("remove", "add", "preset") if name in fields}
    if asked.get("remove", "").isdecimal():
        promises = [one for place, one in enumerate(promises) if place != int(asked["remove"])]
    if "add" in asked:
        model = MODELS[fields.get("new_model", [""])[0]].name
        promises.append(promise_forms.first_of(model, _sensitive(project)))
    if asked.get("preset") in PRESETS:
        promises = promise_forms.with_k(promises, PRESETS[asked["preset"]])
    beside, others = _checked(project, promises)
    if beside or others:
        return _page(request, promises, status=422)
    _check_files(session, project, promises, stated)
    if promises != stated:
        told = ", ".join(dict.fromkeys(one["model"] for one in promises))
        project.change(lambda content: promise_forms.with_promises(content, promises), "history.promises", models=told)
    return see("/try" if "next" in fields else "/promises")


def _check_files(
    session: AppSession, project: Project, promises: Sequence[Mapping[str, Any]], stated: Sequence[Mapping[str, Any]]
) -> None:
    """Raise a SpecError if a promise names a file that may not be opened; those of the project so far may."""
    known = {one.get(name) for one in stated for name in MODELS[one["model"]].files}
    for promise in promises:
        for name in MODELS[promise["model"]].files:
            path = promise.get(name)
            if path is not None and path not in known:
                session.inside(
                    promise_forms.shown(_file(promise["model"], name), promise, project.folder, session.root)
                )


def _file(model: str, name: str) -> promise_forms.PromiseField:
    return next(field for field in promise_forms.fields_of(model) if field.name == name)


async def check(request: Request) -> Response:
    """Tell what the library says of what is entered, while it is entered; nothing is changed."""
    _, promises = await _entered(request)
    beside, others = _checked(project_of(request), promises)
    return page(request, "promises_checked.html", {"beside": beside, "others": others})


ROUTES = [
    Route("/promises", show),
    Route("/promises", change, methods=["POST"]),
    Route("/promises/check", check, methods=["POST"]),
]
