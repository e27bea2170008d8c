"""Given: what Python users hand over, read by the annotations of a verb, or a SpecError that says what is needed."""

import errno
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache, wraps
from inspect import Parameter, signature
from numbers import Integral, Rational, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from shoal.foundation.errors import SpecError

Verb = TypeVar("Verb", bound=Callable[..., Any])

UNUSABLE_NAMES = (errno.ENAMETOOLONG, errno.ELOOP)
"""What a system says of the name of a file that no file can have."""

_KINDS: Mapping[Any, tuple[type | tuple[type, ...], str]] = {
    str: (str, "a text"),
    bool: (bool, "True or False"),
    int: (Integral, "a whole number"),
    float: (Real, "a number"),
    Fraction: (Rational, "a fraction"),
    Path: (os.PathLike, "a path"),
    NoneType: (NoneType, "None"),
}


def checked(verb: Verb) -> Verb:
    """Let a public function refuse what is not of the kind that its annotations say, before anything is done.

    So nobody gets an error of Python, or of a package below, that speaks of what is inside. Names in any collection
    are read as a list. A call that names no such argument, or too few, is Python's own to refuse.
    """
    shown = signature(verb)

    @wraps(verb)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = shown.bind(*args, **kwargs)
        except TypeError:
            return verb(*args, **kwargs)
        hints = _hints(verb)
        for name, value in bound.arguments.items():
            if name in hints and shown.parameters[name].kind not in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL):
                bound.arguments[name] = read_as(hints[name], value, name)
        try:
            return verb(*bound.args, **bound.kwargs)
        except OSError as error:
            if error.errno not in UNUSABLE_NAMES:
                raise
            raise SpecError(f"The name of a file cannot be used: {os.strerror(error.errno)}.") from None

    return cast("Verb", call)


@cache
def _hints(verb: Callable[..., Any]) -> Mapping[str, Any]:
    return {name: hint for name, hint in get_type_hints(verb).items() if name != "return"}


def read_as(hint: Any, value: Any, name: str) -> Any:
    """Return a value as an annotation wants it, or raise a SpecError that names the argument and what is needed."""
    if _is_names(hint) and (_is_listing(value) or (isinstance(value, Mapping) and not _fits(value, hint))):
        value = list(value)  # the names alone, if more was said of them
    if not _fits(value, hint):
        raise SpecError(f"'{name}' is {kind_of(value)}: {' or '.join(_needed(hint))} is needed.")
    return value


def kind_of(given: Any) -> str:
    """Name the kind of what was given; its value may be data, but for numbers."""
    if given is None or isinstance(given, bool | int | float):
        return repr(given)
    return f"of the type {type(given).__name__}"


def path_of(given: Any, what: str) -> Path:
    """Read a path, or raise a SpecError.

    Args:
        given: A text or a path.
        what: What the path is of, for the message: `the job file`.
    """
    return Path(read_as(str | Path, given, what))


def _fits(value: Any, hint: Any) -> bool:
    """Tell whether a value is of the kind of an annotation; which of its values are allowed is the verb's to say."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint is Any or isinstance(hint, TypeVar):
        return True
    if origin in (Union, UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is Annotated:
        return _fits(value, parts[0])
    if origin is Literal:
        return isinstance(value, tuple({type(part) for part in parts}))
    if hint in _KINDS:
        return _is_kind(value, hint)
    if origin is not None:
        return _fits_generic(value, origin, parts)
    if getattr(hint, "_is_protocol", False):
        return callable(value)
    return isinstance(value, hint)


def _is_kind(value: Any, hint: Any) -> bool:
    if isinstance(value, bool) and hint is not bool:
        return False
    if hint in (str, Path) and isinstance(value, str | os.PathLike) and "\0" in os.fspath(value):
        return False  # no file has such a name, and no column
    return isinstance(value, _KINDS[hint][0])


def _fits_generic(value: Any, origin: Any, parts: tuple[Any, ...]) -> bool:
    if issubclass(origin, Mapping):
        fit = isinstance(value, Mapping)
        return fit and all(_fits(key, parts[0]) and _fits(one, parts[1]) for key, one in value.items())
    if issubclass(origin, Sequence) or origin is Iterable:
        if isinstance(value, str):  # a lone name
            return _fits(value, parts[0])
        return _is_listing(value) and all(_fits(one, parts[0]) for one in value)
    return callable(value) if origin is Callable else isinstance(value, origin)


def _is_listing(value: Any) -> bool:
    return isinstance(value, Collection) and not isinstance(value, str | bytes | bytearray | Mapping)


def _is_names(hint: Any) -> bool:
    """Tell whether an annotation takes several of something in a row."""
    if get_origin(hint) in (Union, UnionType):
        return any(_is_names(part) for part in get_args(hint))
    origin = get_origin(hint)
    return isinstance(origin, type) and (origin is Iterable or issubclass(origin, Sequence))


def _needed(hint: Any) -> list[str]:
    """Return what an annotation takes, in words; None is not offered."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return list(dict.fromkeys(words for part in parts if part is not NoneType for words in _needed(part)))
    if origin is Literal:
        return [", ".join(repr(part) for part in parts)]
    if hint in _KINDS:
        return [_KINDS[hint][1]]
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return ["a dictionary"]
    if _is_names(hint):
        return [f"a list of {'names' if parts[0] is str else 'them'}"]
    return ["a function" if getattr(hint, "_is_protocol", False) else f"a {getattr(hint, '__name__', hint)}"]
