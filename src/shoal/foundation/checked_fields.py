"""Checked fields: the parameters of a member of a shelf are read and limited where it is made, in Python too."""

import warnings
from dataclasses import fields
from functools import cache
from typing import Any, get_args, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError

from shoal.foundation.errors import SpecError


def check_fields(member: Any) -> None:
    """Read each field of a frozen dataclass by its annotation, or raise a SpecError that names what is wrong.

    A job file's fields were read before; then this changes nothing.
    """
    wrong = []
    for name, (adapter, may_be_truth) in _adapters(member.__class__).items():
        value = getattr(member, name)
        if isinstance(value, bool) and not may_be_truth:
            wrong.append(f"{name} cannot be true or false")
            continue
        try:
            object.__setattr__(member, name, adapter.validate_python(value))
        except ValidationError as error:
            words = "; ".join(part["msg"].removeprefix("Value error, ") for part in error.errors(include_url=False))
            shown = f" is {value}" if isinstance(value, int | float) else ""  # a text might be a value of a table
            wrong.append(f"{name}{shown}: {words}")
    if wrong:
        raise SpecError(f"{type(member).__name__}: {', and '.join(wrong)}.")


@cache
def _adapters(kind: type[Any]) -> dict[str, tuple[TypeAdapter[Any], bool]]:
    """Return what reads each field of a class, and whether it may be true or false."""
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: (_adapter(hints[field.name]), _truth(hints[field.name])) for field in fields(kind)}


def _adapter(hint: Any) -> TypeAdapter[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that an alias, which a job file may use, has no meaning here
        try:
            return TypeAdapter(hint, config=ConfigDict(arbitrary_types_allowed=True))
        except PydanticUserError:  # a type that brings its own configuration
            return TypeAdapter(hint)


def _truth(hint: Any) -> bool:
    return hint is bool or any(_truth(part) for part in get_args(hint))
