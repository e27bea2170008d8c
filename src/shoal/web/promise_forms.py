"""Promise forms: the fields of a promise, from the parameters of its model, and what is entered in them."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from shoal.models import MODELS
from shoal.web.projects import Content

CARRIED = ("entity", "members")
"""Parameters that follow from the roles of the columns: they are kept as they stand."""

_FIRST: Mapping[str, Any] = {
    "k": 5, "l": 2, "c": 2, "p": 2, "e": 1, "t": 0.2, "alpha": 0.5, "beta": 1, "delta": 1, "least": 0, "most": 0.5,
    "fraction": 0.1, "significance": 0.05,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PromiseField:
    """A field of the form of a promise.

    Args:
        name: The parameter.
        kind: `whole`, `number`, `column`, `choice`, `file` or `text`.
        choices: What may be chosen.
        limits: The least and the largest number, as the model declares them.
        needed: Whether it may not be empty.
        default: What holds if nothing is said.
    """

    name: str
    kind: str
    choices: Sequence[str] = ()
    limits: tuple[float | None, float | None] = (None, None)
    needed: bool = True
    default: Any = None


@cache
def fields_of(model: str) -> tuple[PromiseField, ...]:
    """Return the fields of a model, numbers first."""
    member = MODELS[model]
    schema = TypeAdapter(member).json_schema()
    needed = schema.get("required", [])
    found = [
        _field(name, told, member.files, needed=name in needed)
        for name, told in schema["properties"].items()
        if name not in CARRIED
    ]
    order = ("whole", "number", "column", "choice", "file", "text")
    return tuple(sorted(found, key=lambda one: order.index(one.kind)))


def _field(name: str, told: Mapping[str, Any], files: Mapping[str, str], *, needed: bool) -> PromiseField:
    options = [told, *told.get("anyOf", [])]
    single = next((["", one["const"]] for one in options if "const" in one), ())  # it, or nothing
    choices = next((one["enum"] for one in options if "enum" in one), single)
    kinds = {one.get("type") for one in options}
    least = next((one[key] for one in options for key in ("minimum", "exclusiveMinimum") if key in one), None)
    most = next((one["maximum"] for one in options if "maximum" in one), None)
    if name == "column":
        kind = "column"
    elif choices:
        kind = "choice"
    elif name in files:
        kind = "file"
    elif "integer" in kinds and "number" not in kinds:
        kind = "whole"
    else:
        kind = "text" if name == "value" or (kinds <= {"string", "null", None} and name not in _FIRST) else "number"
    return PromiseField(name, kind, tuple(choices), (least, most), needed, told.get("default"))


def first_of(model: str, sensitive: Sequence[str]) -> dict[str, Any]:
    """Return a promise to begin with."""
    found: dict[str, Any] = {"model": model}
    for field in fields_of(model):
        if field.kind == "column" and sensitive:
            found[field.name] = sensitive[0]
        elif field.needed and field.name in _FIRST:
            found[field.name] = _FIRST[field.name]
    return found


def entered(
    fields: Mapping[str, Sequence[str]], stated: Sequence[Mapping[str, Any]], folder: Path, root: Path
) -> list[dict[str, Any]]:
    """Return the promises that a form holds; what cannot be read stays as it was written, to be refused.

    Args:
        fields: What was sent: `p0-model`, `p0-k` and so on; `p0-was` is the number of the promise before.
        stated: The promises of the project.
        folder: Its folder, from which paths start.
        root: The folder from which paths in a form start.
    """
    return [_promise(place, fields, stated, folder, root) for place in _places(fields)]


def _places(fields: Mapping[str, Sequence[str]]) -> Iterator[int]:
    place = 0
    while f"p{place}-model" in fields:
        yield place
        place += 1


def _promise(
    place: int, fields: Mapping[str, Sequence[str]], stated: Sequence[Mapping[str, Any]], folder: Path, root: Path
) -> dict[str, Any]:
    model = fields[f"p{place}-model"][0]
    was = fields.get(f"p{place}-was", [""])[0]
    before = stated[int(was)] if was.isdecimal() and int(was) < len(stated) else {}
    before = before if before.get("model") == model else {}
    found: dict[str, Any] = {"model": model, **{name: before[name] for name in CARRIED if name in before}}
    for field in fields_of(model):
        text = fields.get(f"p{place}-{field.name}", [""])[0].strip()
        if text and not (field.name not in before and text == str(field.default)):
            found[field.name] = _read(field, text, folder, root)
    return found


def _read(field: PromiseField, text: str, folder: Path, root: Path) -> Any:
    if field.kind == "file":
        return os.path.relpath(root / text, folder)
    if field.kind not in ("whole", "number"):
        return text
    try:
        number = Decimal(text.replace(",", "."))
    except InvalidOperation:
        return text
    if not number.is_finite():
        return text
    return int(number) if number == number.to_integral_value() and abs(number) < 10**15 else float(number)


def shown(field: PromiseField, promise: Mapping[str, Any], folder: Path, root: Path) -> str:
    """Return what stands in a field."""
    value = promise.get(field.name, field.default)
    if value is None:
        return ""
    return os.path.relpath(folder / str(value), root) if field.kind == "file" else str(value)


def with_k(promises: Sequence[Mapping[str, Any]], k: int) -> list[dict[str, Any]]:
    """Return promises with another k; k-anonymity comes first if there was none."""
    found = [{**one, "k": k} if one["model"] == "k-anonymity" else dict(one) for one in promises]
    there = any(one["model"] == "k-anonymity" for one in found)
    return found if there else [{"model": "k-anonymity", "k": k}, *found]


def places_of(faults: Sequence[tuple[tuple[int | str, ...], str]]) -> tuple[dict[str, str], list[str]]:
    """Return what is wrong by the field that it stands beside, and what concerns no field."""
    beside: dict[str, str] = {}
    others = []
    for place, words in faults:
        if len(place) > 1 and place[0] == "require" and isinstance(place[1], int):
            field = place[3] if len(place) > 3 else "model"
            name = f"p{place[1]}-{field}"
            beside[name] = f"{beside[name]}; {words}" if name in beside else words
        else:
            others.append(words)
    return beside, others


def with_promises(content: Content, promises: Sequence[Mapping[str, Any]]) -> Content:
    """Return a job with other promises."""
    return {**content, "require": [dict(one) for one in promises]}
