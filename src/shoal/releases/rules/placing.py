"""Placing: what finds the classes of another table's records, by rules that were opened with it."""

from collections.abc import Mapping

import numpy as np

from shoal.classes.tally import Tally
from shoal.clusters.metric import Metric
from shoal.jobs.source import Source
from shoal.releases.rules.domains import AppliedRule, Domain
from shoal.releases.rules.finding import Combined, Finder, NearestCentre, SmallestCover
from shoal.releases.rules.opening import applied_rules
from shoal.releases.rules.rules import Rules


def finder_of(
    rules: Rules, opened: tuple[Source, Mapping[str, Domain]], tally: Tally, metric: Metric | None
) -> tuple[Finder, list[AppliedRule]]:
    """Return what finds the classes of points, and the rules of the columns, of which centres have none.

    Args:
        rules: The rules.
        opened: The table, and the values of each column.
        tally: Its points.
        metric: Distances, if the classes are published as centres.
    """
    if metric is not None:
        return NearestCentre(tally, metric, rules), []
    columns = applied_rules(rules, *opened, tally)
    if rules.classes is not None:
        names = list(rules.columns)
        order = [names.index(column.name) for column in tally.quasi]
        classes = np.array(rules.classes, dtype=np.int64).reshape(-1, len(names))[:, order]
        return SmallestCover(tally, [one.covers for one in columns if one.covers is not None], classes), columns
    rows = np.column_stack([column.cells[tally.codes[:, j]] for j, column in enumerate(columns)])
    return Combined(tally.quasi, tuple(column.subsets for column in columns), rows), columns
