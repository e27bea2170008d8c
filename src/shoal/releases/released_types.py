"""Released types: which columns of a release keep the type that they came in, and with which categories."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from shoal.jobs.source import Source
from shoal.search.problem import Solution
from shoal.tables.formats.column_type import ColumnType
from shoal.tables.table import Role


def released_types(
    source: Source, solution: Solution, values: Callable[[str], Iterable[Sequence[str]]], *, regional: bool
) -> dict[str, ColumnType]:
    """Return the types of the columns that leave as they came, without categories that no released record has.

    Sensitive and insensitive columns do; a quasi column does if that is asked for and no class has another value
    than its records. Persons leave as other numbers, and the centres of clusters are made.

    Args:
        source: The table, with the types of its columns.
        solution: The classes.
        values: Tells the different values of a released column, some at a time.
        regional: Whether the classes are not at hand, so that nobody can tell what was changed.
    """
    asked, roles = source.job.release.types, source.roles
    if asked == "text":
        return {}
    names = [name for name, role in roles.items() if role in (Role.SENSITIVE, Role.INSENSITIVE)]
    stars = source.job.release.suppressed == "star" and solution.suppressed > 0
    if asked == "keep" and not stars and not regional and solution.spread is None:
        names += _unchanged(solution)
    return {
        name: source.types[name].among_all(values(name)) for name in roles if name in names and name in source.types
    }


def _unchanged(solution: Solution) -> list[str]:
    """Return the quasi columns in which every class is published as the one value that its records have."""
    found = []
    for number, column in enumerate(solution.recoding.columns):
        subsets = solution.recoding.shown[number]
        cells = np.unique(solution.recoding.cells[:, number])
        listed = subsets.offsets is not None and bool((np.diff(subsets.offsets)[cells] > 0).any())
        if not listed and not subsets.levels[cells].any():
            found.append(column.name)
    return found
