"""The local engine: counts and publishes records in memory, with NumPy."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.classes.observed import sensitive_column
from shoal.classes.recoding import Recoding
from shoal.classes.tally import QuasiColumn, Tally, distinct_rows, numbered_rows, rows_at
from shoal.clusters.cluster_table import Radius, ValuesOption, cell, own_names, rounded_up
from shoal.kernels.grouping import take
from shoal.search.engines.numbering import numbered
from shoal.search.problem import Solution
from shoal.tables.hierarchies.hierarchy import STAR, Hierarchy, Label
from shoal.tables.table import Column, Role, Table


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """A table's tally, and which point each record went to."""

    tally: Tally
    point_of: NDArray[np.int32]


def count(
    table: Table,
    hierarchies: Mapping[str, Hierarchy],
    weights: Mapping[str, float],
    watched: tuple[str, ...] = (),
    populations: Mapping[str, Table] | None = None,
) -> Counted:
    """Count the records of a table by their quasi and sensitive values, in one pass.

    Args:
        table: The table.
        hierarchies: The hierarchy of each quasi column, over the values of all tables; also of sensitive columns.
        weights: The weight of each quasi column.
        watched: The sensitive columns to count by.
        populations: Outside tables with the same quasi columns, counted into the same points.
    """
    names = table.names(Role.QUASI)
    tables = [table, *(populations or {}).values()]
    full = {name: _full(hierarchies[name], [one.columns[name] for one in tables]) for name in names}
    looked = [sensitive_column(name, table.columns[name], hierarchies.get(name)) for name in watched]
    profiles, profile_codes = distinct_rows(
        [codes for _, codes in looked], [len(column.values) for column, _ in looked], table.n_records
    )
    leaves = [_leaves(full[name], [one.columns[name] for one in tables], name) for name in names]
    extra = sum(one.n_records for one in tables) - table.n_records
    all_profiles = np.concatenate([profiles, np.zeros(extra, dtype=np.int32)]) if extra else profiles
    sizes = [*(full[name].n_leaves for name in names), len(profile_codes)]
    point_of, places = numbered_rows([*leaves, all_profiles], sizes, len(all_profiles))
    ends = np.cumsum([one.n_records for one in tables])
    counts = [np.bincount(part, minlength=len(places)) for part in np.split(point_of, ends[:-1])]
    quasi = tuple(
        QuasiColumn(
            name, full[name], np.bincount(codes[: ends[0]], minlength=full[name].n_leaves), weights.get(name, 1.0)
        )
        for name, codes in zip(names, leaves, strict=True)
    )
    tally = Tally(
        quasi=quasi,
        sensitive=tuple(column for column, _ in looked),
        codes=rows_at(leaves, places),
        profiles=take(all_profiles, places),
        profile_codes=profile_codes,
        counts=counts[0],
        populations=dict(zip(populations or {}, counts[1:], strict=True)),
    )
    return Counted(tally, point_of[: table.n_records])


def _full(hierarchy: Hierarchy, columns: list[Column]) -> Hierarchy:
    return hierarchy.with_missing() if any(column.missing for column in columns) else hierarchy


def _leaves(hierarchy: Hierarchy, columns: list[Column], name: str) -> NDArray[np.int32]:
    """Return the leaf code of each record of all tables, one table after the other."""
    parts = []
    for column in columns:
        occurring: list[Label] = [*column.values, *((None,) if column.missing else ())]
        codes = hierarchy.encode(occurring, name)
        parts.append(take(codes.astype(np.min_scalar_type(hierarchy.n_leaves)), column.codes))
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def publish(
    table: Table,
    counted: Counted,
    solution: Solution,
    *,
    stars: bool,
    shuffled: bool,
    rng: np.random.Generator,
    classes: NDArray[np.int32] | None = None,
) -> pl.DataFrame:
    """Return the release: generalized quasi columns, persons as numbers, others as they are, identifiers gone.

    Shuffled, the records are first put into the order of what is published and then into a random one, so that
    the release tells nothing of the order of the table, not even to who knows the seed.

    Args:
        table: The table.
        counted: Where its records went.
        solution: The records of each class, and what it is published as.
        stars: Whether suppressed records leave with stars in their quasi columns; else they are left out.
        shuffled: Whether the records leave in a random order; else in that of the table.
        rng: Where that order comes from, and the choice of the records of a point that is split.
        classes: The class of each record, if `assigned` has told it already.
    """
    quasi = [column.name for column in solution.recoding.columns]
    classes = assigned(table, counted, solution, rng) if classes is None else classes
    kept = None if stars or solution.suppressed == 0 else np.flatnonzero(classes >= 0)
    labels, shown = zip(*(_with_star(solution.recoding, number) for number in range(len(quasi))), strict=True)
    cell_of, cells = distinct_rows(shown, [len(texts) for texts in labels], len(shown[0]))
    class_of = take(cell_of, classes if kept is None else classes[kept])
    others = _others(table, quasi, class_of, kept)
    row_of, rows = _rows(class_of, len(cells), list(others.values()))
    if shuffled:
        row_of = np.repeat(np.arange(len(rows), dtype=np.int32), np.bincount(row_of, minlength=len(rows)))
        rng.shuffle(row_of)
    made = {name: (labels[j], cells[rows[:, 0], j]) for j, name in enumerate(quasi)}
    made |= {name: ([*column.values, None], rows[:, 1 + j]) for j, (name, column) in enumerate(others.items())}
    return pl.DataFrame([_series(name, *made[name], row_of) for name in table.columns])


