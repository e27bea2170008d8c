"""Check: what every model measures on a table as it is, whoever made it, and whether it keeps promises."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from shoal.audits.checkup import check_up, judged
from shoal.foundation.progress import Progress, silent
from shoal.jobs.arguments import check_apart, listed, promise_of, spec_of
from shoal.jobs.job import Job
from shoal.jobs.source import columns_of
from shoal.models import PrivacyModel
from shoal.tables.hierarchies import Hierarchy
from shoal.tables.table import Column


def check(
    data: Any,
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str] | Mapping[str, Any] = (),
    entity: str | None = None,
    delimiter: str | None = None,
    table: str | None = None,
    sheet: str | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Measure a table as it is, whoever made it: k, and for each sensitive column what every model reaches.

    Args:
        data: A frame of polars, pandas or pyarrow, the path of a file, or the URL of a database.
        quasi: The quasi columns.
        sensitive: The sensitive columns; a mapping may give each a hierarchy to measure distances along.
        entity: The column that tells whose record it is: then k counts persons, and not records.
        delimiter: What separates the fields of a CSV file; found out if not given.
        table: The table of a database, if `data` is the URL of one.
        sheet: The sheet of an Excel workbook; the first if not given.
        progress: Called with what is being done.
    """
    quasi, sensitive = listed(quasi), listed(sensitive)
    check_apart(quasi, sensitive, entity)
    progress("reading the table")
    names = [*quasi, *sensitive, *listed(entity or ())]
    frame = columns_of(data, names, delimiter, table, sheet)
    recipes = sensitive if isinstance(sensitive, Mapping) else {}
    hierarchies = {name: _built(recipe, frame[name], name) for name, recipe in recipes.items() if recipe is not None}
    progress("measuring the classes")
    return check_up(frame, quasi, list(sensitive), hierarchies, entity)


def judge(
    data: Any,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    require: Iterable[PrivacyModel | Mapping[str, Any]],
    entity: str | None = None,
    delimiter: str | None = None,
    table: str | None = None,
    sheet: str | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Put promises to a table as it is; list the classes that fail by their size."""
    check_apart(quasi, sensitive, entity)
    roles = {"quasi": quasi, "sensitive": sensitive, "entity": listed(entity or ())}
    columns = {name: {"role": role} for role, names in roles.items() for name in names}
    content = {"input": {"path": "frame"}, "columns": columns, "require": [promise_of(promise) for promise in require]}
    promises = Job.of(content, Path()).require
    progress("putting the promises to the table")
    return judged(columns_of(data, list(columns), delimiter, table, sheet), promises, quasi, sensitive, entity)


def _built(recipe: Any, values: pl.Series, column: str) -> Hierarchy:
    return spec_of(recipe, column).build(Column.of(values).values, column, Path())
