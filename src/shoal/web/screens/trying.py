"""Try: settings side by side, each with a release of its own; what they lose against the risk that they leave."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.foundation.errors import ShoalError
from shoal.jobs.glossary import algorithms, meaning, measures
from shoal.jobs.job import Job
from shoal.tables.table import Role
from shoal.web import comparing
from shoal.web.figures import decimal, number, share_of_all
from shoal.web.projects import Project
from shoal.web.rendering import check_version, page, posted, project_of, see, session_of
from shoal.web.settings import Setting, job_of, setting_words, with_setting
from shoal.web.texts import TextError, Translate, error_text, translator
from shoal.web.tries import all_infeasible

_SHOWN = 100  # settings that the page lists
_MOST = 12  # settings that are tried at a time
AUTO = "auto"


async def show(request: Request, entered: Mapping[str, Any] | None = None, message: str = "") -> Response:
    """Show what can be changed, what runs, and what came of all that was tried."""
    session, project = session_of(request), project_of(request)
    t = translator(session.language)
    job, found, failed = project.job, comparing.all_compared(project, t), all_infeasible(project)
    comparable = [one for one in found if one.comparable]
    last = session.tasks.last("trying")
    facts = {
        "given": entered or given_in(job),
        "algorithms": [AUTO, *algorithms()],
        "measures": measures(),
        "clustered": job.objective is not None,
        "quasi": job.names(Role.QUASI),
        "found": found[:_SHOWN],
        "hidden": max(len(found) - _SHOWN, 0),
        "picture": comparing.picture(comparable, len(failed), t) if comparable else "",
        "apart": len(found) - len(comparable),
        "failed": [(setting_words(one["setting"], t), one["message"]) for one in failed],
        "running": [task.as_dict() for task in session.tasks.running if task.kind == "trying"],
        "fault": message or (last.message if last is not None and last.state == "failed" else ""),
        **_formats(t),
    }
    return page(request, "try.html", facts, status=422 if message else 200)


def _formats(t: Translate) -> dict[str, Any]:
    return {
        "gap": lambda one: comparing.gap(one, t),
        "meaning": meaning,
    }


def given_in(job: Job) -> dict[str, Any]:
    """Return what the fields of the form hold for the job as it stands."""
    sizes = [str(one.parameters["k"]) for one in job.require if one.name == "k-anonymity"]
    algorithm = job.search.algorithm
    return {
        "k": sizes[0] if sizes else "",
        "algorithm": AUTO if algorithm is None else algorithm.name,
        "measure": job.search.measure.name,
        "max_suppressed": f"{100 * float(job.search.max_suppressed):g}",
        "omit": [],
    }


async def begin(request: Request) -> Response:
    """Try one setting, or one for each k that is named."""
    session, project, fields = session_of(request), project_of(request), await posted(request)
    check_version(project, fields)
    t = translator(session.language)
    entered: dict[str, Any] = {
        name: fields.get(name, [""])[0].strip() for name in ("k", "algorithm", "measure", "max_suppressed")
    }
    entered["omit"] = fields.get("omit", [])
    try:
        settings = settings_of(entered, given_in(project.job))
        for setting in settings:
            job_of(project, setting)
    except ShoalError as error:
        return await show(request, entered, error_text(error, t))
    session.tasks.start("trying", "/try", folder=project.folder, version=project.version, settings=settings)
    return see("/try")


def settings_of(entered: Mapping[str, Any], given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the settings that a form asks for: what differs from the job as it stands, for each k."""
    chosen = {
        name: entered[name] for name in ("algorithm", "measure") if entered[name] and entered[name] != given[name]
    }
    if entered["max_suppressed"] and entered["max_suppressed"] != given["max_suppressed"]:
        chosen["max_suppressed"] = share_of(entered["max_suppressed"])
    if entered["omit"]:
        chosen["omit"] = sorted(entered["omit"])
    sizes = [one for one in re.split(r"[\s,;]+", entered["k"]) if one]
    if not all(one.isascii() and one.isdecimal() and len(one) < 10 for one in sizes):
        raise TextError("trials.wrong_k")
    if len(sizes) > _MOST:
        raise TextError("trials.too_many", most=_MOST)
    own = [{} if one == given["k"] else {"k": int(one)} for one in dict.fromkeys(sizes)]
    return [{**one, **chosen} for one in own or [{}]]


