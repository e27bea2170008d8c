"""Sign and hand over: the context, the certificate, verifying, signing, two downloads, a copy, how to repeat it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from shoal.jobs.context import QUESTIONS, ReleaseModel, answered
from shoal.jobs.job import JOB_FILE, Job
from shoal.jobs.release_folder import KEPT, PASSED_ON
from shoal.web.projects import Content, Project
from shoal.web.rendering import check_version, page, posted, project_of, see, session_of
from shoal.web.screens.looking import chosen
from shoal.web.sessions import AppSession
from shoal.web.texts import TextError
from shoal.web.tries import Try, folder_of, kept_json, stale, table_of, tries

SIDES = (PASSED_ON, KEPT)
DATES = ("review", "expiry", "date")


async def show(request: Request) -> Response:
    """Show what is to be signed and handed over."""
    session, project = session_of(request), project_of(request)
    one = chosen(request, project, request.query_params.get("number"))
    answers = answered(project.content.get("context", {}))
    packed = _packed(session, one)
    facts = {
        "one": one,
        "tries": tries(project),
        "stale": stale(one, project),
        "certificate": kept_json(one.release / KEPT / "certificate.json") or {},
        "questions": [*QUESTIONS, "date"],
        "dates": DATES,
        "models": get_args(ReleaseModel),
        "answers": answers,
        "open": [key for key in QUESTIONS if key not in answers],
        "packed": all((packed / f"{side}.zip").is_file() for side in SIDES),
        "halves": {side: _files(one.release / side) for side in SIDES},
        "job": shown_path(session, _job(one)),
        "again": _applied_again(session, project, one) if one.applied else "",
        "root": session.root,
    }
    return page(request, "hand_over.html", facts)


def shown_path(session: AppSession, path: Path) -> str:
    """Return a path as it is typed in the folder that the app was started in."""
    root = session.root.absolute()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def _job(one: Try) -> Path:
    return (one.release / KEPT if one.applied else one.folder) / JOB_FILE


def _applied_again(session: AppSession, project: Project, one: Try) -> str:
    """Return the command that puts the rules to the other table again."""
    release = shown_path(session, folder_of(project, one.told["of"]) / "release")
    table, seed = shown_path(session, table_of(project, one)), Job.read(_job(one)).search.seed
    more = "" if one.told["failing"] == "refuse" else f" --failing {one.told['failing']}"
    return f'shoal apply "{release}" "{table}"{more} --seed {seed} --out again'


def _files(folder: Path) -> list[tuple[str, int]]:
    return [(path.name, path.stat().st_size) for path in sorted(folder.iterdir())] if folder.is_dir() else []


def _packed(session: AppSession, one: Try) -> Path:
    return session.workspace.cache / f"packed-{one.key}"


def _asked(request: Request) -> tuple[AppSession, Try]:
    return session_of(request), chosen(request, project_of(request), request.path_params["number"])


def with_context(content: Content, answers: Mapping[str, str]) -> Content:
    """Return a job with other answers; a question without one is open."""
    return {**content, "context": answered(answers)}


async def answer(request: Request) -> Response:
    """Answer the questions of the context; the same release is then made again, with the answers in its reports."""
    session, one = _asked(request)
    project, fields = project_of(request), await posted(request)
    check_version(project, fields)
    if one.applied or stale(one, project):
        raise TextError("hand_over.stale")
    given = {key: fields.get(key, [""])[0].replace("\r\n", "\n") for key in (*QUESTIONS, "date")}
    if answered(given) == answered(project.content.get("context", {})):
        return see(f"/hand-over?number={one.key}")
    project.change(lambda content: with_context(content, given), "history.context")
    seed = Job.read(one.folder / JOB_FILE).search.seed
    asked = {
        "folder": project.folder,
        "version": project.version,
        "settings": [dict(one.told["setting"])],
        "seed": seed,
    }
    return see(f"/tasks/{session.tasks.start('trying', '/hand-over', **asked).number}")


async def check(request: Request) -> Response:
    """Verify the release from its files, and pack it."""
    session, one = _asked(request)
    asked = {"folder": one.folder, "packed": _packed(session, one)}
    task = session.tasks.start("verifying", f"/hand-over?number={one.key}#verify", **asked)
    return see(f"/tasks/{task.number}")


async def sign(request: Request) -> Response:
    """Sign the release with a key in a file, which may be made."""
    session, one = _asked(request)
    fields = await posted(request)
    key, new = fields.get("key", [""])[0], "new" in fields
    asked: dict[str, Any] = {
        "folder": one.folder,
        "packed": _packed(session, one),
        "key": new_path(session, key) if new else session.inside(key),
        "new": new,
        "name": fields.get("name", [""])[0].strip(),
    }
    task = session.tasks.start("signing", f"/hand-over?number={one.key}#sign", **asked)
    return see(f"/tasks/{task.number}")


async def copy(request: Request) -> Response:
    """Copy the release to a new folder."""
    session, one = _asked(request)
    fields = await posted(request)
    target = new_path(session, fields.get("target", [""])[0])
    asked: dict[str, Any] = {
        "folder": one.folder,
        "target": target,
        "told": shown_path(session, target),
        "public": fields.get("half", [PASSED_ON])[0] == PASSED_ON,
    }
    task = session.tasks.start("handing_over", f"/hand-over?number={one.key}#copy", **asked)
    return see(f"/tasks/{task.number}")


def new_path(session: AppSession, text: str) -> Path:
    """Return where a page wants something to be made: under the folder that the app was started in, and new."""
    given = Path(text.strip())
    if not given.name or any(part.startswith(".") for part in given.parts):
        raise TextError("hand_over.name")
    parent = session.inside(str(given.parent))
    if not parent.is_dir():
        raise TextError("hand_over.no_folder")
    target = parent / given.name
    if target.exists() or target.is_symlink():
        raise TextError("hand_over.taken")
    return target


async def download(request: Request) -> Response:
    """Send one half of a release, packed."""
    session, one = _asked(request)
    side = request.path_params["side"]
    path = _packed(session, one) / f"{side}.zip"
    if side not in SIDES or not path.is_file():
        raise TextError("hand_over.not_packed")
    return FileResponse(path, media_type="application/zip", filename=f"release-{one.key}-{side}.zip")


async def job(request: Request) -> Response:
    """Send the job file that repeats a try."""
    _, one = _asked(request)
    text = _job(one).read_text(encoding="utf-8")
    return PlainTextResponse(text, headers={"Content-Disposition": f'attachment; filename="{JOB_FILE}"'})


ROUTES = [
    Route("/hand-over", show),
    Route("/hand-over/{number}/context", answer, methods=["POST"]),
    Route("/hand-over/{number}/verify", check, methods=["POST"]),
    Route("/hand-over/{number}/sign", sign, methods=["POST"]),
    Route("/hand-over/{number}/copy", copy, methods=["POST"]),
    Route("/hand-over/{number}/download/{side}", download),
    Route("/hand-over/{number}/job", job),
]
