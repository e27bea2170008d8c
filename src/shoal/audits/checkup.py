"""Checkup: what every privacy model reaches on a table that may come from any tool."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.classes.grouping import Grouping
from shoal.classes.observed import Observed
from shoal.models.alpha_k_anonymity import AlphaKAnonymity
from shoal.models.beta_likeness import BetaLikeness
from shoal.models.claim import claim_of
from shoal.models.delta_disclosure import DeltaDisclosure
from shoal.models.distinct_l_diversity import DistinctLDiversity
from shoal.models.entropy_l_diversity import EntropyLDiversity
from shoal.models.frequency_l_diversity import FrequencyLDiversity
from shoal.models.k_anonymity import KAnonymity
from shoal.models.model import PrivacyModel
from shoal.models.recursive_cl_diversity import RecursiveClDiversity
from shoal.models.t_closeness import TCloseness
from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.rows import Rows
from shoal.tables.table import check_whole

_ONE = Fraction(1)  # any parameter will do: only the value that is reached is read


def check_up(
    rows: Rows,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    hierarchies: Mapping[str, Hierarchy] | None = None,
    entity: str | None = None,
) -> dict[str, Any]:
    """Return the value that each privacy model reaches on a published table.

    Args:
        rows: The different rows of the table, with nulls where a value is missing.
        quasi: The quasi columns.
        sensitive: The sensitive columns.
        hierarchies: Hierarchies of sensitive columns, for the hierarchical distance.
        entity: The column that identifies the person of each record; then k counts persons.

    Returns:
        The number of records, the classes, `k`, `k_wildcard` (k if missing values and stars match every value), and for
        each sensitive column the value that each model reaches; with an entity, also the number of persons.
    """
    looked = _looked(rows, sensitive, entity)
    observed = Observed.of_rows(rows, quasi, looked, hierarchies)
    groups, k_anonymity = observed.groups, KAnonymity(k=1, entity=entity)
    return {
        "records": groups.n_records,
        **({} if entity is None else {"persons": rows.frame.get_column(entity).alias("").n_unique()}),
        "classes": groups.describe(),
        "k": k_anonymity.achieved(groups)["k"],
        "k_wildcard": k_anonymity.achieved(observed.wildcard(stars=True))["k"],
        "sensitive": {column: _measure(groups, column, entity) for column in sensitive},
    }


def _looked(rows: Rows, sensitive: Sequence[str], entity: str | None) -> list[str]:
    """Return the columns that are read besides the quasi columns: the sensitive ones, and the entity."""
    if entity is None:
        return list(sensitive)
    check_whole(rows.column(entity), entity, rows.counts)
    return [*sensitive, entity]


def _measure(groups: Grouping, column: str, entity: str | None) -> dict[str, Any]:
    """Return what every model on a sensitive column reaches, for persons if a column tells them.

    Entropy is not defined for persons with several values: it is None there.
    """
    hierarchy = next(known.hierarchy for known in groups.sensitive if known.name == column)
    distances = ("equal", "ordered", *(("hierarchical",) if hierarchy is not None else ()))
    return {
        "distinct_l": DistinctLDiversity(l=1, column=column, entity=entity).achieved(groups)["l"],
        "entropy_l": None if entity else EntropyLDiversity(l=_ONE, column=column).achieved(groups)["l"],
        "frequency_l": FrequencyLDiversity(l=_ONE, column=column, entity=entity).achieved(groups)["l"],
        "recursive_c": {
            str(l): RecursiveClDiversity(c=_ONE, l=l, column=column, entity=entity).achieved(groups)["c"]
            for l in (2, 3)  # noqa: E741
        },
        "t": {
            distance: TCloseness(t=_ONE, column=column, distance=distance, entity=entity).achieved(groups)["t"]
            for distance in distances
        },
        "alpha": AlphaKAnonymity(alpha=_ONE, k=1, column=column, entity=entity).achieved(groups)["alpha"],
        "beta": BetaLikeness(beta=_ONE, column=column, entity=entity).achieved(groups)["beta"],
        "delta": DeltaDisclosure(delta=_ONE, column=column, entity=entity).achieved(groups)["delta"],
    }


def judged(
    rows: Rows,
    promises: Sequence[PrivacyModel],
    quasi: Sequence[str],
    sensitive: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
    entity: str | None = None,
) -> dict[str, Any]:
    """Check promises on a table: return what each model reaches, and how many classes of each size fail."""
    groups = Observed.of_rows(rows, quasi, _looked(rows, sensitive, entity), hierarchies).groups
    passing = np.ones(groups.n_classes, dtype=np.bool_)
    claims = []
    for promise in promises:
        holds = promise.holds(groups)
        passing &= holds
        claims.append(claim_of(promise, promise.achieved(groups), holds=bool(holds.all())))
    sizes, counts = np.unique(groups.sizes[~passing], return_counts=True)
    failing = [{"size": int(size), "classes": int(number)} for size, number in zip(sizes, counts, strict=True)]
    return {"claims": claims, "failing": failing}
