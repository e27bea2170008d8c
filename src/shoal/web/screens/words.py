"""Coarser words: the hierarchy of each column as a tree that is edited in place."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.actions.hierarchy import Sheet
from shoal.foundation.errors import SpecError
from shoal.web.hierarchies import TYPES, changed, recipe_of, saved, sheet_of
from shoal.web.projects import Content, Project
from shoal.web.rendering import check_version, page, posted, project_of, see, session_of
from shoal.web.texts import TextError, error_text, translator
from shoal.web.trees import path_to, search, shown
from shoal.web.values import spread_of

_LACKING = 50  # values without a place that are named
_LARGEST = 4 * 2**20  # bytes of a levels file that is imported
_QUICK = 2000  # different values of a column that is looked through for the list of all columns


async def show_all(request: Request) -> Response:
    """Show the columns that are coarsened."""
    project = project_of(request)
    found = {one["column"]: one for one in project.columns.get("columns", [])}
    rows = [
        {
            "number": number,
            "name": name,
            "kind": (column.get("hierarchy") or {"type": "none"})["type"],
            "distinct": found[name]["distinct"] if name in found else None,
            "lacking": _lacking(project, number, column, found.get(name)),
        }
        for number, (name, column) in enumerate(project.content["columns"].items())
        if column["role"] == "quasi" or (column["role"] == "sensitive" and column.get("hierarchy"))
    ]
    return page(request, "words.html", {"rows": rows, "counted": bool(found)})


def _lacking(project: Project, number: int, column: Content, found: Mapping[str, Any] | None) -> int:
    """Return how many values have no place in a levels file; only such a file can lack any."""
    if "path" not in (column.get("hierarchy") or {}) or found is None or found["distinct"] > _QUICK:
        return 0
    try:
        sheet = sheet_of(project, number)
    except SpecError:
        return 0  # its own page tells what is wrong
    return 0 if sheet is None else len(sheet.lacking)


async def show(request: Request) -> Response:
    """Show the tree of a column, as much of it as fits."""
    return _page(request, dict(request.query_params))


def _page(request: Request, asked: Mapping[str, str], *, problem: str = "", status: int = 200) -> Response:
    project, number = project_of(request), _number(request)
    name = list(project.content["columns"])[number]
    try:
        sheet = sheet_of(project, number)
    except SpecError as error:  # the file was changed by hand, perhaps: another type or file can be chosen
        sheet, problem = None, problem or error_text(error, translator(session_of(request).language))
    facts: dict[str, Any] = {
        "number": number,
        "name": name,
        "recipe": recipe_of(project, name),
        "types": TYPES,
        "problem": problem,
        "typed": asked.get("name", ""),
        "sheet": sheet,
    }
    if sheet is not None:
        facts |= _facts(sheet, asked)
    return page(request, "tree.html", facts, status=status)


def _facts(sheet: Sheet, asked: Mapping[str, str]) -> dict[str, Any]:
    top = sheet.tree()
    level, _, place = asked.get("at", "").partition("-")
    path = [top]
    if level.isdecimal() and place.isdecimal() and len(level + place) < 16:
        path = path_to(top, int(place), int(level))
    first = asked.get("first", "0")
    wanted = asked.get("search", "").strip()
    found, matches = search(top, wanted) if wanted else ([], 0)
    return {
        "way": path,
        "tree": shown(path[-1], int(first) if first.isdecimal() and len(first) < 9 else 0),
        "search": wanted,
        "found": found,
        "matches": matches,
        "levels": _levels(sheet),
        "lacking": [(value, sheet.counts[value], sheet.nearest(value)) for value in sheet.lacking[:_LACKING]],
        "lacks": len(sheet.lacking),
        "spread": spread_of(sheet),
        "records": sum(sheet.counts.values()),
    }


def _levels(sheet: Sheet) -> list[tuple[int, int]]:
    """Return for each level how many nodes it has, and the records of the smallest."""
    told = []
    for level in range(len(sheet.rows[0])):
        records: dict[str, int] = {}
        for row in sheet.rows:
            records[row[level]] = records.get(row[level], 0) + sheet.counts.get(row[0], 0)
        told.append((len(records), min(records.values())))
    return told


def _number(request: Request) -> int:
    number = int(request.path_params["number"])
    columns = project_of(request).content["columns"]
    if number >= len(columns):
        raise TextError("words.unknown")
    return number


async def look(request: Request) -> Response:
    """Search for values and groups; what is searched for is a value, and stands in no address."""
    fields = await posted(request)
    return _page(request, {"search": fields.get("search", [""])[0]})


async def change(request: Request) -> Response:
    """Do what was asked for, and write it as the levels file of the project."""
    project, number, fields = project_of(request), _number(request), await posted(request)
    check_version(project, fields)
    given = {key: values[0] for key, values in fields.items()}
    try:
        sheet, recipe = changed(project, number, given, fields.get("node", []))
        saved(project, number, sheet, recipe)
    except SpecError as error:
        return _page(request, given, problem=error_text(error, translator(session_of(request).language)), status=422)
    at = given.get("at", "")
    return see(f"/words/{number}{f'?at={at}' if at.replace('-', '').isdecimal() else ''}#tree")


async def take(request: Request) -> Response:
    """Take a levels file, or one of groups, in place of what stands there."""
    project, number = project_of(request), _number(request)
    try:
        draft = session_of(request).workspace.cache / "levels.csv"
        async with request.form(max_files=1) as form:
            check_version(project, {"version": [str(form.get("version", ""))]})
            draft.write_bytes(await _content(form.get("file")))
            kind = "groups" if form.get("kind") == "groups" else "levels"
        sheet, _ = changed(project, number, {"do": "make", "type": kind, "path": str(draft)}, [])
        saved(project, number, sheet, None)
    except SpecError as error:
        return _page(request, {}, problem=error_text(error, translator(session_of(request).language)), status=422)
    return see(f"/words/{number}#tree")


async def _content(file: object) -> bytes:
    if not isinstance(file, UploadFile) or not file.filename:
        raise TextError("open.nothing")
    content = await file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise TextError("words.large")
    return content


async def give(request: Request) -> Response:
    """Give the levels file."""
    project, number = project_of(request), _number(request)
    sheet = sheet_of(project, number)
    if sheet is None:
        raise TextError("words.not_counted")
    headers = {"Content-Disposition": f'attachment; filename="levels-{number + 1}.csv"'}
    return Response(sheet.text.encode(), media_type="text/csv; charset=utf-8", headers=headers)


async def count(request: Request) -> Response:
    """Read the table again, to count the values of its columns."""
    session, project = session_of(request), project_of(request)
    cache: Path = session.workspace.cache
    task = session.tasks.start("opening", "/words", folder=project.folder, cache=cache)
    return see(f"/tasks/{task.number}")


ROUTES = [
    Route("/words", show_all),
    Route("/words/count", count, methods=["POST"]),
    Route("/words/{number:int}", show),
    Route("/words/{number:int}", change, methods=["POST"]),
    Route("/words/{number:int}/search", look, methods=["POST"]),
    Route("/words/{number:int}/take", take, methods=["POST"]),
    Route("/words/{number:int}/levels.csv", give),
]
