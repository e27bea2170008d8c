"""What every model declares for the searches is so, and no more could be said: on every class of small tables."""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from fractions import Fraction
from itertools import combinations
from math import inf
from typing import Any

import numpy as np
import pytest

from shoal.classes.tally import SensitiveColumn
from shoal.models import (
    MODELS,
    DistinctLDiversity,
    FrequencyLDiversity,
    KEAnonymity,
    PrivacyModel,
    PSensitiveKAnonymity,
    RecursiveClDiversity,
    TCloseness,
)
from shoal.models.alpha_k_anonymity import AlphaKAnonymity
from shoal.models.model import SensitiveModel
from shoal.tables.hierarchies.hierarchy import Hierarchy
from tests.models.cases import HIERARCHY, ORDER, ROWS, WHOLE, histogram
from tests.models.forms import passing, satisfying
from tests.models.universe import (
    COLUMN,
    PROMISES,
    SENSITIVE,
    TABLES,
    Counts,
    by_value,
    classes_of,
    distance,
    joined,
    kept,
)
from tests.oracles.forfeits import least_forfeit
from tests.oracles.thresholds import reached

every_model = pytest.mark.parametrize("name", [name for name in MODELS.names if name not in WHOLE])
on_values = pytest.mark.parametrize("name", list(dict.fromkeys(model.name for model in SENSITIVE)))

# a test of these in integers is exact; the others are rounded, so that they never pass too many
EXACT = (
    DistinctLDiversity,
    PSensitiveKAnonymity,
    RecursiveClDiversity,
    FrequencyLDiversity,
    AlphaKAnonymity,
    KEAnonymity,
)
COVERED = (0, 1, 2, 3, 4, 6, 8)
PAIRS: Counts = (2, 2)  # the table for promises about people, who matter more than values
hierarchies = pytest.mark.parametrize("in_order", [False, True], ids=("another order", "in order"))
AT_LEAST = ("k", "l", "p", "e")  # thresholds that are the stricter the larger they are
NEARLY = {"entropy-l-diversity": 1e-12, "delta-disclosure": 1e-12}  # these are irrational, the others rounded once
SHARES = (Fraction(0), Fraction(1, 10), Fraction(1, 3), Fraction(1))


def named(name: str) -> list[PrivacyModel]:
    return [model for model in PROMISES if model.name == name]


def on(name: str) -> Iterator[tuple[SensitiveModel, Counts]]:
    for model in SENSITIVE:
        if model.name == name:
            for table in TABLES:
                yield model, table


def column_of(table: Counts, *, in_order: bool) -> SensitiveColumn:
    """Return the column of a table; its hierarchy has the same values in the same order, or more in another one."""
    rows = ROWS[: len(table)]
    return SensitiveColumn(COLUMN, ORDER[: len(table)], Hierarchy.of_rows(rows, "rows") if in_order else HIERARCHY)


Cell = tuple[Counts, int]
"""The records of a class, and how many people it covers."""


def verdicts(model: PrivacyModel, more: int = 0, outside: int = 0) -> dict[Cell, bool]:
    """Return which classes keep a promise; one about people is tried with several numbers of them.

    Args:
        model: The promise.
        more: Further records of the table, which have the last value.
        outside: How many people no class covers.
    """
    people, table = (COVERED, PAIRS) if model.population_file else ((0,), TABLES[0])
    table = (*table[:-1], table[-1] + more)
    each = {covered: kept(model, table, covered, outside) for covered in people}
    return {(counts, covered): holds for covered in people for counts, holds in each[covered].items()}


def pairs(found: dict[Cell, bool]) -> Iterator[tuple[bool, bool, bool]]:
    """Go through the verdicts on two classes of a table and on their union."""
    for (one, first), (other, second) in combinations(found.items(), 2):
        union = found.get((joined(one[0], other[0]), one[1] + other[1]))
        if union is not None:
            yield first, second, union


@every_model
def test_monotone_if_and_only_if_two_classes_that_pass_pass_together(name: str) -> None:
    together = all(union for model in named(name) for a, b, union in pairs(verdicts(model)) if a and b)
    assert MODELS[name].monotone == together


@every_model
def test_absorbing_if_and_only_if_a_class_that_passes_passes_with_any_other(name: str) -> None:
    together = all(union for model in named(name) for a, b, union in pairs(verdicts(model)) if a or b)
    assert MODELS[name].absorbing == together


@every_model
def test_relative_if_and_only_if_a_class_may_pass_beside_one_table_and_not_beside_another(name: str) -> None:
    same = all(
        verdicts(model, more, outside)[cell] == holds
        for model in named(name)
        for more, outside in ((0, 2), (3, 0))
        for cell, holds in verdicts(model).items()
    )
    assert MODELS[name].relative == (not same)


@every_model
def test_by_sets_if_and_only_if_sizes_and_sets_of_values_decide(name: str) -> None:
    decided = True
    for model in named(name):
        by_set: dict[tuple[int, Counts], bool] = {}
        for (counts, _), holds in verdicts(model).items():
            shown = sum(counts), tuple(np.flatnonzero(counts).tolist())
            decided &= by_set.setdefault(shown, holds) == holds
    assert MODELS[name].by_sets == decided
    for model in named(name):
        assert model.told_by("multiset")
        assert model.told_by("set") == decided


@on_values
def test_nothing_is_told_by_one_column_if_the_others_are_known(name: str) -> None:
    for model, _ in on(name):
        known = replace(model, others="known")
        assert not known.told_by("multiset")
        assert not known.told_by("set")
        assert known.others_known
        assert not model.others_known


