"""Who could know this? The role of each column, with what was found and why it is proposed."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.tables.table import Role
from shoal.web.projects import Content
from shoal.web.rendering import check_version, page, posted, project_of, see

_ASKED = (Role.ENTITY, Role.HOUSEHOLD)
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
    in_order = sorted(rows, key=lambda row: row["number"])
    rows.sort(key=lambda row: (_certainty(row), _together(row, content)))
    facts = {
        "rows": rows,
        "asked": _ASKED,
        "names": [(row["number"], row["name"], row["request"]["role"]) for row in in_order],
        "roles": list(Role),
        "warnings": found.get("warnings", []),
        "records": found.get("records"),
    }
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
    chosen |= _answers(names, before | chosen, before, fields)
    changed = {name: role for name, role in chosen.items() if before[name] != role}
    hidden = {names[int(key)]: key in fields.get("pseudonym", []) for key in fields.get("identifier", [])}
    edited = with_pseudonyms(with_roles(project.content, changed), hidden)
    if edited != project.content:
        told = [*changed, *(name for name in hidden if name not in changed)]
        project.change(lambda content: edited, "history.roles", columns=", ".join(told))
    return see("/exposure" if "next" in fields else "/columns")


def _answers(
    names: list[str], roles: Mapping[str, str], before: Mapping[str, str], fields: Mapping[str, list[str]]
) -> dict[str, str]:
    """Return the roles by the questions that are asked outright; a question that was left as it was changes nothing."""
    found: dict[str, str] = {}
    for role in _ASKED:
        asked = fields.get(role, [""])[0]
        wanted = names[int(asked)] if asked.isdecimal() and int(asked) < len(names) else None
        if role not in fields or wanted == next((name for name in names if before[name] == role), None):
            continue
        found |= {name: Role.OMITTED for name in names if roles[name] == role}
        if wanted is not None:
            found[wanted] = role
    return found


def with_pseudonyms(content: Content, wanted: Mapping[str, bool]) -> Content:
    """Return a job in which identifiers leave as pseudonyms, or not at all."""
    columns = dict(content["columns"])
    for name, leaves in wanted.items():
        if columns[name]["role"] == Role.IDENTIFIER and leaves != bool(columns[name].get("pseudonym")):
            kept = {key: value for key, value in columns[name].items() if key != "pseudonym"}
            columns[name] = kept | ({"pseudonym": True} if leaves else {})
    return {**content, "columns": columns}


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
