"""Recoding: each row of a table by the rules of a release, in its place; nothing is proven of what comes out."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.actions.anonymize import counted_of
from shoal.jobs.posing import problem_of
from shoal.releases.rules.opening import check_files, declaring, opened
from shoal.releases.rules.placing import finder_of
from shoal.releases.rules.rules import Rules
from shoal.tables.hierarchies.hierarchy import Label

STAR = "*"

Cells = tuple[Label, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Recoded:
    """The rows of a table as rules recode them.

    Args:
        cells: The cell of each row in each quasi column; a star in all of them if the row is not covered.
        covered: Which rows have the cells of a class of the release.
    """

    cells: dict[str, list[Label]]
    covered: NDArray[np.bool_]


def recoded(rules: Rules, classes: Collection[Cells], frame: Any) -> Recoded:
    """Recode each row for itself.

    A row is covered if its cells are those of a class that the release published. So whatever comes out looks like at
    least as many records of the first table as that class has, or is a row of stars.

    Args:
        rules: The rules of the release.
        classes: The cells of its classes, in the order of the columns of the rules.
        frame: The table, a frame of polars or pandas, with the columns of the first one.
    """
    job = declaring(rules.job(input={"path": "rows"}), rules)
    check_files(rules, job, "refuse")
    source, domains = opened(rules, job, frame, None)
    counted = counted_of(source)
    problem = problem_of(source.job, counted.tally)
    finder, _ = finder_of(rules, (source, domains), problem.tally, problem.metric)
    recoding = finder.recoding
    labels = {column.name: recoding.published(number) for number, column in enumerate(recoding.columns)}
    known = set(classes)
    shown = [[texts[code] for code in codes.tolist()] for texts, codes in (labels[name] for name in rules.columns)]
    rows = list(zip(*shown, strict=True))
    alive = np.array([row in known for row in rows], dtype=np.bool_)
    every = np.arange(problem.tally.n_points, dtype=np.int64)
    found = finder.find(every, alive, 1)[:, 0][counted.point_of]
    starred: Cells = tuple(STAR for _ in rules.columns)
    chosen = [rows[number] if number >= 0 else starred for number in found.tolist()]
    cells = {name: [row[at] for row in chosen] for at, name in enumerate(rules.columns)}
    return Recoded(cells, found >= 0)
