"""What Python users call: a frame or a path in, a release or findings out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

import polars as pl
from pydantic import TypeAdapter, ValidationError

from shoal.audits.checkup import check_up, judged
from shoal.databases.address import is_url
from shoal.engines.local import count
from shoal.errors import SpecError
from shoal.formats.format import kept
from shoal.formats.frames import to_polars
from shoal.hierarchies import HIERARCHIES, Hierarchy, HierarchySpec
from shoal.job import Job
from shoal.models import KAnonymity, PrivacyModel
from shoal.named import explain, fields_of, member_of
from shoal.pipeline import problem_of, run
from shoal.place import place_of
from shoal.progress import Progress, silent
from shoal.release import Release
from shoal.shelf import did_you_mean
from shoal.source import read
from shoal.spaces.frontier import Frontier, sweep
from shoal.spaces.lattice import Lattice
from shoal.spaces.minimal import minimal_nodes
from shoal.table import Column, Role, chosen


class Request(TypedDict, total=False):
    """What may be asked of `anonymize`, `frontier` and `minimal_generalizations`; see `anonymize`."""

    quasi: Sequence[str] | Mapping[str, Any]
    sensitive: Sequence[str] | Mapping[str, Any]
    insensitive: Sequence[str]
    drop: Sequence[str]
    k: int
    require: Sequence[PrivacyModel | Mapping[str, Any]]
    weights: Mapping[str, float]
    algorithm: str | Mapping[str, Any]
    measure: str | Mapping[str, Any]
    max_suppressed: float | str
    suppressed: Literal["drop", "star"]
    missing: Literal["category", "wildcard", "drop"]
    order: Literal["random", "input"]
    format: Literal["csv", "parquet", "xlsx", "sav", "dta"]
    seed: int
    time_limit: float
    delimiter: str
    sheet: str
    table: str
    output: str
    output_table: str


_SECTIONS = {
    "input": ("missing", "delimiter", "sheet", "table"),
    "search": ("algorithm", "measure", "max_suppressed", "seed", "time_limit"),
    "release": ("format", "order", "suppressed"),
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
    content["input"] |= _location(data)
    target = {"url": given.get("output"), "table": given.get("output_table")}
    content["release"] |= {key: value for key, value in target.items() if value is not None}
    content["columns"] = _columns(given)
    promises = [{"model": KAnonymity.name, "k": given["k"]}] if given.get("k") is not None else []
    content["require"] = [*promises, *map(_promise, given.get("require", ()))]
    return Job.of(content, Path.cwd())


def _location(data: Any) -> dict[str, str]:
    """Return where the table is: at a URL, in a file, or in memory."""
    if isinstance(data, str) and is_url(data):
        return {"url": data}
    return {"path": str(data) if isinstance(data, str | Path) else "frame"}


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
    for name, weight in given.get("weights", {}).items():
        columns.setdefault(name, {})["weight"] = weight
    return columns


def _listed(names: Any) -> Any:
    """Read a lone name as a list of one, and not as a list of letters."""
    return [names] if isinstance(names, str) else names


def _recipe(hierarchy: Any) -> Any:
    """Read a hierarchy given as an object, as a table, or by its type alone."""
    if isinstance(hierarchy, str):
        return {"type": hierarchy}
    return {"type": hierarchy.name, **fields_of(hierarchy)} if isinstance(hierarchy, HierarchySpec) else hierarchy


def _promise(promise: PrivacyModel | Mapping[str, Any]) -> dict[str, Any]:
    return {"model": promise.name, **fields_of(promise)} if isinstance(promise, PrivacyModel) else dict(promise)


def anonymize(data: Any, *, progress: Progress = silent, **given: Unpack[Request]) -> Release:
    """Release a table so that every record hides in a class, with the least loss, and with a certificate.

    Every column needs a role; nothing is published that was not named.

    Args:
        data: A frame of polars, pandas or pyarrow, the path of a file, or the URL of a database.
        given: What follows.
        quasi: The columns that an attacker may know; a mapping gives each its hierarchy, e.g.
            `{"age": {"type": "intervals", "widths": [5, 10, 20]}, "zip": "masking", "sex": None}`. None, or
            a plain list, chooses one by the values.
        sensitive: The columns to protect; a mapping may give a hierarchy to measure distances along.
        insensitive: Columns to publish as they are.
        drop: Columns that never leave.
        k: Short for requiring `KAnonymity(k=k)`.
        require: More promises, as models or as tables of a job file.
        weights: The weight of a quasi column in the loss.
        algorithm: The name of an algorithm, or a table with its parameters.
        measure: The name of the loss to minimize, or a table with its parameters.
        max_suppressed: The share of the records that may be suppressed.
        suppressed: `drop` leaves suppressed records out, `star` publishes them with stars.
        missing: What a missing value is: a `category`, a `wildcard`, or a reason to `drop` the record.
        order: `random`, or that of the `input`.
        seed: For repeating the random order.
        time_limit: Seconds after which the search returns the best it has.
        delimiter: What separates the fields of a CSV file; found out if not given.
        sheet: The sheet of an Excel workbook; the first if not given.
        table: The table of a database, as `table` or `schema.table`.
        format: What `write` writes: `csv`, `parquet`, `xlsx`, `sav` or `dta`.
        output: The URL of a database into which `write` puts the data, as the table `output_table`.
        output_table: See `output`.
        progress: Called with the step and the share of it that is done.
    """
    return run(request(data, **given), _frame(data), progress)


def check(
    data: Any,
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str] | Mapping[str, Any] = (),
    delimiter: str | None = None,
    table: str | None = None,
    sheet: str | None = None,
) -> dict[str, Any]:
    """Measure a table as it is, whoever made it: k, and for each sensitive column what every model reaches.

    Args:
        data: A frame of polars, pandas or pyarrow, or the path of a file.
        quasi: The quasi columns.
        sensitive: The sensitive columns; a mapping may give each a hierarchy to measure distances along.
        delimiter: What separates the fields of a CSV file; found out if not given.
        table: The table of a database, if `data` is the URL of one.
        sheet: The sheet of an Excel workbook; the first if not given.
    """
    quasi, sensitive = _listed(quasi), _listed(sensitive)
    _check_apart(quasi, sensitive)
    frame = columns_of(data, [*quasi, *sensitive], delimiter, table, sheet)
    recipes = sensitive if isinstance(sensitive, Mapping) else {}
    hierarchies = {name: _built(recipe, frame[name], name) for name, recipe in recipes.items() if recipe is not None}
    return check_up(frame, quasi, list(sensitive), hierarchies)


def judge(
    data: Any,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    require: Iterable[PrivacyModel | Mapping[str, Any]],
    delimiter: str | None = None,
    table: str | None = None,
    sheet: str | None = None,
) -> dict[str, Any]:
    """Put promises to a table as it is; list the classes that fail by their size."""
    _check_apart(quasi, sensitive)
    columns = {name: {"role": "quasi"} for name in quasi} | {name: {"role": "sensitive"} for name in sensitive}
    content = {"input": {"path": "frame"}, "columns": columns, "require": [_promise(promise) for promise in require]}
    promises = Job.of(content, Path()).require
    return judged(columns_of(data, [*quasi, *sensitive], delimiter, table, sheet), promises, quasi, sensitive)


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


def columns_of(
    data: Any, names: Sequence[str], delimiter: str | None = None, table: str | None = None, sheet: str | None = None
) -> pl.DataFrame:
    """Return some columns of a frame, a file or a table of a database as text."""
    if not isinstance(data, str | Path):
        frame, _ = to_polars(data)
        return chosen(frame, kept(frame.columns, names, "the frame"))
    return place_of(data, table=table, sheet=sheet, delimiter=delimiter).read(keep=names)


def _built(recipe: Any, values: pl.Series, column: str) -> Hierarchy:
    try:
        spec = TypeAdapter(member_of(HIERARCHIES, "type")).validate_python(_recipe(recipe))
    except ValidationError as error:
        raise SpecError(explain(error, f"hierarchy of column '{column}'", {"": HIERARCHIES})) from None
    return spec.build(Column.of(values).values, column, Path())


def _check_apart(quasi: Sequence[str], sensitive: Iterable[str]) -> None:
    """Raise a SpecError if there is no quasi column, or if one is sensitive too."""
    if not quasi:
        raise SpecError("No quasi column is named: name the columns that an attacker may know.")
    for name in sensitive:
        if name in quasi:
            raise SpecError(f"Column '{name}' is given two roles: '{Role.QUASI}' and '{Role.SENSITIVE}'.")
