"""The strictest thresholds that one class meets, straight from the definitions of the promises."""

from fractions import Fraction
from math import exp, inf, log

from shoal.models import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KEAnonymity,
    PSensitiveKAnonymity,
    RecursiveClDiversity,
    TCloseness,
)
from shoal.models.model import SensitiveModel
from tests.oracles.plain import Value
from tests.oracles.promises import decimal, logarithm

Threshold = int | float | Fraction


def reached(  # noqa: C901  (a case for each promise)
    model: SensitiveModel, counts: dict[Value, int], table: dict[Value, int], distance: Fraction
) -> dict[str, Threshold]:
    """Return the thresholds by their names.

    Args:
        model: The promise.
        counts: The records of the class by value; no value without records.
        table: Those of the table.
        distance: How far the class is from the table, for t-closeness.
    """
    if isinstance(model, KEAnonymity):
        numbers = [Fraction(value) for value in counts if value is not None]
        return {"k": len(numbers), "e": max(numbers, default=Fraction(0)) - min(numbers, default=Fraction(0))}
    size, most = sum(counts.values()), max(counts.values())
    match model:
        case DistinctLDiversity():
            return {"l": len(counts)}
        case PSensitiveKAnonymity():
            return {"p": len(counts), "k": size}
        case EntropyLDiversity():
            return {"l": exp(sum(count * log(size / count) for count in counts.values()) / size)}
        case RecursiveClDiversity():
            tail = sum(sorted(counts.values(), reverse=True)[model.l - 1 :])
            return {"c": Fraction(most, tail) if tail else inf}
        case FrequencyLDiversity():
            return {"l": Fraction(size, most)}
        case AlphaKAnonymity():
            limited = most if model.value is None else counts.get(model.value, 0)
            return {"alpha": Fraction(limited, size), "k": size}
        case TCloseness():
            return {"t": distance}
        case BetaLikeness():
            return {"beta": max(_gain(model, p, q) for p, q in _shares(counts, table))}
        case DeltaDisclosure():
            complete = set(counts) == set(table)
            return {"delta": max(abs(log(p / q)) for p, q in _shares(counts, table)) if complete else inf}
    raise AssertionError(model)


def _shares(counts: dict[Value, int], table: dict[Value, int]) -> list[tuple[Fraction, Fraction]]:
    """Return the shares of each value of a class in it and in the table."""
    size, total = sum(counts.values()), sum(table.values())
    return [(Fraction(count, size), Fraction(table[value], total)) for value, count in counts.items()]


def _gain(model: BetaLikeness, p: Fraction, q: Fraction) -> Threshold:
    gain = max((p - q) / q, Fraction(0))
    return inf if model.kind == "enhanced" and gain and decimal(gain) > -logarithm(q) else gain
