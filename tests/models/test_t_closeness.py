"""t-closeness: the earth mover's distance to the whole table, by four ground distances."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.classes.tally import SensitiveColumn
from shoal.foundation.errors import SpecError
from shoal.models import PrivacyModel, TCloseness
from shoal.models.by_hand import classes_by_hand
from shoal.models.model import ShareRanges
from shoal.tables.hierarchies.hierarchy import Hierarchy
from tests.models.cases import MATRIX, Plain, check, ground, grouping, histogram, models, releases
from tests.models.papers import figure_19, table_3, table_5
from tests.oracles.earth_mover import by_duality, in_closed_form
from tests.oracles.promises import shares

KINDS = ("equal", "ordered", "hierarchical", "matrix")


def build(t: Fraction, kind: str, column: str = "illness") -> TCloseness:
    return TCloseness(t=t, column=column, distance=kind, distances=MATRIX if kind == "matrix" else None)  # type: ignore[arg-type]


def flat(*values: str) -> Hierarchy:
    return Hierarchy.of_rows([(value, "*") for value in values], "flat hierarchy")


def test_the_first_class_of_table_3_is_0_4_away() -> None:
    # (1/2, 1/2, 0) against (0.3, 0.3, 0.4)
    assert TCloseness(t=Fraction("0.3"), column="disease").holds(table_3()).tolist() == [False, True, True]
    assert TCloseness(t=Fraction("0.4"), column="disease").holds(table_3()).all()
    assert TCloseness(t=Fraction("0.3"), column="disease").achieved(table_3()) == {"t": 0.4}


def test_table_5_is_0_3_close_and_even_0_1_close() -> None:
    # (1/3, 1/3, 1/3) is 1/15 away, (1/4, 1/4, 1/2) is 1/10 away.
    assert TCloseness(t=Fraction("0.3"), column="disease").holds(table_5()).all()
    assert TCloseness(t=Fraction("0.1"), column="disease").holds(table_5()).all()
    assert TCloseness(t=Fraction(1, 15), column="disease").holds(table_5()).tolist() == [True, False, True]
    assert TCloseness(t=Fraction("0.3"), column="disease").achieved(table_5()) == {"t": 0.1}


def test_the_skewness_of_figure_19() -> None:
    # 67% of the second class have diabetes, 33% of the table.
    assert TCloseness(t=Fraction("0.3"), column="diabetes").holds(figure_19()).tolist() == [False, False, True]
    assert TCloseness(t=Fraction("0.3"), column="diabetes").achieved(figure_19()) == {"t": 1 / 3}


def test_ordered_numbers_of_the_t_closeness_paper() -> None:
    # Li et al. 2007: salaries 3k to 11k; {3,4,5} is at 0.375, {6,8,11} at 0.167.
    order = ["3", "4", "5", "6", "7", "8", "9", "10", "11"]
    groups = classes_by_hand([["3", "4", "5"], ["6", "8", "11"], ["7", "9", "10"]], ["wage"], orders={"wage": order})
    model = TCloseness(t=Fraction(3, 8), column="wage", distance="ordered")
    assert model.holds(groups).all()
    assert model.achieved(groups) == {"t": 0.375}
    alone = groups.only(np.array([False, True, False]))
    assert model.achieved(alone) == {"t": 1 / 6}


def test_values_that_do_not_occur_take_no_rank() -> None:
    groups = classes_by_hand([["a"], ["c"]], ["x"], orders={"x": ["a", "b", "c"]})
    assert TCloseness(t=Fraction(1, 2), column="x", distance="ordered").achieved(groups) == {"t": 0.5}


@pytest.mark.parametrize("kind", KINDS)
def test_one_value_is_at_0(kind: str) -> None:
    groups = grouping(Plain([[("1", "x")], [("1", "x"), ("1", "y")]]))
    assert build(Fraction(0), kind).holds(groups).all()
    assert build(Fraction(0), kind).achieved(groups) == {"t": 0}


@settings(deadline=None, max_examples=100)
@given(releases(max_classes=3), st.sampled_from(KINDS))
def test_the_distance_itself_agrees_with_duality(plain: Plain, kind: str) -> None:
    p, q = shares([value for value, _ in plain.classes[0]]), shares(plain.values())
    exact = by_duality(partial(ground, kind), p, q)
    if kind in ("equal", "ordered"):
        assert in_closed_form(kind, p, q) == exact
    first = np.arange(len(plain.classes)) == 0
    assert build(Fraction(0), kind).achieved(grouping(plain).only(first)) == {"t": float(exact)}
    assert build(exact, kind).holds(grouping(plain))[0]
    if exact > 0:
        assert not build(exact - Fraction(1, 10**30), kind).holds(grouping(plain))[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("times", [10**5, 10**8, 2 * 10**8, 10**9, 3 * 10**9])
@pytest.mark.parametrize("counts", [[[3, 1, 0, 2, 0], [0, 1, 1, 1, 2], [1, 0, 0, 0, 0]], [[5, 0], [3, 3]]])
def test_counts_beyond_64_bits_change_nothing(kind: str, times: int, counts: list[list[int]]) -> None:
    small, large = histogram(counts), histogram([[count * times for count in row] for row in counts])
    for t in (Fraction(0), Fraction(1, 4), Fraction(1, 3), Fraction(1, 2)):
        assert build(t, kind).passes(large).tolist() == build(t, kind).passes(small).tolist()
    assert build(Fraction(0), kind).measured(large) == build(Fraction(0), kind).measured(small)


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_that_the_table_lacks_is_as_far_as_it_is_from_the_others(kind: str) -> None:
    p, q = shares(["1", "2", "7", "7"]), shares(["1", "1", "4", "4", "4"])
    blocks = histogram([[1, 1, 0, 2]], [2, 0, 3, 0])
    assert build(Fraction(0), kind).measured(blocks) == {"t": float(by_duality(partial(ground, kind), p, q))}


def test_a_hierarchy_is_asked_for() -> None:
    with pytest.raises(SpecError, match="needs a hierarchy of the sensitive column 'disease'"):
        TCloseness(t=Fraction(1), column="disease", distance="hierarchical").holds(table_3())


def test_a_hierarchy_of_the_star_alone_is_the_equal_distance() -> None:
    counts, column = [[2, 1, 0], [0, 1, 2]], SensitiveColumn("illness", ("a", "b", "c"), flat("a", "b", "c"))
    blocks = replace(histogram(counts), column=column)
    assert build(Fraction(0), "hierarchical").measured(blocks) == build(Fraction(0), "equal").measured(blocks)
    for t in (Fraction(1, 3), Fraction(32, 100)):
        assert build(t, "hierarchical").passes(blocks).tolist() == build(t, "equal").passes(blocks).tolist()


def test_a_hierarchy_that_lacks_values_counts_them() -> None:
    hierarchy = Hierarchy.of_rows([("viral", "*"), ("heart", "*")], "hierarchy")
    groups = classes_by_hand([["viral", "heart", "secret"]], ["disease"], hierarchies={"disease": hierarchy})
    with pytest.raises(SpecError, match="lacks 1 of the 3 different values") as caught:
        TCloseness(t=Fraction(1), column="disease", distance="hierarchical").holds(groups)
    assert "secret" not in str(caught.value)


def test_a_matrix_comes_with_its_distance_and_only_then() -> None:
    with pytest.raises(ValueError, match="needs 'distances'"):
        TCloseness(t=Fraction(1), column="x", distance="matrix")
    with pytest.raises(ValueError, match="only with distance = 'matrix', not with 'equal'"):
        TCloseness(t=Fraction(1), column="x", distances="distances.csv")


@pytest.mark.parametrize("power", [30, 200])
def test_a_matrix_of_huge_or_tiny_decimals(power: int, tmp_path: Path) -> None:
    path, tiny, huge = tmp_path / "distances.csv", f"1e-{power}", f"1e{power}"
    path.write_text(f",a,b,c\na,0,{tiny},{huge}\nb,{tiny},0,{huge}\nc,{huge},{huge},0\n")
    groups = classes_by_hand([list("aab"), list("abc")], ["x"])
    model = TCloseness(t=Fraction(1, 6), column="x", distance="matrix", distances=str(path))
    assert model.holds(groups).all()
    assert not TCloseness(t=Fraction("0.16"), column="x", distance="matrix", distances=str(path)).holds(groups).any()
    assert model.achieved(groups) == {"t": 1 / 6}
    assert model.forfeits(groups, Fraction(0)).tolist() == [0, 0]
    none = groups.only(np.zeros(2, dtype=np.bool_)).own_totals()
    assert model.holds(none).tolist() == []


@settings(deadline=None, max_examples=150)
@given(models(TCloseness.name), releases())
def test_agrees_with_its_definition(model: PrivacyModel, plain: Plain) -> None:
    check(model, plain)


def between(low: list[float], high: list[float]) -> ShareRanges:
    """Return ranges of the shares of values in a release; those of a set of values are added."""

    def of(sets: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return sets @ np.array(low), sets @ np.array(high)

    return of


def test_what_is_moved_is_what_some_values_have_too_many_of_or_others_lack() -> None:
    for t, expected in (("0.39", [False, False]), ("0.41", [True, False]), ("0.51", [True, True])):
        classes = histogram([[1, 0], [0, 1]], [1, 1])
        assert build(Fraction(t), "equal").may_pass(classes, between([0.5, 0.2], [0.6, 0.5])).tolist() == expected


def test_where_a_value_may_vanish_nothing_is_said_of_the_ordered_distance_alone() -> None:
    classes = histogram([[1, 0, 0], [0, 0, 1]], [3, 3, 1])
    for vanishing in (0, 2):
        low = [0.2 if value != vanishing else 0.0 for value in range(3)]
        for kind in KINDS:
            may = build(Fraction(1, 10), kind).may_pass(classes, between(low, [0.5, 0.5, 0.5]))
            assert may.all() == (kind in ("ordered", "matrix"))


def test_what_must_go_from_a_block_that_is_too_far_by_hand() -> None:
    """Half of the table has u. Of 8 u and 2 v, x of the u go: (8 - x) / (10 - x) - 1/2 <= 1/10 takes x = 5 of them.

    Where a tenth of the table may go, u may become 5/9 of it: (8 - x) / (10 - x) <= 5/9 + 1/10 takes x = 4.2.
    The mean of a distance alone asks for 10 (0.3 - 0.1) = 2 and for 10 (0.3 - 0.2) = 1.
    """
    model = TCloseness(t=Fraction(1, 10), column="illness")
    blocks = histogram([(8, 2), (5, 5)], (50, 50))
    assert model.forfeited(blocks, Fraction(0)).tolist() == [5, 0]
    assert model.forfeited(blocks, Fraction(1, 10)).tolist() == [5, 0]
    assert model.forfeited(blocks, Fraction(1)).tolist() == [0, 0]


def test_an_ordered_distance_tells_what_must_go_if_no_value_can_vanish() -> None:
    model = TCloseness(t=Fraction(1, 10), column="illness", distance="ordered")
    blocks = histogram([(8, 2)], (50, 50))
    assert model.forfeited(blocks, Fraction(1, 10)).tolist() == [5]
    assert model.forfeited(blocks, Fraction(1, 2)).tolist() == [0]
