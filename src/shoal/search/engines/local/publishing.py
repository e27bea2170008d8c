"""Publishing: the records as they leave, generalized and in a random order."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.classes.recoding import Recoding
from shoal.classes.tally import distinct_rows
from shoal.kernels.grouping import take
from shoal.search.engines.local.numbering import numbered
from shoal.search.problem import Solution
from shoal.tables.hierarchies.hierarchy import STAR, Label
from shoal.tables.table import Column, Role, Table


def publish(
    table: Table,
    solution: Solution,
    classes: NDArray[np.int32],
    *,
    stars: bool,
    shuffled: bool,
    rng: np.random.Generator,
) -> pl.DataFrame:
    """Return the release: generalized quasi columns, persons as numbers, others as they are, identifiers gone.

    Shuffled, the records are first put into the order of what is published and then into a random one, so that
    the release tells nothing of the order of the table, not even to who knows the seed.

    Args:
        table: The table.
        solution: What each class is published as.
        classes: The class of each record, or -1.
        stars: Whether suppressed records leave with stars in their quasi columns; else they are left out.
        shuffled: Whether the records leave in a random order; else in that of the table.
        rng: Where that order comes from.
    """
    quasi = [column.name for column in solution.recoding.columns]
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
