"""The page of all fields of a job file, from its schema."""

from collections.abc import Mapping
from typing import Any

import shoal
from docs.site.markdown import table

_SECTIONS = {  # what stands where, in the order of a job file
    "input": ("Input", "[input]"),
    "columns": ("ColumnRequest", "[columns.NAME], one for each column"),
    "engine": ("EngineRequest", "[engine]"),
    "search": ("Search", "[search]"),
    "release": ("ReleaseRequest", "[release]"),
    "series": ("SeriesRequest", "[series]"),
    "context": ("Context", "[context]"),
}
_MEMBERS = {"hierarchy": "hierarchies", "distance": "distances", "algorithm": "algorithms", "measure": "measures"}


def page() -> str:
    """Return the page: a table for each section of a job file."""
    schema = shoal.schema()
    missing = set(schema["properties"]) - {*_SECTIONS, "require"}
    if missing:
        raise LookupError(f"docs/site/job_file.py has no heading for: {', '.join(sorted(missing))}.")
    parts = [
        "# Every field of a job file\n",
        "Written from the schema that job files are checked by; `shoal schema` prints it as JSON, for editors. "
        "A job with comments is on the page of [the job file](../job-file.md).\n",
    ]
    for name in schema["properties"]:
        if name == "require":
            parts.append(
                "## `[[require]]`, one for each requirement\n\n`model` is the name of the privacy model, the other "
                "fields are its parameters: [all privacy models](models.md).\n"
            )
        else:
            parts.append(_section(schema, *_SECTIONS[name]))
    return "\n".join(parts)


def _section(schema: Mapping[str, Any], definition: str, heading: str) -> str:
    told = schema["$defs"][definition]
    needed = told.get("required", [])
    rows = [
        (f"`{name}`", _kind(schema, name, field), "needed" if name in needed else _default(field))
        for name, field in told["properties"].items()
    ]
    return f"## `{heading.replace(', ', '`, ', 1)}{'' if ', ' in heading else '`'}\n\n" + (
        f"{told['description']}\n\n{table(('field', 'what it takes', 'default'), rows)}"
    )


def _default(field: Mapping[str, Any]) -> str:
    default = field.get("default")
    return "" if default is None or default in ({}, []) else f"`{default}`"


def _kind(schema: Mapping[str, Any], name: str, field: Mapping[str, Any]) -> str:
    """Return in words what a field takes."""
    if name in _MEMBERS:
        return f"a name, or a table with parameters: [all of them]({_MEMBERS[name]}.md)"
    if "$ref" in field:
        return _kind(schema, name, schema["$defs"][field["$ref"].rpartition("/")[2]])
    if "anyOf" in field:
        kinds = [_kind(schema, name, one) for one in field["anyOf"] if one.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in field:
        return ", ".join(f"`{one}`" for one in field["enum"])
    if field.get("type") == "array":
        return f"a list: {_kind(schema, name, field['items'])}"
    words = {
        "string": "text",
        "integer": "whole number",
        "number": "number",
        "boolean": "`true` or `false`",
        "object": "table",
    }
    return words.get(field.get("type", ""), "text") + _limits(field)


def _limits(field: Mapping[str, Any]) -> str:
    words = {"minimum": "at least", "exclusiveMinimum": "above", "maximum": "at most", "maxLength": "letters at most:"}
    said = [f"{words[key]} {field[key]}" for key in words if key in field]
    return f" ({', '.join(said)})" if said else ""
