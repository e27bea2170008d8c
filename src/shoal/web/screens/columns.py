"""Who could know this? The role of each column, with what was found and why it is proposed."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.tables.table import Role
from shoal.web.projects import Content
from shoal.web.rendering import check_version, page, posted, project_of, see

_ORDER = {"undecided": 0, "likely": 1, "sure": 2}


async def show(request: Request) -> Response:
    """Show all columns, those first that nobody has decided on; copies stand together."""
    project = project_of(request)
    content, found = project.content, project.columns
    told = {one["column"]: one for one in found.get("columns", [])}
    copies = found.get("relations", {}).get("copies", [])
    rows = [
        {"number": number, "name": name, "request": column, "found": told.get(name), "copies": _copies(name, copies)}
        for number, (name, column) in enumerate(content["columns"].items())
    ]
    rows.sort(key=lambda row: (_certainty(row), _together(row, content)))
    facts = {"rows": rows, "roles": list(Role), "warnings": found.get("warnings", []), "records": found.get("records")}
    return page(request, "columns.html", facts)


def _copies(name: str, groups: list[list[str]]) -> list[str]:
    return next(([one for one in group if one != name] for group in groups if name in group), [])


def _certainty(row: Mapping[str, Any]) -> int:
    found = row["found"]
    return 1 if found is None or found["role"] != row["request"]["role"] else _ORDER[found["certainty"]]


def _together(row: Mapping[str, Any], content: Content) -> int:
    """Return the place of a column in the table, or that of its first copy."""
    places = {name: place for place, name in enumerate(content["columns"])}
    return min(places[name] for name in (row["name"], *row["copies"]) if name in places)


async def change(request: Request) -> Response:
    """Give the columns the roles that were chosen."""
    project, fields = project_of(request), await posted(request)
    check_version(project, fields)
    names = list(project.content["columns"])
    chosen = {
        names[int(key.removeprefix("role-"))]: values[0] for key, values in fields.items() if key.startswith("role-")
    }
    before = {name: column["role"] for name, column in project.content["columns"].items()}
    changed = {name: role for name, role in chosen.items() if before[name] != role}
    if changed:
        project.change(lambda content: with_roles(content, changed), "history.roles", columns=", ".join(changed))
    return see("/exposure" if "next" in fields else "/columns")


def with_roles(content: Content, roles: Mapping[str, str]) -> Content:
    """Return a job with other roles: what only the old role had goes with it, and so do promises about the column."""
    columns = dict(content["columns"])
    for name, role in roles.items():
        kept = dict(columns[name]) | {"role": role}
        if role not in (Role.QUASI, Role.SENSITIVE):
            kept = {key: value for key, value in kept.items() if key not in ("hierarchy", "distance", "missing")}
        if role != Role.QUASI:
            kept = {key: value for key, value in kept.items() if key not in ("distance", "mask", "weight")}
        if role != Role.IDENTIFIER:
            kept.pop("pseudonym", None)
        columns[name] = kept
    sensitive = {name for name, column in columns.items() if column["role"] == Role.SENSITIVE}
    promises = [one for one in content["require"] if one.get("column") is None or one["column"] in sensitive]
    return {**content, "columns": columns, "require": promises or [{"model": "k-anonymity", "k": 5}]}


ROUTES = [Route("/columns", show), Route("/columns", change, methods=["POST"])]