def _others(
    table: Table, quasi: list[str], class_of: NDArray[np.int32], kept: NDArray[np.int64] | None
) -> dict[str, Column]:
    """Return the columns that are not generalized, of the records that leave; whose they are, as numbers."""
    found = {name: column for name, column in table.columns.items() if name not in quasi}
    if kept is not None:
        found = {name: Column(column.values, column.codes[kept]) for name, column in found.items()}
    for name in table.names(Role.ENTITY):
        plain = [column for other, column in found.items() if other != name]
        row_of, _ = _rows(class_of, int(class_of.max(initial=-1)) + 1, plain)
        found[name] = numbered(class_of, found[name], row_of)
    return found


def _rows(
    class_of: NDArray[np.int32], n_classes: int, others: list[Column]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the row of each record among the different ones, and the codes of these."""
    codes = [class_of, *(column.codes for column in others)]
    return distinct_rows(codes, [n_classes, *(len(column.values) + 1 for column in others)], len(class_of))


def assigned(table: Table, counted: Counted, solution: Solution, rng: np.random.Generator) -> NDArray[np.int32]:
    """Return the class of each record, or -1 if it is suppressed.

    The records of a split point are told apart by their other columns alone. They are sorted by these and then
    drawn at random, so that neither the order of the table nor a value decides who goes where.
    """
    parts, quasi = solution.parts, [column.name for column in solution.recoding.columns]
    others = [column for name, column in table.columns.items() if name not in quasi]
    n_parts = np.bincount(parts.points, minlength=counted.tally.n_points)
    labels = np.full(counted.tally.n_points, -1, dtype=np.int32)
    labels[parts.points] = parts.classes
    classes = take(labels, counted.point_of)
    if n_parts.max(initial=0) <= 1:
        return classes
    records = np.flatnonzero(n_parts[counted.point_of] > 1)
    points = counted.point_of[records]
    codes = [points, *(column.codes[records] for column in others)]
    sizes = [counted.tally.n_points, *(len(column.values) + 1 for column in others)]
    records = records[np.argsort(distinct_rows(codes, sizes, len(records))[0], kind="stable")]
    records = records[np.lexsort((rng.random(len(records)), counted.point_of[records]))]
    by_point = np.argsort(parts.points, kind="stable")
    by_point = by_point[n_parts[parts.points[by_point]] > 1]
    classes[records] = np.repeat(parts.classes[by_point], parts.counts[by_point])
    return classes


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


def _with_star(recoding: Recoding, number: int) -> tuple[list[Label], NDArray[np.int32]]:
    """Return the labels of one column and which of them each class shows, with a last class of stars."""
    labels, shown = recoding.published(number)
    if STAR not in labels:
        labels = [*labels, STAR]
    return labels, np.append(shown, labels.index(STAR)).astype(np.int32)


def _series(name: str, labels: list[Label], codes: NDArray[np.int32], row_of: NDArray[np.int32]) -> pl.Series:
    """Return a column of categories that holds only the labels that occur."""
    texts = pl.Series(labels, dtype=pl.String).cast(pl.Categorical)
    return texts.gather(pl.Series(take(codes.astype(np.uint32), row_of))).alias(name)  # named last: it may be a pattern
