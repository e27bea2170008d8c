"""A loss by sampling weights, its optimum and its bound, against brute force in plain Python."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.classes.sampling_weights import whole_weights

_LEVELS = Path(__file__).with_name("three_levels.csv")

Record = tuple[str, ...]
Seeds = Callable[[int], range]
COLUMNS = ("a", "b")
LEVELS = {"p": ("p", "p-q", "*"), "q": ("q", "p-q", "*"), "r": ("r", "r", "*")}
# lm: the other values of three that a cell covers
COSTS: dict[str, Fraction | int] = {"p": 0, "q": 0, "r": 0, "p-q": Fraction(1, 2), "*": 1}


def drawn(seed: int, n: int) -> tuple[list[Record], list[Fraction]]:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    records = [tuple(rng.choice("pqr") for _ in COLUMNS) for _ in range(n)]
    return records, [Fraction(rng.choice(["0.25", "1", "3", "20", "7.5"])) for _ in records]


def released(records: list[Record], weights: list[Fraction], algorithm: str, k: int, limit: int) -> shoal.Release:
    frame = pl.DataFrame(records, schema=list(COLUMNS), orient="row").with_columns(
        pl.Series("weight", [str(float(weight)) for weight in weights])
    )
    return shoal.anonymize(
        frame,
        quasi={name: {"type": "levels", "path": str(_LEVELS)} for name in COLUMNS},
        k=k,
        algorithm=algorithm,
        sampling_weights="weight",
        max_suppressed=str(Fraction(limit, len(records))),
    )


def cell(values: set[str]) -> str:
    """Return the lowest node above some values."""
    return next(names.pop() for level in range(3) if len(names := {LEVELS[value][level] for value in values}) == 1)


def price_of(cells: Iterable[str]) -> Fraction:
    """Return what a record with these cells pays."""
    return sum((Fraction(COSTS[one]) for one in cells), Fraction(0))


def price(records: Sequence[Record]) -> Fraction:
    """Return what each record of a class pays."""
    return price_of(cell(set(column)) for column in zip(*records, strict=True))


def partitions(members: tuple[int, ...], k: int) -> Iterator[list[tuple[int, ...]]]:
    """Go through all partitions into classes of at least k records."""
    if not members:
        yield []
        return
    first, rest = members[0], members[1:]
    for size in range(k - 1, len(rest) + 1):
        for others in combinations(rest, size):
            left = tuple(one for one in rest if one not in others)
            for more in partitions(left, k):
                yield [(first, *others), *more]


def local_optimum(records: list[Record], weights: list[Fraction], k: int, limit: int) -> Fraction:
    """Return the least share of the loss of all partitions, with all choices of suppressed records."""
    n, least = len(records), None
    for size in range(limit + 1):
        for gone in combinations(range(n), size):
            lost = sum((weights[i] * len(COLUMNS) for i in gone), Fraction(0))
            for classes in partitions(tuple(i for i in range(n) if i not in gone), k):
                paid = sum(price([records[i] for i in own]) * sum(weights[i] for i in own) for own in classes)
                if classes and (least is None or lost + paid < least):
                    least = lost + paid
    assert least is not None
    return least / (sum(weights) * len(COLUMNS))


def full_domain_optimum(records: list[Record], weights: list[Fraction], k: int, limit: int) -> Fraction | None:
    """Return the least share of the loss of all levels; classes that are too small are suppressed."""
    found = []
    for levels in product(range(3), repeat=len(COLUMNS)):
        shown = [tuple(LEVELS[value][level] for value, level in zip(one, levels, strict=True)) for one in records]
        small = [one for one in shown if shown.count(one) < k]
        if len(small) > limit or len(small) == len(shown):
            continue
        paid = [Fraction(len(COLUMNS)) if one in small else price_of(one) for one in shown]
        found.append(sum((one * weight for one, weight in zip(paid, weights, strict=True)), Fraction(0)))
    return min(found) / (sum(weights) * len(COLUMNS)) if found else None


def share_of_bound(release: shoal.Release) -> float:
    loss = release.certificate["loss"]
    return float(loss["bound"]) / len(COLUMNS) / release.certificate["records"]["input"]


@pytest.mark.parametrize("algorithm", ["optimal", "exhaustive"])
def test_the_optimum_of_all_levels_is_that_of_the_weights(algorithm: str, seeds: Seeds) -> None:
    found, other = 0, 0
    for seed in seeds(60):
        records, weights = drawn(seed, 5 + seed % 8)
        k, limit = 2 + seed % 2, seed % 3
        best = full_domain_optimum(records, weights, k, limit)
        if best is None:
            with pytest.raises(shoal.InfeasibleError):
                released(records, weights, algorithm, k, limit)
            continue
        release = released(records, weights, algorithm, k, limit)
        assert release.certificate["loss"]["share"] == pytest.approx(float(best), abs=1e-12)
        assert share_of_bound(release) == pytest.approx(float(best), abs=1e-12)
        even = full_domain_optimum(records, [Fraction(1)] * len(records), k, limit)
        found, other = found + 1, other + (best != even)
    assert (found > 0, other > 0) == (True, True)


@pytest.mark.parametrize("algorithm", ["tightest", "mondrian", "auto"])
def test_no_partition_loses_less_than_the_bound(algorithm: str, seeds: Seeds) -> None:
    bounds, reached = [], 0
    for seed in seeds(60):
        records, weights = drawn(seed, 5 + seed % 3)
        k, limit = 2 + seed % 2, seed % 2
        best = local_optimum(records, weights, k, limit)
        release = released(records, weights, algorithm, k, limit)
        share, bound = release.certificate["loss"]["share"], share_of_bound(release)
        assert bound <= float(best) * (1 + 1e-9) + 1e-12
        assert share >= float(best) - 1e-12
        bounds.append(bound)
        reached += share == pytest.approx(float(best), abs=1e-9)
    assert max(bounds) > 0
    assert algorithm == "mondrian" or reached >= 0.8 * len(bounds)


def test_equal_weights_are_none() -> None:
    records, _ = drawn(3, 12)
    weighted = released(records, [Fraction(7, 4)] * 12, "tightest", 3, 1).certificate["loss"]
    plain = released(records, [Fraction(1)] * 12, "tightest", 3, 1).certificate["loss"]
    assert weighted.pop("columns") == pytest.approx(plain.pop("columns"))
    assert weighted == pytest.approx(plain)


def test_weights_are_whole_numbers_in_the_same_proportion() -> None:
    assert whole_weights(("0.5", "12", " 3.25"), np.array([1, 1, 1]), "w").tolist() == [50, 1200, 325]
    assert whole_weights(("0,5", "1.012,25"), np.array([1, 1]), "w").tolist() == [50, 101225]
    fine = whole_weights(("0.1234567890123456789", "1e6", "1e-30"), np.array([1, 10**6, 1]), "w")
    assert (fine > 0).all()
    assert int(fine[0]) + 10**6 * int(fine[1]) + int(fine[2]) <= 2**52
    assert fine[1] / fine[0] == pytest.approx(1e6 / 0.1234567890123456789, rel=1e-2)


@pytest.mark.parametrize("wrong", ["0", "-2", "many", ""])
def test_each_record_needs_a_weight(wrong: str) -> None:
    frame = pl.DataFrame({"a": ["p"] * 4, "weight": ["2", wrong, "3", wrong]})
    with pytest.raises(shoal.SpecError, match="no sampling weight above 0 in 2 records"):
        shoal.anonymize(frame, quasi=["a"], k=2, sampling_weights="weight")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"measure": "entropy"}, "no weighted form is defined for the measure entropy"),
        ({"measure": "discernibility"}, "no weighted form"),
        ({"algorithm": "top-down"}, "the algorithm top-down does not search by a weighted loss"),
        ({"algorithm": "mdav"}, "does not search by a weighted loss"),
        ({"algorithm": {"name": "mondrian", "cut": "loss"}}, "cut = 'median'"),
        ({"suppress": "records", "algorithm": "optimal"}, "suppress = 'classes'"),
        ({"blind": True}, "blind = true"),
        ({"sampling_weights": "a"}, "which has the role 'quasi'"),
    ],
)
def test_what_has_no_weighted_form_is_refused(more: dict[str, Any], words: str) -> None:
    frame = pl.DataFrame({"a": ["p", "q"] * 4, "weight": ["2", "5"] * 4})
    with pytest.raises(shoal.SpecError, match=words):
        shoal.anonymize(frame, quasi=["a"], k=2, **{"sampling_weights": "weight", **more})
