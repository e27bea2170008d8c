"""Members of shelves in a job file: a table that names its member and holds its fields."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache, partial
from typing import Annotated, Any, Literal, Union

from pydantic import (
    ConfigDict,
    Discriminator,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    SerializationInfo,
    Tag,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

from shoal.foundation.errors import SpecError
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


@dataclass(frozen=True, slots=True)
class _Alone:
    """A union of one member, in place of that of all: what is wrong is told by the same words, at the same place."""

    member: Any
    key: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        name = self.member.name
        schema = handler.generate_schema(Annotated[self.member, _Named(self.key, name)])
        return core_schema.tagged_union_schema({name: schema}, discriminator=lambda _: name)


@cache
def _reader(member: Any, key: str, strict: bool) -> TypeAdapter[Any]:
    """Return what reads the table of one member; if it is strict, a key that is not known is refused."""
    return TypeAdapter(Annotated[Any, _Alone(member, key)], config=ConfigDict(extra="forbid") if strict else None)


def _union(shelf: Shelf[Any], key: str) -> Any:
    """Return the type of the table of any member; all of them are imported for that."""
    members = tuple(Annotated[member, _Named(key, member.name), Tag(member.name)] for member in shelf)
    return Annotated[Union[members], Discriminator(str)]  # noqa: UP007  (the members are known at run time)


def _found(shelf: Shelf[Any], name: Any) -> Any:
    try:
        return shelf.find(name)
    except SpecError as error:  # a plug-in that is broken; pydantic tells it with all else that is wrong
        raise ValueError(str(error)) from None


def _typed(schema: CoreSchema, described: Callable[[], Any]) -> Any:
    """Return a type that pydantic reads by a schema, and describes in a JSON schema as another type."""

    class Typed:
        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
            return schema

        @classmethod
        def __get_pydantic_json_schema__(cls, own: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
            return handler(TypeAdapter(described(), config=ConfigDict(extra="forbid")).core_schema)

    return Typed


def member_of(shelf: Shelf[Any], key: str) -> Any:
    """Return the type of a table `{key = "name", field = ..., ...}` that becomes the named member of a shelf.

    No other member is imported for that.
    """

    def read(value: Any, info: ValidationInfo) -> Any:
        name = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, shelf.base):
            name = type(value).name
        if name is None:
            raise PydanticKnownError("union_tag_not_found", {"discriminator": key})
        member = _found(shelf, name)
        if member is None:
            known = ", ".join(map(repr, shelf.names))
            raise PydanticKnownError(
                "union_tag_invalid", {"discriminator": key, "tag": str(name), "expected_tags": known}
            )
        strict = (info.config or {}).get("extra_fields_behavior") == "forbid"
        return _reader(member, key, strict).validate_python(value)

    def dumped(member: Any, info: SerializationInfo) -> Any:
        return _adapter(member.__class__).dump_python(member, mode="json" if info.mode_is_json() else "python")

    written = core_schema.plain_serializer_function_ser_schema(dumped, info_arg=True)
    schema = core_schema.with_info_plain_validator_function(read, serialization=written)
    return _typed(schema, lambda: _union(shelf, key))


def named_or(shelf: Shelf[Any], key: str, *more: str) -> Any:
    """Return a type to describe what may stand for a member: its bare name, other words, or the member's table."""
    return _typed(
        core_schema.any_schema(),
        lambda: Union[Literal[(*more, *shelf.names)], _union(shelf, key)],  # noqa: UP007  (known at run time)
    )


def name_on(shelf: Shelf[Any], suitable: Callable[[Any], bool]) -> Any:
    """Return the type of the name of a member that is suitable."""

    def names() -> list[str]:
        return [member.name for member in shelf if suitable(member)]

    def read(value: Any) -> Any:
        member = _found(shelf, value)
        if member is None or not suitable(member):
            *most, last = map(repr, names())
            raise PydanticKnownError("literal_error", {"expected": f"{', '.join(most)} or {last}"})
        return value

    return _typed(core_schema.no_info_plain_validator_function(read), lambda: Literal[tuple(names())])


def fields_of(member: Any) -> dict[str, Any]:
    """Return the fields of a member that differ from their defaults, as they stand in a job file."""
    adapter = _adapter(member.__class__)
    return adapter.dump_python(member, mode="json", by_alias=True, exclude_defaults=True, warnings=False, fallback=str)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def named_files(member: Any) -> dict[str, str]:
    """Return the files that the fields of a member name, as its class declares them, by field."""
    values = {name: getattr(member, name) for name in member.files}
    return {name: value for name, value in values.items() if value is not None}


def explain(error: ValidationError, where: str, shelves: Mapping[str, Shelf[Any]]) -> str:
    """Return all that is wrong with a request, a line each: where, what, what is allowed.

    Args:
        error: What pydantic found.
        where: What was read, e.g. `job file 'job.toml'`.
        shelves: The shelf whose members stand under each key, to suggest a name.
    """
    lines = [f"- {_place(place)}: {words}" for place, words in faults(error, shelves)]
    count = "one thing is" if len(lines) == 1 else f"{len(lines)} things are"
    return "\n".join([f"In the {where}, {count} wrong:", *lines])


def faults(error: ValidationError, shelves: Mapping[str, Shelf[Any]]) -> list[tuple[tuple[int | str, ...], str]]:
    """Return all that is wrong with a request: where that stands, key by key, and what it is."""
    return [(part["loc"], _words(part, shelves)) for part in error.errors(include_url=False)]


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
