"""Classes written by hand, to try a model on."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from shoal.classes.grouping import Grouping
from shoal.classes.tally import SensitiveColumn, Tally
from shoal.tables.hierarchies.hierarchy import Hierarchy, Label

Record = Label | tuple[Label, ...]


def classes_by_hand(
    classes: Sequence[Sequence[Record]],
    columns: Sequence[str] = ("value",),
    *,
    orders: Mapping[str, Sequence[Label]] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    populations: Mapping[str, Sequence[int]] | None = None,
    outside: Mapping[str, int] | None = None,
) -> Grouping:
    """Return a grouping, given the sensitive values of each record of each class.

    Args:
        classes: For each class its records; a record is a tuple of values, or a value if there is one column.
        columns: The names of the sensitive columns.
        orders: The values of a column in their order; text order if left out, the missing value last.
        hierarchies: The hierarchies of the columns that have one.
        populations: For each outside table, the number of its records in the cell of each class.
        outside: For each outside table, the number of its records in the cells of no class.
    """
    tuples = [[record if isinstance(record, tuple) else (record,) for record in records] for records in classes]
    sensitive = []
    for number, name in enumerate(columns):
        found = {record[number] for records in tuples for record in records}
        values = (orders or {}).get(name) or sorted(found, key=lambda value: (value is None, value or ""))
        sensitive.append(SensitiveColumn(name, tuple(values), (hierarchies or {}).get(name)))
    places = [{value: code for code, value in enumerate(column.values)} for column in sensitive]
    coded = {
        record: tuple(place[value] for place, value in zip(places, record, strict=True))
        for records in tuples
        for record in records
    }
    codes = sorted(coded.values())
    profiles = {record: codes.index(code) for record, code in coded.items()}
    points = [(c, profiles[r], n) for c, records in enumerate(tuples) for r, n in Counter(records).items()]
    points.append((-1, 0, 0))  # a point of the outside tables only
    labels, profile, counts = np.array(points, dtype=np.int64).T
    covered = {}
    for name, inner in (populations or {}).items():
        covered[name] = np.zeros(len(points), dtype=np.int64)
        covered[name][np.searchsorted(labels[:-1], np.arange(len(classes)))] = inner
        covered[name][-1] = (outside or {}).get(name, 0)
    tally = Tally(
        quasi=(),
        sensitive=tuple(sensitive),
        codes=np.zeros((len(points), 0), dtype=np.int32),
        profiles=profile.astype(np.int32),
        profile_codes=np.array(codes, dtype=np.int32).reshape(len(codes), len(columns)),
        counts=counts,
        populations=covered,
    )
    return Grouping.of(tally, labels.astype(np.int32), len(classes))
