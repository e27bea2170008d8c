"""Clusters: the table of clusters, with what their records hold."""

from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.clusters.cluster_table import Radius, ValuesOption, cell, own_names, rounded_up
from shoal.search.problem import Solution
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.table import Column, Role, Table


def publish_clusters(
    table: Table,
    solution: Solution,
    classes: NDArray[np.int32],
    *,
    radius: Radius,
    values: ValuesOption,
    rng: np.random.Generator,
) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """Return the table of clusters, and the class that each of its rows stands for.

    The clusters are first put into the order of what is published and then into a random one: neither the order of
    the table nor that of the search shows.

    Args:
        table: The table.
        solution: What each class is published as, and how far its records are from that.
        classes: The class of each record, or -1.
        radius: Whether each cluster tells its own radius, or all the largest.
        values: Whether sensitive values are told as multisets or as sets.
        rng: Where the order comes from.
    """
    sizes = np.bincount(classes[classes >= 0], minlength=solution.recoding.n_classes)
    radii = solution.spread.radii[:, -1] if solution.spread is not None else np.zeros(len(sizes))
    radii = radii if radius == "own" else np.full(len(sizes), radii.max(initial=0.0))
    sensitive = table.names(Role.SENSITIVE)
    shown: dict[str, list[Label]] = {}
    for number, column in enumerate(solution.recoding.columns):
        labels, codes = solution.recoding.published(number)
        shown[column.name] = [labels[code] for code in codes.tolist()]
    names = own_names([*shown, *sensitive])
    shown[names[0]] = [str(size) for size in sizes.tolist()]
    shown[names[1]] = [rounded_up(length) for length in radii.tolist()]
    shown |= {name: _held(table.columns[name], classes, len(sizes), values) for name in sensitive}
    rows = list(zip(*shown.values(), strict=True))
    order = np.array(sorted(range(len(rows)), key=lambda i: [(text is None, text or "") for text in rows[i]]))
    rng.shuffle(order)
    return pl.DataFrame([pl.Series(name, [texts[i] for i in order], pl.String) for name, texts in shown.items()]), order


def _held(column: Column, classes: NDArray[np.int32], n_classes: int, kind: ValuesOption) -> list[Label]:
    """Return the values of a column in each class, as the text of a cell."""
    inside = classes >= 0
    sizes = [n_classes, len(column.values) + 1]
    entry_of, entries = distinct_rows([classes[inside], column.codes[inside]], sizes, int(inside.sum()))
    counts = np.bincount(entry_of, minlength=len(entries)).tolist()
    ends = np.searchsorted(entries[:, 0], np.arange(n_classes + 1)).tolist()
    texts = [*column.values, None]
    values = [texts[code] for code in entries[:, 1].tolist()]
    return [cell(values[start:end], counts[start:end], kind) for start, end in pairwise(ends)]
