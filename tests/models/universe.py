"""A few promises of every kind, and every small class of a few small tables: all that a model says is tried on them."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import product

from shoal.models import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    KEAnonymity,
    KMap,
    KMapEstimate,
    PopulationUniqueness,
    PrivacyModel,
    PSensitiveKAnonymity,
    RecursiveClDiversity,
    SampleUniqueness,
    TCloseness,
)
from shoal.models.model import SensitiveModel
from tests.models.cases import MATRIX, ORDER, ground
from tests.oracles.earth_mover import by_duality
from tests.oracles.plain import Record, Value
from tests.oracles.promises import keeps

Counts = tuple[int, ...]
"""The number of records with each value of the column."""

TABLES: tuple[Counts, ...] = ((3, 2, 2, 1), (2, 0, 3, 1), (0, 2, 1), (0, 1), (4,), (3, 3), (2, 1, 4))
COLUMN = "illness"


def _t_closeness() -> Iterable[TCloseness]:
    for t in ("0", "1/4", "1/3", "1/2", "1"):
        for kind in ("equal", "ordered", "hierarchical", "matrix"):
            path = MATRIX if kind == "matrix" else None
            yield TCloseness(t=Fraction(t), column=COLUMN, distance=kind, distances=path)


def _parts(*numbers: str) -> list[Fraction]:
    return [Fraction(number) for number in numbers]


PROMISES: tuple[PrivacyModel, ...] = (
    *(KAnonymity(k=k) for k in (1, 3)),
    *(DistinctLDiversity(l=least, column=COLUMN) for least in (1, 2, 3)),
    *(EntropyLDiversity(l=least, column=COLUMN) for least in _parts("1", "3/2", "2", "5/2", "3")),
    *(
        RecursiveClDiversity(c=c, l=least, column=COLUMN)
        for c in _parts("1/2", "1", "3/2", "7/3")
        for least in (1, 2, 3)
    ),
    *(FrequencyLDiversity(l=least, column=COLUMN) for least in _parts("1", "5/4", "3/2", "2", "3")),
    *(PSensitiveKAnonymity(p=p, k=k, column=COLUMN) for p, k in ((1, 1), (2, 1), (2, 3), (3, 2), (1, 4))),
    *(KEAnonymity(k=k, e=e, column=COLUMN) for k, e in ((1, 0), (1, 3), (2, 1), (2, 4), (3, 2), (1, Fraction(5, 2)))),
    *(
        AlphaKAnonymity(alpha=alpha, k=k, column=COLUMN, value=value)
        for alpha in _parts("1/3", "1/2", "3/4", "1")
        for k, value in ((1, None), (3, None), (1, "1"), (2, "2"), (2, "none such"))
    ),
    *_t_closeness(),
    *(
        BetaLikeness(beta=beta, column=COLUMN, kind=kind)
        for beta in _parts("1/6", "1/2", "1", "3")
        for kind in ("basic", "enhanced")
    ),
    *(DeltaDisclosure(delta=delta, column=COLUMN) for delta in _parts("1/6", "1/2", "1", "3")),
    *(KMap(k=k, population="people.csv") for k in (1, 2, 5)),
    *(KMapEstimate(k=k, fraction=Fraction(1, 3)) for k in (1, 4, 9)),
    *(AverageRisk(most=most) for most in _parts("1/3", "1/2", "1")),
    *(SampleUniqueness(most=most) for most in _parts("0", "1/4", "1")),
    *(PopulationUniqueness(most=most, fraction=Fraction(1, 3)) for most in _parts("0", "1/10")),
    *(
        DeltaPresence(least=least, most=most, population="people.csv")
        for least, most in ((0, Fraction(1, 2)), (Fraction(1, 4), Fraction(1, 2)), (0, 1), (Fraction(1, 2), 1))
    ),
)
SENSITIVE: tuple[SensitiveModel, ...] = tuple(model for model in PROMISES if isinstance(model, SensitiveModel))


def classes_of(table: Counts) -> list[Counts]:
    """Return the counts of all classes that a table may have."""
    return [counts for counts in product(*(range(count + 1) for count in table)) if any(counts)]


def records(counts: Counts) -> list[Record]:
    return [{COLUMN: value} for value, count in by_value(counts).items() for _ in range(count)]


def by_value(counts: Counts) -> dict[Value, int]:
    """Return the counts of the values that occur."""
    return {value: count for value, count in zip(ORDER, counts, strict=False) if count}


@cache
def distance(kind: str, counts: Counts, table: Counts) -> Fraction:
    """Return how far a class is from its table, by one of the four ground distances."""
    one, whole = ({v: Fraction(n, sum(c)) for v, n in by_value(c).items()} for c in (counts, table))
    return by_duality(partial(ground, kind), one, whole)


@cache
def kept(model: PrivacyModel, table: Counts, covered: int = 0, outside: int = 0) -> dict[Counts, bool]:
    """Return which classes of a table keep a promise by its definition.

    Args:
        model: The promise.
        table: The table.
        covered: How many people each class covers.
        outside: How many people no class covers.
    """
    if isinstance(model, TCloseness):
        return {counts: distance(model.distance, counts, table) <= model.t for counts in classes_of(table)}
    whole = records(table)
    return {counts: keeps(model, records(counts), whole, (COLUMN,), covered, outside) for counts in classes_of(table)}


def joined(first: Sequence[int], second: Sequence[int]) -> Counts:
    return tuple(map(sum, zip(first, second, strict=True)))
