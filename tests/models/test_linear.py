"""A promise as rows of a linear program: they hold in a class if, and only if, it keeps the promise."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from shoal.classes.grouping import Histogram
from shoal.classes.tally import SensitiveColumn
from shoal.models import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    PSensitiveKAnonymity,
    RecursiveClDiversity,
    TCloseness,
)
from shoal.models.linear import Linear, _whole
from shoal.models.model import SensitiveModel
from shoal.tables.hierarchies.hierarchy import Hierarchy
from tests.models.cases import MATRIX
from tests.models.forms import satisfying

VALUES = ("cold", "flu", "gastritis", "ulcer")
TREE = Hierarchy.of_rows(
    [("cold", "lung", "*"), ("flu", "lung", "*"), ("gastritis", "stomach", "*"), ("ulcer", "stomach", "*")], "tree"
)
REFERENCE = (6, 3, 2, 1)


def expected(model: SensitiveModel, column: SensitiveColumn, counts: tuple[int, ...], reference: np.ndarray) -> bool:
    shown = np.flatnonzero(counts)
    blocks = Histogram(
        column,
        np.array([0, len(shown)]),
        shown.astype(np.int32),
        np.array(counts)[shown],
        np.array([sum(counts)]),
        reference,
    )
    return bool(model.passes(blocks)[0])


def t_closeness(t: str, distance: str) -> TCloseness:
    return TCloseness(t=Fraction(t), column="x", distance=distance, distances=MATRIX if distance == "matrix" else None)  # type: ignore[arg-type]


MODELS = [
    FrequencyLDiversity(l=Fraction(3, 2), column="x"),
    FrequencyLDiversity(l=2, column="x"),
    DistinctLDiversity(l=3, column="x"),
    PSensitiveKAnonymity(p=2, k=1, column="x"),
    AlphaKAnonymity(alpha=Fraction(1, 2), k=1, column="x"),
    AlphaKAnonymity(alpha=Fraction(1, 3), k=1, column="x", value="flu"),
    RecursiveClDiversity(c=Fraction(3, 2), l=2, column="x"),
    RecursiveClDiversity(c=2, l=3, column="x"),
    RecursiveClDiversity(c=1, l=1, column="x"),
    BetaLikeness(beta=1, column="x"),
    BetaLikeness(beta=2, column="x", kind="enhanced"),
    DeltaDisclosure(delta=Fraction(3, 2), column="x"),
    *(t_closeness(t, distance) for t in ("0.25", "1/3") for distance in ("equal", "ordered", "hierarchical")),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_rows_hold_in_the_classes_that_keep_the_promise(model: SensitiveModel) -> None:
    column, reference = SensitiveColumn("x", VALUES, TREE), np.array(REFERENCE)
    linear = model.linear(column, reference)
    assert linear is not None
    classes = [counts for counts in product(range(3), repeat=4) if any(counts)]
    found = [expected(model, column, counts, reference) for counts in classes]
    assert satisfying(linear, classes) == found
    assert any(found)
    assert not all(found)


@pytest.mark.parametrize("t", ["0.2", "0.5"])
@pytest.mark.parametrize("values", [("1",), ("1", "2"), ("1", "2", "4")])
@pytest.mark.parametrize("distance", ["equal", "ordered", "matrix"])
def test_few_values_need_no_amounts_by_the_equal_distance(t: str, values: tuple[str, ...], distance: str) -> None:
    model, column = t_closeness(t, distance), SensitiveColumn("x", values)
    reference = np.array([2, 1, 1][: len(values)])
    linear = model.linear(column, reference)
    assert linear is not None
    few = {"equal": 3, "ordered": 2, "matrix": 0}[distance]
    assert (linear.amounts.shape[1] > 0) == (len(values) > max(few, 1))
    classes = [counts for counts in product(range(4), repeat=len(values)) if any(counts)]
    assert satisfying(linear, classes) == [expected(model, column, counts, reference) for counts in classes]


def test_a_value_that_does_not_occur_takes_no_rank() -> None:
    model, column, reference = t_closeness("0.5", "ordered"), SensitiveColumn("x", ("a", "b", "c")), np.array([1, 0, 1])
    linear = model.linear(column, reference)
    assert linear is not None
    classes = [(1, 0, 0), (1, 0, 1), (0, 0, 3), (2, 0, 1)]
    assert satisfying(linear, classes) == [expected(model, column, counts, reference) for counts in classes]


def test_the_entropy_has_no_rows() -> None:
    assert EntropyLDiversity(l=2, column="x").linear(SensitiveColumn("x", VALUES), np.array(REFERENCE)) is None


def test_rows_are_whole_while_they_are_small() -> None:
    linear = Linear.shares([Fraction(1, 3), Fraction(2, 7), Fraction(1)])
    assert linear.values.tolist() == [[2, -1, -1], [-2, 5, -2]]
    assert Linear.shares([Fraction(1, 999_999)]).values.tolist() == [[999_998]]
    for large in (Fraction(1, 3_000_001), Fraction(-2_000_001, 1000)):
        assert np.abs(Linear.shares([large]).values).max() == 10**6


def test_a_promise_that_asks_nothing_has_no_rows() -> None:
    nothing = FrequencyLDiversity(l=1, column="x").linear(SensitiveColumn("x", VALUES), np.array(REFERENCE))
    assert nothing is not None
    assert [nothing.values.shape, nothing.opened.shape, nothing.amounts.shape] == [(0, 4), (0,), (0, 0)]
    assert not nothing.either


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_amounts_are_0_or_1_where_they_say_which_values_occur(model: SensitiveModel) -> None:
    linear = model.linear(SensitiveColumn("x", VALUES, TREE), np.array(REFERENCE))
    assert linear is not None
    assert linear.either == isinstance(model, DistinctLDiversity | PSensitiveKAnonymity)


@pytest.mark.parametrize("row", [[1, 0, -3], [0, 0], [10**6, -1], [10**7, 5, -1]])
def test_whole_rows_are_those_of_fractions(row: list[int]) -> None:
    assert _whole(row) == _whole([Fraction(entry) for entry in row])
