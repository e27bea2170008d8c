"""Members of shelves in a job file: a table that names its member and holds its fields."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import Annotated, Any, Literal, Union

from pydantic import Discriminator, GetCoreSchemaHandler, GetJsonSchemaHandler, Tag, TypeAdapter, ValidationError
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from shoal.foundation.shelf import Shelf, did_you_mean


@dataclass(frozen=True, slots=True)
class _Named:
    """Takes the member's name out of its table before the fields are read, and puts it into the schema."""

    key: str
    name: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        may_be_truths = frozenset(field.name for field in fields(source) if field.type is bool)
        return core_schema.no_info_before_validator_function(partial(self._plain, may_be_truths), handler(source))

    def _plain(self, may_be_truths: frozenset[str], value: Any) -> Any:
        """Return the fields without the name; pydantic would read `k = true` as 1, which is no protection at all."""
        if not isinstance(value, dict):
            return value
        wrong = [f"'{key}'" for key, field in value.items() if isinstance(field, bool) and key not in may_be_truths]
        if wrong:
            raise ValueError(f"{', '.join(wrong)} cannot be true or false")
        return {key: field for key, field in value.items() if key != self.key}

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        table = dict(handler.resolve_ref_schema(handler(schema)))
        table["properties"] = {self.key: {"const": self.name}, **table.get("properties", {})}
        table["required"] = [self.key, *table.get("required", [])]
        return table


def member_of(shelf: Shelf[Any], key: str) -> Any:
    """Return the type of a table `{key = "name", field = ..., ...}` that becomes the named member of a shelf."""

    def name_of(value: Any) -> str | None:
        return value.get(key) if isinstance(value, dict) else getattr(value, "name", None)

    members = tuple(Annotated[member, _Named(key, member.name), Tag(member.name)] for member in shelf)
    return Annotated[Union[members], Discriminator(name_of)]  # noqa: UP007  (the members are known at run time)


def named_or(shelf: Shelf[Any], member: Any, *more: str) -> Any:
    """Return the type of what may stand for a member: its bare name, other words, or the member's table."""
    return Union[Literal[(*more, *shelf.names)], member]  # noqa: UP007  (the names are known at run time)


def fields_of(member: Any) -> dict[str, Any]:
    """Return the fields of a member that differ from their defaults, as they stand in a job file."""
    adapter = TypeAdapter(type(member))
    return adapter.dump_python(member, mode="json", by_alias=True, exclude_defaults=True, warnings=False, fallback=str)


def explain(error: ValidationError, where: str, shelves: Mapping[str, Shelf[Any]]) -> str:
    """Return all that is wrong with a request, a line each: where, what, what is allowed.

    Args:
        error: What pydantic found.
        where: What was read, e.g. `job file 'job.toml'`.
        shelves: The shelf whose members stand under each key, to suggest a name.
    """
    lines = [f"- {_place(part['loc'])}: {_words(part, shelves)}" for part in error.errors(include_url=False)]
    count = "one thing is" if len(lines) == 1 else f"{len(lines)} things are"
    return "\n".join([f"In the {where}, {count} wrong:", *lines])


def _place(location: tuple[int | str, ...]) -> str:
    place = ""
    for part in location:
        place += f"[{part + 1}]" if isinstance(part, int) else f".{part}"
    return place.removeprefix(".") or "as a whole"


_PLAIN = {
    "extra_forbidden": "this key is not known here",
    "unexpected_keyword_argument": "this key is not known here",
    "missing": "is missing",
    "missing_argument": "is missing",
    "list_type": "a list is needed; in a job file each entry starts with its name in double brackets: [[require]]",
    "too_short": "is empty: at least one entry is needed",
    "model_type": "a table is needed, of the form { key = value }",
    "dict_type": "a table is needed, of the form { key = value }",
    "fraction_parsing": "Input should be a number",
}


def _words(part: Any, shelves: Mapping[str, Shelf[Any]]) -> str:
    kind, message = part["type"], str(part["msg"])
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        shelf = next(shelves[key] for key in reversed(("", *part["loc"])) if key in shelves)
        name = part["ctx"].get("tag")
        if name is None:
            return f"the {shelf.noun} is not named. Known are: {', '.join(shelf.names)}."
        return f"unknown {shelf.noun} '{name}'. {did_you_mean(name, shelf.names)}"
    return _PLAIN.get(kind) or message.removeprefix("Value error, ")
