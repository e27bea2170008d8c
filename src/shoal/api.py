"""What Python users call: a frame or a path in, a release or findings out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

import polars as pl
from pydantic import TypeAdapter, ValidationError

from shoal.attacker import Attacker, Held, made_here
from shoal.audits.attacks import Attacks
from shoal.audits.checkup import check_up, judged
from shoal.distances import DistanceSpec
from shoal.engines.local import count
from shoal.errors import SpecError
from shoal.exact import fraction
from shoal.hierarchies import HIERARCHIES, Hierarchy, HierarchySpec
from shoal.job import Job, least_size
from shoal.models import KAnonymity, PrivacyModel
from shoal.named import explain, fields_of, member_of
from shoal.pipeline import problem_of, run
from shoal.progress import Progress, silent
from shoal.release import Release
from shoal.shelf import did_you_mean
from shoal.source import columns_of, read
from shoal.spaces.frontier import Frontier, sweep
from shoal.spaces.lattice import Lattice
from shoal.spaces.minimal import minimal_nodes
from shoal.table import Column, Role


class Request(TypedDict, total=False):
    """What may be asked of `anonymize`, `frontier` and `minimal_generalizations`; see `anonymize`."""

    quasi: Sequence[str] | Mapping[str, Any]
    sensitive: Sequence[str] | Mapping[str, Any]
    insensitive: Sequence[str]
    drop: Sequence[str]
    k: int
    r: int
    require: Sequence[PrivacyModel | Mapping[str, Any]]
    distances: Mapping[str, Any]
    weights: Mapping[str, float]
    algorithm: str | Mapping[str, Any]
    measure: str | Mapping[str, Any]
    metric: Literal["l2", "l1"]
    max_suppressed: float | str
    suppressed: Literal["drop", "star"]
    missing: Literal["category", "wildcard", "drop"]
    order: Literal["random", "input"]
    format: Literal["csv", "parquet"]
    shape: Literal["both", "records", "clusters"]
    radius: Literal["own", "largest"]
    values: Literal["multiset", "set"]
    seed: int
    time_limit: float
    delimiter: str


_SECTIONS = {
    "input": ("missing", "delimiter"),
    "search": ("algorithm", "measure", "metric", "max_suppressed", "seed", "time_limit"),
    "release": ("format", "order", "suppressed", "shape", "radius", "values"),
}


def request(data: Any, **given: Unpack[Request]) -> Job:
    """Return the job that the arguments of `anonymize` stand for."""
    known = list(Request.__annotations__)
    for name in given:
        if name not in known:
            raise SpecError(f"Unknown argument '{name}'. {did_you_mean(name, known)}")
    content: dict[str, Any] = {
        section: {key: given[key] for key in keys if given.get(key) is not None}  # type: ignore[literal-required]
        for section, keys in _SECTIONS.items()
    }
    content["input"]["path"] = str(data) if isinstance(data, str | Path) else "frame"
    content["columns"] = _columns(given)
    k = least_size(given.get("k"), given.get("r"))
    promises = [{"model": KAnonymity.name, "k": k}] if k is not None else []
    content["require"] = [*promises, *map(_promise, given.get("require", ()))]
    return Job.of(content, Path.cwd())


def _columns(given: Request) -> dict[str, dict[str, Any]]:
    columns: dict[str, dict[str, Any]] = {}
    for role, names in (
        (Role.QUASI, _listed(given.get("quasi", ()))),
        (Role.SENSITIVE, _listed(given.get("sensitive", ()))),
        (Role.INSENSITIVE, _listed(given.get("insensitive", ()))),
        (Role.IDENTIFIER, _listed(given.get("drop", ()))),
    ):
        for name in names:
            if name in columns:
                raise SpecError(f"Column '{name}' is given two roles: '{columns[name]['role']}' and '{role}'.")
            columns[name] = {"role": str(role)}
            if isinstance(names, Mapping) and names[name] is not None:
                columns[name]["hierarchy"] = _recipe(names[name])
    for name, distance in given.get("distances", {}).items():
        columns.setdefault(name, {})["distance"] = _recipe(distance)
    for name, weight in given.get("weights", {}).items():
        columns.setdefault(name, {})["weight"] = weight
    return columns


def _listed(names: Any) -> Any:
    """Read a lone name as a list of one, and not as a list of letters."""
    return [names] if isinstance(names, str) else names


def _recipe(given: Any) -> Any:
    """Read a hierarchy or a distance given as an object, as a table, or by its type alone."""
    if isinstance(given, str):
        return {"type": given}
    return {"type": given.name, **fields_of(given)} if isinstance(given, HierarchySpec | DistanceSpec) else given


def _promise(promise: PrivacyModel | Mapping[str, Any]) -> dict[str, Any]:
    return {"model": promise.name, **fields_of(promise)} if isinstance(promise, PrivacyModel) else dict(promise)


def anonymize(data: Any, *, progress: Progress = silent, **given: Unpack[Request]) -> Release:
    """Release a table so that every record hides in a class, with the least loss, and with a certificate.

    Every column needs a role; nothing is published that was not named.

    Args:
        data: A frame of polars, pandas or pyarrow, or the path of a file.
        given: What follows.
        quasi: The columns that an attacker may know; a mapping gives each its hierarchy, e.g.
            `{"age": {"type": "intervals", "widths": [5, 10, 20]}, "zip": "masking", "sex": None}`. None, or
            a plain list, chooses one by the values.
        sensitive: The columns to protect; a mapping may give a hierarchy to measure distances along.
        insensitive: Columns to publish as they are.
        drop: Columns that never leave.
        k: Short for requiring `KAnonymity(k=k)`.
        r: Another name of k, that of the least size of a cluster.
        require: More promises, as models or as tables of a job file.
        distances: How far the values of a quasi column are from each other, for algorithms that publish clusters, e.g.
            `{"age": {"type": "number", "unit": 10}, "city": "equal"}`. Chosen by the values if not given.
        weights: The weight of a quasi column in the loss, and in the distances.
        algorithm: The name of an algorithm, or a table with its parameters.
        measure: The name of the loss to minimize, or a table with its parameters.
        metric: How distances along the columns are combined: `l2`, the root of the sum of squares, or `l1`, the sum.
        max_suppressed: The share of the records that may be suppressed.
        suppressed: `drop` leaves suppressed records out, `star` publishes them with stars.
        missing: What a missing value is: a `category`, a `wildcard`, or a reason to `drop` the record.
        order: `random`, or that of the `input`.
        seed: For repeating the random order.
        time_limit: Seconds after which the search returns the best it has.
        delimiter: What separates the fields of a CSV file; found out if not given.
        format: What `write` writes, `csv` or `parquet`.
        shape: For clusters: a row for each record (`records`), one for each cluster (`clusters`), or `both`.
        radius: Whether each cluster tells its `own` radius, or all of them the `largest`.
        values: Whether a cluster tells its sensitive values as a `multiset` or as a `set`.
        progress: Called with the step and the share of it that is done.
    """
    return run(request(data, **given), _frame(data), progress)


def check(
    data: Any,
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str] | Mapping[str, Any] = (),
    delimiter: str | None = None,
) -> dict[str, Any]:
    """Measure a table as it is, whoever made it: k, and for each sensitive column what every model reaches.

    Args:
        data: A frame of polars, pandas or pyarrow, or the path of a file.
        quasi: The quasi columns.
        sensitive: The sensitive columns; a mapping may give each a hierarchy to measure distances along.
        delimiter: What separates the fields of a CSV file; found out if not given.
    """
    quasi, sensitive = _listed(quasi), _listed(sensitive)
    _check_apart(quasi, sensitive)
    frame = columns_of(data, [*quasi, *sensitive], delimiter)
    recipes = sensitive if isinstance(sensitive, Mapping) else {}
    hierarchies = {name: _built(recipe, frame[name], name) for name, recipe in recipes.items() if recipe is not None}
    return check_up(frame, quasi, list(sensitive), hierarchies)


def judge(
    data: Any,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    require: Iterable[PrivacyModel | Mapping[str, Any]],
    delimiter: str | None = None,
) -> dict[str, Any]:
    """Put promises to a table as it is; list the classes that fail by their size."""
    _check_apart(quasi, sensitive)
    columns = {name: {"role": "quasi"} for name in quasi} | {name: {"role": "sensitive"} for name in sensitive}
    content = {"input": {"path": "frame"}, "columns": columns, "require": [_promise(promise) for promise in require]}
    promises = Job.of(content, Path()).require
    return judged(columns_of(data, [*quasi, *sensitive], delimiter), promises, quasi, sensitive)


def attack(
    release: Any,
    *,
    public: Any = None,
    truth: Sequence[str] = (),
    raw: Any = None,
    other: Any = None,
    on: Sequence[str] | Mapping[str, str] = (),
    quasi: Sequence[str] | Mapping[str, Any] = (),
    sensitive: Sequence[str] | Mapping[str, Any] = (),
    attacks: Sequence[str] = (),
    missing: Literal["wildcard", "category"] = "wildcard",
    rule_out: int = 2,
    gain: float | str = 0.5,
    width: float | str = 0.1,
    others_known: bool = False,
    delimiter: str | None = None,
    progress: Progress = silent,
) -> Attacks:
    """Try what an attacker learns from a release: linkage, homogeneity, background knowledge, skewness, similarity.

    Args:
        release: A release of shoal (in memory, or its folder), or any table with `quasi` and `sensitive`.
        public: A table of persons, to be joined on their quasi values: a cell matches the values that it covers.
        truth: Columns that name the persons of `public`, and also the records of the release or of `raw`.
        raw: The table that the release was made of; that of the release's job if left out.
        other: Another release of the same table, to be put together with the first.
        on: The columns to join on; a mapping tells what `public` calls them. All that both have if left out.
        quasi: For a table that is no release of shoal: the quasi columns; a mapping may give their hierarchies.
        sensitive: Likewise the sensitive columns.
        attacks: The attacks to run, by name; all that what is given allows if left out.
        missing: Whether a missing value may be any value (`wildcard`), or is a value like any other (`category`).
        rule_out: The largest number of sensitive values that background knowledge rules out.
        gain: The gain of a value over its prior from which a class counts as exposed by skewness.
        width: The share of the whole range within which a class counts as exposed by similarity.
        others_known: Whether an attacker knows the other sensitive columns of a person.
        delimiter: What separates the fields of CSV files; found out if not given.
        progress: Called with the step and the share of it that is done.
    """
    roles = roles_of(quasi, sensitive)
    if missing not in ("wildcard", "category"):
        raise SpecError(f"'missing' is '{missing}': known are wildcard, category.")
    if roles is not None and made_here(release) and (other is None or made_here(other)):
        raise SpecError("A release of shoal knows the roles of its columns: quasi and sensitive are for other tables.")
    held = Held.of(release, roles, delimiter)
    joined = _listed(on)
    attacker = Attacker(
        held=held,
        public=public,
        truth=tuple(_listed(truth)),
        raw=raw,
        other=None if other is None else Held.of(other, roles, delimiter),
        on=joined if isinstance(joined, Mapping) else {name: name for name in joined},
        attacks=tuple(_listed(attacks)),
        wildcard=missing == "wildcard",
        rule_out=rule_out,
        gain=_share(gain, "gain"),
        width=_share(width, "width"),
        others_known=others_known,
        delimiter=delimiter,
    )
    return attacker.run(progress)


def frontier(data: Any, *, ks: Sequence[int], progress: Progress = silent, **given: Unpack[Request]) -> Frontier:
    """Answer every k and every limit of suppression at once: one sweep over all generalizations.

    Args:
        data: A frame of polars, pandas or pyarrow, or the path of a file.
        ks: The values of k.
        progress: Called with the step and the share of it that is done.
        given: As for `anonymize`; what is required holds for every k.
    """
    given.setdefault("k", 1)
    return frontier_of(request(data, **given), ks, progress, _frame(data))


def frontier_of(job: Job, ks: Sequence[int], progress: Progress = silent, data: Any = None) -> Frontier:
    """Sweep the lattice of a job; its own k-anonymity gives way to the values of k."""
    lattice = _lattice(job, data)
    others = tuple(model for model in lattice.problem.models if not isinstance(model, KAnonymity))
    return sweep(Lattice(replace(lattice.problem, models=others)), ks, progress)


def minimal_generalizations(
    data: Any, *, progress: Progress = silent, **given: Unpack[Request]
) -> list[dict[str, int]]:
    """Return all minimal generalizations (002 Definition 3.4), each as the level of every column."""
    return minimal_of(request(data, **given), progress, _frame(data))


def minimal_of(job: Job, progress: Progress = silent, data: Any = None) -> list[dict[str, int]]:
    """Return all minimal generalizations of a job's table."""
    lattice = _lattice(job, data)
    return [lattice.named(node) for node in minimal_nodes(lattice, progress)]


