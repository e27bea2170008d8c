"""Arguments: what Python users give, read as a job or as a part of one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar, Unpack, cast, get_type_hints

from pydantic import TypeAdapter, ValidationError

from shoal.clusters.distances import DistanceSpec
from shoal.foundation.errors import SpecError
from shoal.foundation.given import path_of, read_as
from shoal.foundation.members import explain, fields_of, member_of
from shoal.foundation.shelf import did_you_mean
from shoal.jobs.job import Job, least_size
from shoal.models import MODELS, KAnonymity, PrivacyModel
from shoal.tables.databases import from_here
from shoal.tables.databases.address import is_url
from shoal.tables.folder import FolderLocation
from shoal.tables.hierarchies import HIERARCHIES, HierarchySpec
from shoal.tables.location import FileLocation, Location, TableLocation
from shoal.tables.store_location import StoreLocation
from shoal.tables.stores import is_store
from shoal.tables.table import Role

Verb = TypeVar("Verb", bound=Callable[..., Any])
Promise = PrivacyModel | Mapping[str, Any] | str
Required = Promise | Iterable[Promise]


class Request(TypedDict, total=False):
    """What may be asked of `anonymize`, `frontier` and `minimal_generalizations`; see `anonymize`."""

    quasi: Sequence[str] | Mapping[str, Any]
    sensitive: Sequence[str] | Mapping[str, Any]
    insensitive: Sequence[str]
    drop: Sequence[str]
    omit: Sequence[str]
    entity: str
    household: str
    pseudonyms: Sequence[str] | Mapping[str, Any]
    masks: Mapping[str, str]
    k: int
    r: int
    require: Required
    distances: Mapping[str, Any]
    weights: Mapping[str, float]
    sampling_weights: str
    engine: str | Mapping[str, Any]
    algorithm: str | Mapping[str, Any]
    measure: str | Mapping[str, Any]
    metric: Literal["l2", "l1"]
    max_suppressed: float | str
    suppress: Literal["classes", "records"]
    blind: bool
    suppressed: Literal["drop", "star"]
    missing: Literal["category", "wildcard", "drop"]
    order: Literal["random", "input"]
    format: str
    types: Literal["as-is", "keep", "text"]
    shape: Literal["both", "records", "clusters"]
    radius: Literal["own", "largest"]
    values: Literal["multiset", "set"]
    escape_formulas: bool
    series: Mapping[str, Any]
    after: str | Path
    context: Mapping[str, Any]
    pseudonym_key: str | Path
    seed: int
    time_limit: float
    delimiter: str
    output: str
    output_table: str


_SECTIONS = {
    "input": ("missing", "delimiter"),
    "search": (
        "algorithm",
        "measure",
        "sampling_weights",
        "metric",
        "max_suppressed",
        "suppress",
        "blind",
        "seed",
        "time_limit",
    ),
    "release": (
        "format",
        "types",
        "order",
        "suppressed",
        "shape",
        "radius",
        "values",
        "escape_formulas",
        "pseudonym_key",
    ),
}


_READ_LATER = ("algorithm", "measure", "engine")  # members of shelves may be given as they are; the job reads them


@cache
def _hints() -> dict[str, Any]:
    """Return what each argument of a request may be."""
    return get_type_hints(Request)


def read_argument(name: str, value: Any) -> Any:
    """Read an argument of a request by its annotation, or raise a SpecError."""
    return value if name in _READ_LATER else read_as(_hints()[name], value, name)


def takes_a_request(verb: Verb) -> Verb:
    """Let a verb with `**given: Unpack[Request]` show each of its parameters, so that an editor completes them.

    Type checkers know them by the annotation; `help` and `inspect.signature` by what is set here.
    """
    shown = signature(verb)
    own = [one for one in shown.parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
    asked = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=hint | None) for name, hint in _hints().items()
    ]
    cast("Any", verb).__signature__ = shown.replace(parameters=[own[0], *asked, *own[1:]])
    return verb


def request(data: Any, **given: Unpack[Request]) -> Job:
    """Return the job that the arguments of `anonymize` stand for."""
    known = list(Request.__annotations__)
    for name in given:
        if name not in known:
            raise SpecError(f"Unknown argument '{name}'. {did_you_mean(name, known)}")
    read = {name: read_argument(name, value) for name, value in given.items() if value is not None}
    given = cast("Request", read)
    content: dict[str, Any] = {
        section: {key: given[key] for key in keys if key in given}  # type: ignore[literal-required]
        for section, keys in _SECTIONS.items()
    }
    content["input"] |= input_of(data)
    target = {"url": given.get("output"), "table": given.get("output_table")}
    content["release"] |= {key: value for key, value in target.items() if value is not None}
    content["columns"] = _columns(given)
    content |= {key: given[key] for key in ("engine", "context", "series") if key in given}
    if "after" in given:
        content["series"] = {**content.get("series", {}), "after": given["after"]}
    k = least_size(given.get("k"), given.get("r"))
    promises = [{"model": KAnonymity.name, "k": k}] if k is not None else []
    content["require"] = [*promises, *promises_of(given.get("require", ()))]
    return Job.of(content, Path.cwd())


def input_of(data: Any) -> dict[str, Any]:
    """Return where a table is, as keys of a job's `input`: at a URL, in a file, or in memory."""
    if isinstance(data, TableLocation):
        return {"url": data.database.address.whole, "table": data.table}  # the section takes the password out again
    if isinstance(data, FileLocation | FolderLocation):
        sheet = data.sheet if isinstance(data, FileLocation) else None
        given = {"path": str(data.path), "sheet": sheet, "delimiter": data.given}
        return {key: value for key, value in given.items() if value is not None}
    if isinstance(data, StoreLocation) or (isinstance(data, str) and is_store(data)):
        return {"url": data.url if isinstance(data, StoreLocation) else data}
    if isinstance(data, str) and is_url(data):
        raise SpecError("The URL of a database needs the name of a table: shoal.table(url, table=...).")
    return {"path": str(path_of(data, "data")) if isinstance(data, str | Path) else "frame"}


