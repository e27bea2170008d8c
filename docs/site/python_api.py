"""The page of the Python library, from signatures and docstrings."""

import collections.abc
import inspect
import re
import types
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import shoal
from docs.site.markdown import Docstring
from shoal.actions.comparison.comparison import Comparison
from shoal.actions.risk import Risk
from shoal.measures import MEASURES
from shoal.models import MODELS
from shoal.search.algorithms import ALGORITHMS
from shoal.tables.hierarchies import HIERARCHIES

_FIRST = ("anonymize", "Release", "risk", "compare", "check", "attack", "utility", "verify", "apply")
_STARS: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
_TYPED = 12  # arguments of a signature that has types
_INSIDE = {
    "CellCosts",
    "CellMeasure",
    "ClassMeasure",
    "ClassSumMeasure",
    "Loss",
    "MEASURES",
    "MODELS",
    "Measure",
    "PrivacyModel",
}


def page() -> str:
    """Return the page: verbs, what they return, errors; promises and measures have tables of their own."""
    verbs = [name for name in _public() if inspect.isfunction(getattr(shoal, name))]
    kinds = [name for name in _public() if inspect.isclass(getattr(shoal, name))]
    errors = [name for name in kinds if issubclass(getattr(shoal, name), BaseException)]
    nouns = [
        name
        for name in kinds
        if name not in errors and not getattr(shoal, name).__module__.startswith(("shoal.models.", "shoal.measures."))
    ]
    parts = [
        "# The Python library\n",
        "Written from the signatures and docstrings. Every verb takes a frame of polars, pandas, pyarrow or Spark, a "
        "relation of DuckDB, a path, a folder of files, or a `shoal.table`; verbs that need a release take the release "
        "itself or its folder. Privacy models are classes such as `shoal.KAnonymity`, with the fields listed under "
        "[privacy models](members.md#privacy-models); so are [measures](members.md#measures).\n",
        "## Verbs\n",
        *(_function(f"shoal.{name}", getattr(shoal, name)) for name in _ordered(verbs)),
        "## What they return\n",
        *(_class(getattr(shoal, name)) for name in _ordered(nouns)),
        *(_class(one) for one in (Risk, Comparison)),
        "## Errors and warnings\n",
        *(_exception(name, getattr(shoal, name)) for name in errors),
    ]
    return "\n".join(parts)


def members_page() -> str:
    """Return the page of the members of shelves as classes: signature, and all that their docstrings say."""
    parts = [
        "# Privacy models, measures, algorithms, hierarchies as classes\n",
        "Written from the signatures and docstrings. In a job file and on the command line, use the name and the "
        "parameters: `shoal.KAnonymity(k=5)` is `k-anonymity:k=5`. The papers are listed in the "
        "[glossary](../glossary.md#papers).\n",
    ]
    for title, room, members in (
        ("Privacy models", "shoal", MODELS),
        ("Measures", "shoal", MEASURES),
        ("Algorithms", "shoal.algorithms", ALGORITHMS),
        ("Hierarchies", "shoal.hierarchies", HIERARCHIES),
    ):
        parts += [f"## {title}\n", *(_member(room, members[name], members.plural) for name in members.own)]
    return "\n".join(parts)


def _member(room: str, member: Any, folder: str) -> str:
    page = f"[`{member.name}`](../{folder}/{member.name}.md)"
    directive = f":::::{{py:class}} {room}.{member.__name__}{signature(member).removesuffix(' -> None')}"
    return f"### {member.__name__}\n\n{directive}\n\n{page}: {Docstring.of(member).markdown()}\n:::::\n"


def _public() -> list[str]:
    return [name for name in dir(shoal) if name not in _INSIDE]


def _ordered(names: list[str]) -> list[str]:
    return sorted(names, key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name))


def _function(name: str, function: Any, kind: str = "function", heading: str = "###") -> str:
    short = name.rpartition(".")[2]
    title = f"{heading} {short}\n\n" if heading else ""
    directive = f":::::{{py:{kind}}} {name if heading else short}{signature(function)}"
    return f"{title}{directive}\n\n{Docstring.of(function).markdown(_types(function))}\n:::::\n"


def _types(function: Any) -> dict[str, str]:
    """Return the types of the arguments of a function, in short."""
    hints = {name: one.annotation for name, one in inspect.signature(function).parameters.items()}
    return {name: type_words(hint) for name, hint in hints.items() if hint is not inspect.Parameter.empty}


def _class(given: type) -> str:
    """Return a class with its public methods and properties."""
    name, members = given.__name__, []
    for key, member in inspect.getmembers_static(given):
        if key.startswith("_") or member.__class__.__name__ == "member_descriptor" or not inspect.getdoc(member):
            continue
        if given.__module__.startswith("shoal.") and not _own(given, key):
            continue
        if inspect.isfunction(member) or isinstance(member, classmethod):
            members.append(_function(key, getattr(given, key), "method", ""))
        elif isinstance(member, property) or member.__class__.__name__ == "cached_property":
            members.append(f":::::{{py:property}} {key}\n\n{Docstring.of(member).markdown()}\n:::::\n")
    body = Docstring.of(given).markdown()
    return f"### {name}\n\n::::::{{py:class}} shoal.{name}\n\n{body}\n{''.join(members)}\n::::::\n"


def _own(given: Any, key: str) -> bool:
    """Whether a member is defined in shoal, and not in a package that a class derives from."""
    home = next(one for one in given.__mro__ if key in vars(one))
    return bool(home.__module__.startswith("shoal."))


def _exception(name: str, given: Any) -> str:
    return f"### {name}\n\n::::::{{py:exception}} shoal.{name}\n\n{Docstring.of(given).markdown()}\n::::::\n"


def signature(function: Any) -> str:
    """Return a signature with short types, as people would write them; one of very many arguments without types."""
    found = inspect.signature(function)
    typed = len(found.parameters) <= _TYPED
    shown = []
    star = False
    for name, one in found.parameters.items():
        if name in ("self", "cls"):
            continue
        if one.kind is inspect.Parameter.KEYWORD_ONLY and not star:
            star = True
            shown.append("*")
        if one.kind is inspect.Parameter.VAR_POSITIONAL:
            star = True
        hint = "" if one.annotation is inspect.Parameter.empty or not typed else f": {type_words(one.annotation)}"
        default = "" if one.default is inspect.Parameter.empty else f" = {_default(one.default)}"
        stars = _STARS.get(one.kind, "")
        shown.append(f"{stars}{name}{hint}{default}")
    returned = (
        ""
        if found.return_annotation in (inspect.Signature.empty, None)
        else f" -> {type_words(found.return_annotation)}"
    )
    return f"({', '.join(shown)}){returned}"


def _default(value: Any) -> str:
    return value.__name__ if inspect.isfunction(value) else repr(value)


def type_words(hint: Any) -> str:
    """Return a type in short: without the modules that its parts are from."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint is None or hint is type(None):
        return "None"
    if isinstance(hint, str):
        return re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", hint)
    if origin is Annotated:
        return type_words(parts[0])
    if origin in (Union, types.UnionType):
        return " | ".join(type_words(one) for one in parts)
    if origin is Literal:
        return " | ".join(map(repr, parts))
    if origin is collections.abc.Callable:
        return "Callable"
    if parts:
        return f"{_name(origin)}[{', '.join('...' if one is ... else type_words(one) for one in parts)}]"
    return _name(hint)


def _name(hint: Any) -> str:
    return str(getattr(hint, "__name__", hint)).rpartition(".")[2]
