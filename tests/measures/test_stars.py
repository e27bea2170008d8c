from dataclasses import replace

import numpy as np
import pytest

from shoal.classes.tally import QuasiColumn
from shoal.measures import Stars
from shoal.tables.hierarchies.hierarchy import Hierarchy
from tests.measures.build import build, publish, quasi_column
from tests.measures.oracle import PlainColumn
from tests.measures.papers import digits, hospital

UNCHANGED_TOP = PlainColumn("zip", (("22030", "220**", "*"), ("22032", "220**", "*")))


def test_the_hospital_table_has_6_stars() -> None:
    loss = build(hospital()).loss(Stars())
    assert loss.total == 6
    assert loss.columns == {"age": 2, "race": 2, "gender": 2, "zip": 0}
    assert loss.share == pytest.approx(6 / 16)


def test_the_partition_into_digits_has_54_stars() -> None:
    loss = build(digits()).loss(Stars())
    assert loss.total == 5 * 3 + 6 * 4 + 5 * 3 == 54
    assert loss.share == pytest.approx(54 / 80)


def test_a_label_that_covers_all_values_is_no_star() -> None:
    costs = Stars().costs(quasi_column(UNCHANGED_TOP, ["22030"]))
    assert [prices.tolist() for prices in costs.by_level] == [[0, 0], [0], [1]]


def test_a_suppressed_record_is_all_stars() -> None:
    other = replace(UNCHANGED_TOP, name="other zip")
    release = publish([UNCHANGED_TOP, other], [("22030", "22032")] * 3, [None, [0, 2], [1, 1]])
    assert build(release).loss(Stars()).total == 3


def test_a_hierarchy_without_steps_costs_nothing_to_publish() -> None:
    flat = Hierarchy(("x",), np.zeros((1, 1), dtype=np.int32), (("x",),))
    costs = Stars().costs(QuasiColumn("flat", flat, np.array([5])))
    assert [prices.tolist() for prices in costs.by_level] == [[0]]
