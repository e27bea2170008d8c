"""The promises, for one class at a time, straight from their definitions, in fractions."""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb, exp, factorial, prod

import numpy as np

from shoal.classes.population_estimates import Sample, pitman, population_uniques, snb, zayatz
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
from shoal.models.table_model import TableModel
from tests.oracles.earth_mover import Ground, by_duality, in_closed_form
from tests.oracles.plain import Record, Value


def keeps(
    model: PrivacyModel,
    members: Sequence[Record],
    table: Sequence[Record],
    sensitive: Sequence[str] = (),
    covered: int = 0,
    outside: int = 0,
    ground: Ground | None = None,
) -> bool:
    """Tell whether a class keeps a promise.

    Args:
        model: The promise.
        members: The records of the class.
        table: The records that it is compared with.
        sensitive: The sensitive columns.
        covered: The number of people whose cell is that of the class.
        outside: The number of people whose cell is that of no class.
        ground: How far apart two values are, for t-closeness; without it the equal and the ordered distance only.
    """
    match model:
        case KAnonymity():
            return len(members) >= model.k
        case KMap():
            return covered >= model.k
        case KMapEstimate():
            return len(members) >= least_size(model)
        case TableModel():
            return True  # no class alone keeps it or breaks it: see `keep_together`
        case DeltaPresence():
            if model.least > 0 and outside > 0:
                return False
            return covered > 0 and model.least <= Fraction(len(members), covered) <= model.most
        case SensitiveModel():
            whole = [record[model.column] for record in table]
            blocks = _blocks(model, members, sensitive)
            if isinstance(model, KEAnonymity):
                return all(_ranges(model, block) for block in blocks)
            return all(_keeps(model, block, whole, ground) for block in blocks)
    raise AssertionError(model)


def keep_together(model: PrivacyModel, classes: Sequence[Sequence[Record]]) -> bool:
    """Tell whether all classes together keep a promise about the whole release; other promises are not judged."""
    records = [members for members in classes for _ in members]
    alone = sum(len(members) == 1 for members in classes)
    match model:
        case AverageRisk():
            return sum(Fraction(1, len(members)) for members in records) <= model.most * len(records)
        case SampleUniqueness():
            return alone <= model.most * len(records)
        case PopulationUniqueness():
            return alone == 0 or uniques_estimated(model, classes) <= model.most
    return True


def uniques_estimated(model: PopulationUniqueness, classes: Sequence[Sequence[Record]]) -> Fraction:
    """Return the share of the population that is unique, by the model that is asked for."""
    sizes = np.array([len(members) for members in classes])
    sample = Sample.of(sizes, float(model.fraction))
    if model.fraction == 1:
        return Fraction(int((sizes == 1).sum()), int(sizes.sum()))
    if model.estimator == "dankar":
        number = population_uniques(sizes, float(model.fraction))["uniques"]
    else:
        fitted = {"pitman": pitman, "zayatz": zayatz, "snb": snb}[model.estimator](sample)
        number = zayatz(sample) if fitted is None else fitted
    return Fraction(min(number / sample.population, 1.0))


def least_size(model: KMapEstimate) -> int:
    """Return the least size that is implausible if the population has too few persons, by the definition."""
    if model.k == 1 or model.fraction == 1:
        return model.k
    persons, part = model.k - 1, float(model.fraction)
    mean = model.k * part
    chances = {
        "binomial": [comb(persons, n) * part**n * (1 - part) ** (persons - n) for n in range(persons + 1)],
        "poisson": [mean**n / factorial(n) * exp(-mean) for n in range(100)],
    }[model.estimator]
    seen = sum(chances[1:])
    return next(
        (size for size in range(1, model.k) if sum(chances[size:]) / seen <= float(model.significance)),
        model.k,
    )


def _blocks(model: SensitiveModel, members: Sequence[Record], sensitive: Sequence[str]) -> list[list[Value]]:
    others = [name for name in sensitive if name != model.column and model.others == "known"]
    blocks: dict[tuple[Value, ...], list[Value]] = {}
    for record in members:
        blocks.setdefault(tuple(record[name] for name in others), []).append(record[model.column])
    return list(blocks.values())


def _keeps(model: SensitiveModel, block: list[Value], table: list[Value], ground: Ground | None) -> bool:
    p, q = shares(block), shares(table)
    counts = sorted(Counter(block).values(), reverse=True)
    size = len(block)
    match model:
        case DistinctLDiversity():
            return len(p) >= model.l
        case EntropyLDiversity():
            return Fraction(size) ** size >= Fraction(model.l) ** size * prod(count**count for count in counts)
        case RecursiveClDiversity():
            return counts[0] < model.c * sum(counts[model.l - 1 :])
        case FrequencyLDiversity():
            return counts[0] * Fraction(model.l) <= size
        case PSensitiveKAnonymity():
            return len(p) >= model.p and size >= model.k
        case AlphaKAnonymity():
            limited = max(p.values()) if model.value is None else p.get(model.value, Fraction(0))
            return limited <= model.alpha and size >= model.k
        case TCloseness():
            return (in_closed_form(model.distance, p, q) if ground is None else by_duality(ground, p, q)) <= model.t
        case BetaLikeness():
            return all(_likely(model, p[value], q[value]) for value in p if p[value] > q[value])
        case DeltaDisclosure():
            return all(v in p and abs(logarithm(p[v] / q[v])) < decimal(Fraction(model.delta)) for v in q)
    raise AssertionError(model)


def _ranges(model: KEAnonymity, block: list[Value]) -> bool:
    numbers = {Fraction(value) for value in block if value is not None and value.replace(".", "").isdigit()}
    return len(numbers) >= model.k and max(numbers) - min(numbers) >= model.e


def _likely(model: BetaLikeness, p: Fraction, q: Fraction) -> bool:
    gain = (p - q) / q
    return gain <= model.beta and (model.kind == "basic" or decimal(gain) <= -logarithm(q))


def shares(values: Sequence[Value]) -> dict[Value, Fraction]:
    return {value: Fraction(count, len(values)) for value, count in Counter(values).items()}


def decimal(number: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return Decimal(number.numerator) / Decimal(number.denominator)


def logarithm(number: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return decimal(number).ln()
