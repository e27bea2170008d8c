"""Look: the same records before and after, what each column lost, the classes, what attacks find; the two reports."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from shoal.reports.drawing.charts import bars
from shoal.web.figures import number as counted
from shoal.web.figures import percent, wording
from shoal.web.projects import Project
from shoal.web.rendering import page, project_of, see, session_of
from shoal.web.texts import TextError, Translate, translator
from shoal.web.tries import Try, stale, tries

REPORTS = {"private": "report.html", "public": "report-public.html"}

_PICTURES = 12  # columns that are drawn on a page
_LETTERS = 60  # of a cell
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; sandbox"


async def show(request: Request) -> Response:
    """Show a try, the newest one unless another is asked for."""
    project, session = project_of(request), session_of(request)
    one = chosen(request, project, request.query_params.get("number"))
    facts = {"one": one, "tries": tries(project), "stale": stale(one, project)}
    look = one.look
    if look is None:
        return page(request, "look.html", {**facts, "look": None})
    if not look:
        return page(request, "look.html", {**facts, "look": {}})
    t, silent = translator(session.language), set(look["verdict"].get("silent", ()))
    columns = sorted(look["columns"]["columns"], key=lambda column: column["name"] not in silent)
    asked = request.query_params.get("columns", "0")
    first = min(int(asked) if asked.isdecimal() and len(asked) < 9 else 0, max(len(columns) - 1, 0))
    words, language = (t("look.before"), t("look.after")), wording(t)
    drawn = [
        {**column, "picture": bars(t("look.picture", name=column["name"]), *_shares(column, t), words, language)}
        for column in [column for column in columns if column["labels"]][first : first + _PICTURES]
    ]
    classes = look.get("classes")
    facts |= {
        "look": look,
        "silent": silent,
        "columns": columns,
        "drawn": drawn,
        "first": first,
        "shown": _PICTURES,
        "n_drawn": sum(bool(column["labels"]) for column in columns),
        "sides": _sides(look["rows"]),
        "classes": classes,
        "sizes": classes and bars(t("look.sizes"), _ranges(classes["ends"], t), classes["shares"], wording=wording(t)),
        "attacks": [words for finding in _findings(look) for words in [attack_in_words(finding, t)]],
    }
    return page(request, "look.html", facts)


def chosen(request: Request, project: Project, asked: str | None) -> Try:
    """Return the try that a page is about: that of a key, or the newest one."""
    found = tries(project)
    if asked:
        found = [one for one in found if one.key == asked]
    if not found:
        raise TextError("look.none")
    return found[0]


def _shares(column: Mapping[str, Any], t: Translate) -> tuple[Sequence[str], Sequence[float], Sequence[float]]:
    """Return the bins of a column with their shares after and before; those that are no values have names of ours."""
    labels = list(column["labels"])
    for number in column["special"]:
        labels[number] = t(f"look.bin_{labels[number].replace(' ', '_')}")
    return labels, column["after"], column["before"]


def _ranges(ends: Sequence[Sequence[int]], t: Translate) -> list[str]:
    """Return ranges of whole numbers in words."""
    told = [(counted(first, t), counted(last, t)) for first, last in ends]
    return [first if first == last else t("look.range", first=first, last=last) for first, last in told]


def _sides(rows: Mapping[str, Any]) -> list[tuple[list[Any], list[Any] | None]]:
    """Return each record before and after; a cell has its text and whether it was changed."""
    return [
        (
            [(_cut(cell), False) for cell in before],
            None if after is None else [(_cut(cell), cell != old) for cell, old in zip(after, before, strict=True)],
        )
        for before, after in zip(rows["before"], rows["after"], strict=True)
    ]


def _cut(cell: str | None) -> str | None:
    return cell if cell is None or len(cell) <= _LETTERS else cell[: _LETTERS - 1] + "…"


def _findings(look: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(look.get("attacks", {}).get("findings", ()))


def attack_in_words(finding: Mapping[str, Any], t: Translate) -> dict[str, Any]:
    """Return what an attack found in a sentence, and whether it found anybody."""
    key = finding["attack"].replace("-", "_")
    if key == "similarity":
        key = f"similarity_{'range' if finding['by'] == 'range' else 'group'}"
    shares = {"share": percent(finding["share"], t), "at": percent(finding.get("at", 0), t, 0)}
    found = finding["records"] > 0
    told = {**finding, **shares}
    return {"words": t(f"look.{key}" if found else f"look.no_{key}", **told), "found": found}


async def begin(request: Request) -> Response:
    """Look at a try that was made without looking."""
    session, project = session_of(request), project_of(request)
    one = chosen(request, project, request.path_params["number"])
    task = session.tasks.start("looking", f"/look?number={one.key}", folder=one.folder)
    return see(f"/tasks/{task.number}")


async def report(request: Request) -> Response:
    """Show a report as it was written: a page that may do nothing."""
    one = chosen(request, project_of(request), request.path_params["number"])
    side = request.path_params["side"]
    path: Path = one.release / side / REPORTS.get(side, "")
    if side not in REPORTS or not path.is_file():
        raise TextError("look.no_report")
    return FileResponse(path, media_type="text/html; charset=utf-8", headers={"Content-Security-Policy": _POLICY})


ROUTES = [
    Route("/look", show),
    Route("/look/{number}", begin, methods=["POST"]),
    Route("/look/{number}/report/{side}", report),
]