def _lattice(job: Job, data: Any) -> Lattice:
    source = read(job, data)
    counted = count(source.table, source.hierarchies, source.weights, source.job.watched(), source.populations)
    return Lattice(problem_of(source.job, counted.tally))


def _frame(data: Any) -> Any:
    return None if isinstance(data, str | Path) else data


def _built(recipe: Any, values: pl.Series, column: str) -> Hierarchy:
    return _spec(recipe, column).build(Column.of(values).values, column, Path())


def _spec(recipe: Any, column: str) -> HierarchySpec:
    try:
        return TypeAdapter(member_of(HIERARCHIES, "type")).validate_python(_recipe(recipe))
    except ValidationError as error:
        raise SpecError(explain(error, f"hierarchy of column '{column}'", {"": HIERARCHIES})) from None


def roles_of(quasi: Any, sensitive: Any) -> Held | None:
    """Return the roles of the columns of a table that does not tell them itself."""
    quasi, sensitive = _listed(quasi), _listed(sensitive)
    if not quasi and not sensitive:
        return None
    _check_apart(quasi, sensitive)
    recipes = {
        name: _spec(recipe, name)
        for names in (quasi, sensitive)
        if isinstance(names, Mapping)
        for name, recipe in names.items()
        if recipe is not None
    }
    return Held(pl.DataFrame(), tuple(quasi), tuple(sensitive), recipes)


def _share(number: Any, name: str) -> Fraction:
    """Read a share as the decimal that was written."""
    share = fraction(number)
    if not isinstance(share, int | Fraction) or not 0 <= share <= 1:
        raise SpecError(f"'{name}' is {number}: a number from 0 to 1 is needed.")
    return Fraction(share)


def _check_apart(quasi: Sequence[str], sensitive: Iterable[str]) -> None:
    """Raise a SpecError if there is no quasi column, or if one is sensitive too."""
    if not quasi:
        raise SpecError("No quasi column is named: name the columns that an attacker may know.")
    for name in sensitive:
        if name in quasi:
            raise SpecError(f"Column '{name}' is given two roles: '{Role.QUASI}' and '{Role.SENSITIVE}'.")
