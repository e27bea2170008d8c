"""Check: what every model measures on a table as it is, whoever made it, and whether it keeps promises."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from shoal.audits.checkup import check_up, judged
from shoal.foundation.given import checked
from shoal.foundation.progress import Progress, silent
from shoal.jobs.arguments import Required, check_apart, listed, promises_of, spec_of
from shoal.jobs.given_table import count_columns
from shoal.jobs.job import Job
from shoal.models import PrivacyModel
from shoal.releases.claims.reading import released_records
from shoal.tables.hierarchies import Hierarchy
from shoal.tables.table import Column, Role


@checked
def check(
    data: Any,
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str] | Mapping[str, Any] = (),
    require: Required = (),
    entity: str | None = None,
    delimiter: str | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Measure an existing table, made with any tool: k, and what every model reaches for each sensitive column.

    Args:
        data: A frame of polars, pandas or pyarrow, the path of a file or of the folder of a release, or a
            `shoal.table`.
        quasi: The quasi columns.
        sensitive: The sensitive columns; a mapping may give hierarchies for distances between values.
        require: Promises to check, as for `anonymize`. `claims` then shows what each reaches, and `failing` how many
            classes of each size break one.
        entity: The column that identifies the person: k then counts persons instead of records.
        delimiter: The field separator of a CSV file; detected by default.
        progress: Called with the current step.
    """
    quasi, sensitive = listed(quasi), listed(sensitive)
    check_apart(quasi, sensitive, entity)
    progress("reading the table")
    roles = {Role.QUASI: quasi, Role.SENSITIVE: sensitive, Role.ENTITY: () if entity is None else (entity,)}
    columns = {name: {"role": str(role)} for role, names in roles.items() for name in names}
    promises = _promises(columns, promises_of(require))
    rows = count_columns(released_records(data), list(columns), delimiter)
    recipes = sensitive if isinstance(sensitive, Mapping) else {}
    hierarchies = {
        name: _built(recipe, rows.frame[name], name) for name, recipe in recipes.items() if recipe is not None
    }
    progress("measuring the classes")
    found = check_up(rows, quasi, list(sensitive), hierarchies, entity)
    if promises:
        progress("putting the promises to the table")
        found |= judged(rows, promises, quasi, list(sensitive), hierarchies, entity)
    return found


def _promises(columns: Mapping[str, Any], stated: Sequence[Mapping[str, Any]]) -> Sequence[PrivacyModel]:
    """Read promises as those of a job with these columns, so that all that is wrong with them is told."""
    if not stated:
        return ()
    return Job.of({"input": {"path": "frame"}, "columns": columns, "require": stated}, Path()).require


def _built(recipe: Any, values: pl.Series, column: str) -> Hierarchy:
    return spec_of(recipe, column).build(Column.of(values).values, column, Path())