def share_of(text: str) -> float:
    """Return a share that is written in per cent."""
    try:
        found = Decimal(text.replace(",", ".").removesuffix("%").strip()) / 100
    except InvalidOperation:
        found = Decimal("NaN")
    if not 0 <= (found if found.is_finite() else -1) <= 1:
        raise TextError("trials.wrong_share")
    return float(found)


def _one(project: Project, number: int, t: Translate) -> comparing.ComparedTry:
    found = next((one for one in comparing.all_compared(project, t) if one.number == number), None)
    if found is None:
        raise HTTPException(404)
    return found


async def detail(request: Request) -> Response:
    """Show what came of one setting, and what would lose less."""
    project, t = project_of(request), translator(session_of(request).language)
    one = _one(project, int(request.path_params["number"]), t)
    given = given_in(project.job)
    changes = [
        (change, _fields(_together(one.figures["setting"], change["setting"]), given))
        for change in one.figures["useful"]["changes"]
    ]
    return page(request, "tried.html", {"one": one, "changes": changes, **_formats(t)})


def _together(setting: Setting, change: Setting) -> dict[str, Any]:
    """Return a setting with a change on top."""
    omitted = sorted({*setting.get("omit", ()), *change.get("omit", ())})
    return {**setting, **change, **({"omit": omitted} if omitted else {})}


def _fields(setting: Setting, given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the fields of a form that asks for a setting."""
    told = {name: str(setting.get(name, given[name])) for name in ("k", "algorithm", "measure")}
    share = setting.get("max_suppressed")
    told["max_suppressed"] = given["max_suppressed"] if share is None else f"{100 * float(share):.10g}"
    return [*told.items(), *(("omit", name) for name in setting.get("omit", ()))]


async def take(request: Request) -> Response:
    """Make a setting that was tried the project's own."""
    project, fields = project_of(request), await posted(request)
    check_version(project, fields)
    t = translator(session_of(request).language)
    one = _one(project, int(request.path_params["number"]), t)
    if not one.present:
        raise TextError("trials.earlier_state")
    setting = one.figures["setting"]
    if setting:
        project.change(lambda content: with_setting(content, setting), "history.took", number=one.number)
    return see("/try")


async def compare(request: Request) -> Response:
    """Show two settings side by side."""
    project, t = project_of(request), translator(session_of(request).language)
    asked = [one for one in request.query_params.getlist("of") if one.isdecimal() and len(one) < 9]
    if len(set(asked)) != 2:
        return await show(request, message=t("trials.choose_two"))
    pair = [_one(project, int(number), t) for number in dict.fromkeys(asked)]
    facts = {"pair": pair, "lines": _lines(pair, t), "alike": pair[0].figures["scale"] == pair[1].figures["scale"]}
    return page(request, "compared.html", {**facts, **_formats(t)})


def _lines(pair: Sequence[comparing.ComparedTry], t: Translate) -> list[tuple[str, list[str], int | None]]:
    """Return the lines of a comparison: what it is, both figures, and which one is better, if that can be said."""
    figures = [one.figures for one in pair]
    alike = figures[0]["scale"] == figures[1]["scale"]

    def line(key: str, shown: list[str], worth: list[float] | None = None) -> tuple[str, list[str], int | None]:
        better = None if worth is None or worth[0] == worth[1] else worth.index(min(worth))
        return t(f"trials.{key}"), shown, better

    losses = [one["loss"]["share"] for one in figures]
    gone = [one["records"]["suppressed"] for one in figures]
    least = [one["classes"]["smallest"] for one in figures]
    silent = [one["useful"]["silent"] for one in figures]
    return [
        line("setting", ["; ".join(one.words) for one in pair]),
        line("algorithm", [one["algorithm"]["name"] for one in figures]),
        line("loss", [share_of_all(one, t) for one in losses], losses if alike else None),
        line("proven", [comparing.gap(one, t) for one in figures]),
        line("suppressed", [number(one, t) for one in gone], [float(one) for one in gone]),
        line("smallest", [number(one, t) for one in least], [-float(one) for one in least]),
        line("classes", [number(one["classes"]["count"], t) for one in figures]),
        line("silent", [", ".join(one) or t("trials.none") for one in silent], [float(len(one)) for one in silent]),
        line("also_promised", ["; ".join(one["promises"]) or t("trials.none") for one in figures]),
        line("seconds", [decimal(one["seconds"], t) for one in figures]),
    ]


ROUTES = [
    Route("/try", show),
    Route("/try", begin, methods=["POST"]),
    Route("/try/compare", compare),
    Route("/try/{number:int}", detail),
    Route("/try/{number:int}/take", take, methods=["POST"]),
]
