"""Singling out in a release whose raw table is at hand as codes, with a limit of work."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.audits.attacks.isolation import CENTRES, Isolation, Predicates, isolation
from shoal.audits.attacks.matches import Matches
from shoal.audits.covers import cover_of
from shoal.audits.printed import Printed
from shoal.classes.observed import Observed
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.hierarchies import HierarchySpec
from shoal.tables.table import Column

_WORDS = 100_000_000  # words of 64 classes that are read, for all different records
_PAIRS = 5_000_000  # pairs of a record and a class that covers it


def raw_isolation(
    observed: Observed,
    quasi: Sequence[str],
    raw: Mapping[str, Column],
    recipes: Mapping[str, HierarchySpec],
    folder: Path,
    persons: NDArray[np.integer] | None = None,
    counts: NDArray[np.int64] | None = None,
) -> Isolation | None:
    """Return what `isolation` finds with the raw table; None if that would take more than about a second.

    Args:
        observed: The release.
        quasi: The names of its quasi columns.
        raw: The columns of the raw table.
        recipes: The hierarchies of the quasi columns, as far as they are known.
        folder: The folder of the hierarchies' files.
        persons: The person of each row of the raw table; each record has one of its own if left out.
        counts: How many records each row of the raw table stands for; one if left out.
    """
    columns = [raw[name] for name in quasi]
    sizes = [len(column.values) + 1 for column in columns]
    _, points = distinct_rows([column.codes for column in columns], sizes, len(columns[0].codes))
    if len(points) * len(quasi) * (observed.groups.n_classes / 64) > _WORDS:
        return None
    covers = [
        cover_of(observed.published[j], column.values, name, recipes.get(name), folder, wildcard=False)
        for j, (name, column) in enumerate(zip(quasi, columns, strict=True))
    ]
    matches = Matches.of(observed.cells, observed.groups.sizes, covers, columns, counts)
    if int(matches.classes.sum()) > _PAIRS:
        return None
    printed = [
        Printed.of(observed.published[j], column.values, name, recipes.get(name), folder)
        for j, (name, column) in enumerate(zip(quasi, columns, strict=True))
    ]
    return isolation(observed, quasi, matches, printed, persons)


def centre_isolation(observed: Observed, quasi: Sequence[str], raw: Mapping[str, Column]) -> Isolation:
    """Count the centres of clusters whose values exactly one record of the raw table has, as they are written.

    Args:
        observed: The release; the cells of a class are the centre of a cluster.
        quasi: The names of its quasi columns.
        raw: The columns of the raw table.
    """
    columns = [raw[name] for name in quasi]
    places = [{value: code for code, value in enumerate(column.values)} for column in columns]
    centres = [
        np.array([*(place.get(text, -1) for text in texts), len(place)], dtype=np.int64)[observed.cells[:, j]]
        for j, (place, texts) in enumerate(zip(places, observed.published, strict=True))
    ]
    n_records, n_centres = len(columns[0].codes), len(observed.cells)
    known = np.all([codes >= 0 for codes in centres], axis=0)
    codes = [
        np.concatenate([column.codes, np.maximum(own, 0)]).astype(np.int32)
        for column, own in zip(columns, centres, strict=True)
    ]
    labels, rows = distinct_rows(codes, [len(place) + 1 for place in places], n_records + n_centres)
    held = np.bincount(labels[:n_records], minlength=len(rows))[labels[n_records:]]
    alone = known & (held == 1)
    told = Predicates(CENTRES, n_centres, int(alone.sum()), int(alone.sum()))
    return Isolation(tuple(quasi), n_records, n_centres, int(alone.sum()), (told,), ())