def input_from_here(data: Any) -> dict[str, Any]:
    """Return the same for a job of any folder: the path of a file, also of a database, starts from where we are."""
    given = input_of(data)
    if "url" in given:
        return {**given, "url": from_here(given["url"])}
    return {**given, "path": str(Path(given["path"]).absolute())}


def frame_of(data: Any) -> Any:
    """Return a table that is in memory, and None of one that the job says where to read."""
    return None if isinstance(data, str | Path | Location) else data


def _columns(given: Request) -> dict[str, dict[str, Any]]:
    columns: dict[str, dict[str, Any]] = {}
    for role, names in (
        (Role.QUASI, listed(given.get("quasi", ()))),
        (Role.SENSITIVE, listed(given.get("sensitive", ()))),
        (Role.INSENSITIVE, listed(given.get("insensitive", ()))),
        (Role.IDENTIFIER, listed(given.get("drop", ()))),
        (Role.OMITTED, listed(given.get("omit", ()))),
        (Role.ENTITY, listed(given.get("entity", ()))),
        (Role.HOUSEHOLD, listed(given.get("household", ()))),
    ):
        for name in names:
            if name in columns:
                raise SpecError(f"Column '{name}' is given two roles: '{columns[name]['role']}' and '{role}'.")
            columns[name] = {"role": str(role)}
            if isinstance(names, Mapping) and names[name] is not None:
                columns[name]["hierarchy"] = recipe_of(names[name])
    asked = listed(given.get("pseudonyms", ()))
    for name in asked:
        columns.setdefault(name, {"role": str(Role.IDENTIFIER)})
        columns[name]["pseudonym"] = pseudonym_of(asked[name] if isinstance(asked, Mapping) else None)
    for name, mask in given.get("masks", {}).items():
        columns.setdefault(name, {"role": str(Role.IDENTIFIER)})["mask"] = mask
    for name, distance in given.get("distances", {}).items():
        columns.setdefault(name, {})["distance"] = recipe_of(distance)
    for name, weight in given.get("weights", {}).items():
        columns.setdefault(name, {})["weight"] = weight
    if "sampling_weights" in given:
        columns.setdefault(given["sampling_weights"], {"role": str(Role.OMITTED)})
    return columns


def pseudonym_of(linked: Any) -> Any:
    """Read a pseudonym given as the name that it is linked by, as a table, or by nothing but its column."""
    return {"linked": linked} if isinstance(linked, str) else True if linked is None else linked


def listed(names: Any) -> Any:
    """Read a lone name as a list of one, and not as a list of letters."""
    return [names] if isinstance(names, str) else names


def recipe_of(given: Any) -> Any:
    """Read a hierarchy or a distance given as an object, as a table, or by its type alone."""
    if isinstance(given, str):
        return {"type": given}
    return {"type": given.name, **fields_of(given)} if isinstance(given, HierarchySpec | DistanceSpec) else given


def promises_of(require: Required) -> list[dict[str, Any]]:
    """Read promises: one or several, each as a model, as a table, or as `model:key=value,key=value`."""
    several = [require] if isinstance(require, str | PrivacyModel | Mapping) else require
    return [_promise(one) for one in several]


def _promise(promise: Promise) -> dict[str, Any]:
    if isinstance(promise, str):
        return fields_in(promise, "require", "model")
    return {"model": promise.name, **fields_of(promise)} if isinstance(promise, PrivacyModel) else dict(promise)


def files_of(model: str) -> frozenset[str]:
    """Return the parameters of a privacy model that name a file; none of one that is not known."""
    found = MODELS.find(model)
    return frozenset() if found is None else frozenset(found.files)


def fields_in(text: str, where: str, title: str) -> dict[str, Any]:
    """Read `name:key=value,key=value`; the name comes under `title`.

    Args:
        text: The text.
        where: What it was given as, for the message if it cannot be read.
        title: The key of the name.
    """
    name, _, rest = text.partition(":")
    fields: dict[str, Any] = {title: name.strip()}
    for part in rest.split(",") if rest else []:
        key, equals, value = part.partition("=")
        if not equals:
            raise SpecError(f"Cannot read '{part}' in '{where} {text}'. Write: {title}:key=value,key=value.")
        fields[key.strip()] = value.strip()
    return fields


def spec_of(recipe: Any, column: str) -> HierarchySpec:
    """Read a hierarchy, or raise a SpecError that names its column."""
    try:
        return TypeAdapter(member_of(HIERARCHIES, "type")).validate_python(recipe_of(recipe))
    except ValidationError as error:
        raise SpecError(explain(error, f"hierarchy of column '{column}'", {"": HIERARCHIES})) from None


def check_apart(quasi: Sequence[str], sensitive: Iterable[str], entity: str | None = None) -> None:
    """Raise a SpecError if there is no quasi column, or if a column has two roles."""
    if not quasi:
        raise SpecError("No quasi column is named: name the columns that an attacker may know.")
    known = dict.fromkeys(quasi, Role.QUASI)
    for role, names in ((Role.SENSITIVE, sensitive), (Role.ENTITY, () if entity is None else (entity,))):
        for name in names:
            if known.setdefault(name, role) is not role:
                raise SpecError(f"Column '{name}' is given two roles: '{known[name]}' and '{role}'.")