@every_model
def test_only_some_distances_need_an_order_or_a_hierarchy(name: str) -> None:
    for model in named(name):
        kind = getattr(model, "distance", None)
        assert model.along_hierarchy == (kind in ("ordered", "hierarchical"))
        assert model.needs_hierarchy == (kind == "hierarchical")
        assert not model.others_known
        assert model.sensitive_columns == ((COLUMN,) if model in SENSITIVE else ())
        assert model.population_file == ("people.csv" if name in ("k-map", "delta-presence") else None)
        assert name == "k-map-estimate" or model.counted() == (model,)


@on_values
def test_the_definition_decides(name: str) -> None:
    for model, table in on(name):
        found = kept(model, table)
        for in_order in (False, True):
            blocks = replace(histogram(list(found), table), column=column_of(table, in_order=in_order))
            assert model.passes(blocks).tolist() == list(found.values())


@on_values
def test_the_records_asked_are_all_that_a_parameter_of_its_own_adds(name: str) -> None:
    for model, table in on(name):
        own = "k" in {field.name for field in fields(model)} and not isinstance(model, KEAnonymity)  # its k: of numbers
        free = replace(model, k=1) if own else model  # type: ignore[call-arg]
        for counts, holds in kept(model, table).items():
            assert holds == (kept(free, table)[counts] and sum(counts) >= model.records_asked)
        assert model.records_asked == (getattr(model, "k", 0) if own else 0)


@every_model
def test_no_smaller_class_passes_and_the_least_size_says_what_the_parameters_imply(name: str) -> None:
    for model in named(name):
        sizes = [sum(counts) for (counts, _), holds in verdicts(model).items() if holds]
        assert 1 <= model.least_size <= min(sizes, default=model.least_size)


def stricter(model: SensitiveModel) -> SensitiveModel:
    """Return a promise that asks for a little more; nothing is stricter than a `t` of 0, and 1 asks for nothing."""
    hair = Fraction(1, 10**6)
    changes: dict[str, Callable[[Fraction], Fraction]] = {
        "l": lambda l: l * (1 + hair),  # noqa: E741
        "t": lambda t: max(t - hair, Fraction(0)) if t < 1 else t,
        "beta": lambda beta: beta * (1 - hair),
        "delta": lambda delta: delta * (1 - hair),
    }
    asked: dict[str, Any] = {name: changes[name](Fraction(getattr(model, name))) for name in model.thresholds}
    return replace(model, **asked)


@on_values
@hierarchies
def test_a_sufficient_test_passes_what_keeps_the_promise(name: str, in_order: bool) -> None:
    passed_some = refused_some = False
    for model, table in on(name):
        test = model.sufficient_test(column_of(table, in_order=in_order), np.array(table))
        assert test is not None
        told = model
        if isinstance(model, TCloseness) and (
            model.distance == "matrix" or (model.distance == "hierarchical" and not in_order)
        ):
            told = replace(model, distance="equal", distances=None)  # an upper bound
        surely = kept(told if isinstance(model, EXACT) else stricter(told), table)
        passed = passing(test, classes_of(table))
        for (counts, holds), found in zip(kept(told, table).items(), passed, strict=True):
            large = sum(counts) >= model.records_asked
            assert holds or not (found and large), (model, table, counts)
            assert found or not surely[counts] or getattr(model, "t", 1) == 0, (model, table, counts)
            passed_some |= found
            refused_some |= not found
    assert passed_some
    assert refused_some


@on_values
@hierarchies
def test_the_rows_hold_in_the_classes_that_keep_the_promise(name: str, in_order: bool) -> None:
    for model, table in on(name):
        rows = model.linear(column_of(table, in_order=in_order), np.array(table))
        assert (rows is None) == (name == "entropy-l-diversity")
        if rows is not None:
            found = kept(model, table)
            for (counts, holds), hold in zip(found.items(), satisfying(rows, list(found)), strict=True):
                assert holds == (hold and sum(counts) >= model.records_asked), (model, table, counts)


def far(model: SensitiveModel, counts: Counts, table: Counts) -> Fraction:
    return distance(model.distance, counts, table) if isinstance(model, TCloseness) else Fraction(0)


@on_values
@pytest.mark.parametrize("share", SHARES, ids=str)
def test_a_class_forfeits_what_no_removal_can_save(name: str, share: Fraction) -> None:
    for model, table in on(name):
        found = kept(model, table)
        lost = model.forfeited(histogram(list(found), table), share).tolist()
        for (counts, holds), told in zip(found.items(), lost, strict=True):
            least = least_forfeit(model, by_value(counts), by_value(table), share, far(model, counts, table))
            known = 0 if holds else sum(counts) if least is None else least
            more = isinstance(model, TCloseness) and not holds  # along a tree more is known
            assert told == known or (more and told > known), (model, table, counts)


@on_values
def test_the_thresholds_that_classes_reach_are_those_of_the_worst_of_them(name: str) -> None:
    for model, table in on(name):
        classes = classes_of(table)
        for some in filter(None, (classes, classes[::5], classes[2::7], *([c] for c in classes[:9]))):
            own = [reached(model, by_value(c), by_value(table), far(model, c, table)) for c in some]
            measured = model.measured(histogram(some, table))
            assert set(measured) == set(model.thresholds)
            for key, value in measured.items():
                worst = (min if key in AT_LEAST else max)(one[key] for one in own)
                wanted = "infinite" if worst == inf else pytest.approx(float(worst), rel=NEARLY.get(name, 0), abs=0)
                assert value == wanted, (model, table, some)
