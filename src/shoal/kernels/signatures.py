"""The types that kernels are called with, as text.

`signatures.toml` lists them for every kernel that the rest of shoal calls, so that all can be compiled before anybody
waits for them. A test that comes by with other types fails, and tells what to write there. The spelling:

- `int64`, `bool`: a number.
- `int64[2C]`: an array, its dimensions and its order in memory; `int64[1C readonly]`.
- `{start int64, width int64}`: a record, packed.
- `(int64, int64[1C])`: a tuple.
- `clusters.metrics.Space`: a named tuple of the kernels. The table `shapes` tells the types of its fields; if it has
  several shapes, a kernel is called with each of them.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.np.numpy_support import from_dtype

types: Any = numba.types

PATH = Path(__file__).with_name("signatures.toml")
_ROOM = "shoal.kernels."
_SIGN = re.compile(r"\s*([\w.]+|\[\d[ACF](?: readonly)?\]|[(){},])")


@cache
def listed() -> Mapping[str, tuple[str, ...]]:
    """Return the types that each kernel is known to be called with."""
    return {name: tuple(calls) for name, calls in _content()["kernels"].items()}


@cache
def _content() -> dict[str, dict[str, Any]]:
    return tomllib.loads(PATH.read_text(encoding="utf-8"))


def brief(given: Iterable[Any]) -> str:
    """Return types as `signatures.toml` lists them."""
    return ", ".join(map(_spelled, given))


def shapes(given: Iterable[Any]) -> dict[str, str]:
    """Return the fields of every named tuple among some types."""
    found: dict[str, str] = {}
    for one in given:
        if isinstance(one, types.BaseTuple):
            found |= shapes(one)
        if isinstance(one, types.BaseNamedTuple):
            found[_spelled(one)] = brief(one)
        if isinstance(one, types.List):
            found |= shapes([one.dtype])
    return found


def spelled(given: Iterable[Any]) -> str:
    """Return types as a text that no other types have."""
    given = tuple(given)
    return "; ".join([brief(given), *(f"{name}: {fields}" for name, fields in sorted(shapes(given).items()))])


def _spelled(one: Any) -> str:
    if isinstance(one, types.Array):
        return f"{_spelled(one.dtype)}[{one.ndim}{one.layout}{'' if one.mutable else ' readonly'}]"
    if isinstance(one, types.Record):
        return "{" + ", ".join(f"{name} {_spelled(field.type)}" for name, field in one.fields.items()) + "}"
    if isinstance(one, types.BaseNamedTuple):
        home = one.instance_class
        return f"{home.__module__}.{home.__qualname__}".removeprefix(_ROOM)
    if isinstance(one, types.BaseTuple):
        return f"({brief(one)})"
    if isinstance(one, types.List):
        return f"list {_spelled(one.dtype)}"
    return str(one)


def read(text: str) -> list[tuple[Any, ...]]:
    """Return the types that are spelled so: several, if a named tuple among them has several shapes."""
    signs = iter(_SIGN.findall(text))
    return [tuple(one) for one in product(*_types(signs))]


def _types(signs: Iterator[str], end: str = "") -> list[list[Any]]:
    """Read types up to the end of a list of them, each with its shapes."""
    found: list[list[Any]] = []
    for sign in signs:
        if sign == end:
            break
        if sign.startswith("["):
            readonly = sign.endswith(" readonly]")
            found[-1] = [types.Array(one, int(sign[1]), sign[2], readonly=readonly) for one in found[-1]]
        elif sign == "(":
            found.append([types.Tuple(one) for one in product(*_types(signs, ")"))])
        elif sign == "{":
            found.append([_record(signs)])
        elif sign != ",":
            found.append(_named(sign))
    return found


def _record(signs: Iterator[str]) -> Any:
    fields = []
    for sign in signs:
        if sign == "}":
            break
        if sign != ",":
            fields.append((sign, next(signs)))
    return from_dtype(np.dtype(fields))


def _named(name: str) -> list[Any]:
    if "." not in name:
        return [from_dtype(np.dtype(name))]
    module, _, kind = name.rpartition(".")
    home = getattr(import_module(_ROOM + module), kind)
    return [types.BaseTuple.from_types(one, home) for text in _content()["shapes"][name] for one in read(text)]
