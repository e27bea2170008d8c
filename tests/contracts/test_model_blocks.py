"""Whoever knows the other sensitive columns sees blocks of a class: each keeps a promise, and forfeits records."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import groupby
from random import Random
from typing import Literal

import pytest

from shoal.models import TCloseness
from shoal.models.model import SensitiveModel
from tests.models.cases import ORDER, Plain, ground, grouping
from tests.models.universe import SENSITIVE
from tests.oracles.earth_mover import Ground, by_duality
from tests.oracles.forfeits import least_forfeit
from tests.oracles.plain import Value
from tests.oracles.promises import keeps, shares

Pair = tuple[Value, Value]


def release(rng: Random) -> Plain:
    """Return a few classes of records with an illness and a wage."""
    sizes = [rng.randint(1, 7) for _ in range(rng.randint(1, 3))]
    return Plain([[(rng.choice(ORDER[:3]), rng.choice("xy")) for _ in range(size)] for size in sizes])


def blocks_of(records: Sequence[Pair], others: Literal["ignored", "known"]) -> list[list[Value]]:
    """Return the illnesses of a class, or of those of its records that have the same wage."""
    if others == "ignored":
        return [[illness for illness, _ in records]]
    in_order = sorted(records, key=lambda record: str(record[1]))
    return [[illness for illness, _ in block] for _, block in groupby(in_order, key=lambda record: record[1])]


def kept(model: SensitiveModel, block: list[Value], table: list[Value]) -> bool:
    """Tell whether a block keeps a promise, by the definition."""
    members, whole = ([{"illness": value} for value in values] for values in (block, table))
    return keeps(replace(model, others="ignored"), members, whole, ("illness",), ground=measure(model))


def measure(model: SensitiveModel) -> Ground | None:
    return partial(ground, model.distance) if isinstance(model, TCloseness) else None


def forfeited(model: SensitiveModel, block: list[Value], table: list[Value], share: Fraction) -> int:
    """Return how many records a block loses at least, by the oracle."""
    if kept(model, block, table):
        return 0
    far = measure(model)
    distance = by_duality(far, shares(block), shares(table)) if far else Fraction(0)
    least = least_forfeit(model, dict(Counter(block)), dict(Counter(table)), share, distance)
    return len(block) if least is None else least


@pytest.mark.parametrize("name", list(dict.fromkeys(model.name for model in SENSITIVE)))
@pytest.mark.parametrize("others", ["ignored", "known"])
def test_each_block_of_a_class_counts(name: str, others: Literal["ignored", "known"]) -> None:
    rng = Random(name)  # noqa: S311  (tables, not secrets)
    for one in [model for model in SENSITIVE if model.name == name]:
        model, plain, share = replace(one, others=others), release(rng), rng.choice([Fraction(0), Fraction(1, 10)])
        parts, table = [blocks_of(records, others) for records in plain.classes], plain.values()
        found = [all(kept(model, block, table) for block in blocks) for blocks in parts]
        lost = [sum(forfeited(model, block, table, share) for block in blocks) for blocks in parts]
        assert model.holds(grouping(plain)).tolist() == found, plain
        told = model.forfeits(grouping(plain), share).tolist()
        if isinstance(
            model, TCloseness
        ):  # along a tree more is known; `test_forfeits.py` holds it to what must be lost
            assert all(many >= few for many, few in zip(told, lost, strict=True)), plain
        else:
            assert told == lost, plain
