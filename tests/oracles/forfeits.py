"""How many records a class must lose at least, one promise at a time, by taking records away until it suffices."""

from fractions import Fraction
from math import ceil, exp

from shoal.models import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    EntropyLDiversity,
    FrequencyLDiversity,
    RecursiveClDiversity,
    TCloseness,
)
from shoal.models.model import SensitiveModel
from tests.oracles.plain import Value


def least_forfeit(
    model: SensitiveModel, counts: dict[Value, int], table: dict[Value, int], share: Fraction, distance: Fraction
) -> int | None:
    """Return the bound that a promise gives for a class that fails, or None if all of it is lost.

    A tie counts as kept even where the promise is strict: bounds are rounded down.

    Args:
        model: The promise.
        counts: The records of the class by value; no value without records.
        table: Those of the table.
        share: The share of the table that may be suppressed: other shares of values may grow by 1 / (1 - share).
        distance: How far the class is from the table, for t-closeness.
    """
    size, most = sum(counts.values()), max(counts.values())
    match model:
        case FrequencyLDiversity():
            return _too_many(most, size, 1 / Fraction(model.l))
        case AlphaKAnonymity():
            limited = most if model.value is None else counts.get(model.value, 0)
            lost = _too_many(limited, size, Fraction(model.alpha))
            return size if size - lost < model.k else lost
        case BetaLikeness():
            return _too_likely(counts, table, 1 + Fraction(model.beta), share)
        case DeltaDisclosure():
            times = Fraction(exp(model.delta))
            return max(_too_likely(counts, table, times, share), _too_rare(counts, table, times, share))
        case RecursiveClDiversity():
            tail = sum(sorted(counts.values(), reverse=True)[model.l - 1 :])
            return next(lost for lost in range(most + 1) if most - lost <= model.c * tail) if tail else size
        case TCloseness():
            far = distance - Fraction(model.t) - share
            return 0 if model.distance == "ordered" and share > 0 else min(max(ceil(far * size), 0), size)
        case EntropyLDiversity():
            return size if len(counts) < model.l else 1
    return None


def _too_many(count: int, size: int, cap: Fraction) -> int:
    """Return the fewest records of one value to take away, until it has at most its share of those that are left."""
    return next(lost for lost in range(count + 1) if count - lost <= cap * (size - lost))


def _too_likely(counts: dict[Value, int], table: dict[Value, int], times: Fraction, share: Fraction) -> int:
    if share == 1:
        return 0
    total, size = sum(table.values()), sum(counts.values())
    caps = {value: min(Fraction(table[value], total) * times / (1 - share), Fraction(1)) for value in counts}
    return next(
        lost
        for lost in range(size + 1)
        if sum(max(ceil(count - caps[value] * (size - lost)), 0) for value, count in counts.items()) <= lost
    )


def _too_rare(counts: dict[Value, int], table: dict[Value, int], times: Fraction, share: Fraction) -> int:
    """Return the fewest records to take away, until the rarest value has its share of those that are left."""
    if share == 1:
        return 0
    total, size = sum(table.values()), sum(counts.values())
    least = {value: (count - share * total) / (total - share * total) for value, count in table.items()}
    firm = {value: part for value, part in least.items() if part > 0}
    return next(
        (
            lost
            for lost in range(size)
            if all(counts.get(value, 0) * times >= part * (size - lost) for value, part in firm.items())
        ),
        size,
    )
