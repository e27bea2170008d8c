import numpy as np
import pytest

from shoal.classes.tally import QuasiColumn
from shoal.foundation.errors import SpecError
from shoal.measures import Ambiguity
from tests.measures.build import build, hierarchy_of
from tests.measures.oracle import PlainColumn
from tests.measures.papers import figure_5


def test_a_record_pays_the_tuples_that_it_may_stand_for() -> None:
    """Two of four zips and three of four marital statuses were married; a suppressed record is any of 32."""
    loss = build(figure_5(1, 1, 0)).loss(Ambiguity())
    assert loss.total == 3 * (2 * 3) + 3 * (2 * 1) + 3 * (2 * 3) + 32
    assert loss.share == pytest.approx(loss.total / 320)
    assert loss.columns == {"zip": 9 * 2 + 4, "marital status": 6 * 3 + 3 + 4, "sex": 9 + 2}


def test_wide_tables_are_counted_in_floats_as_far_as_those_go() -> None:
    hierarchy = hierarchy_of(PlainColumn("c", tuple((str(value), "*") for value in range(1000))))
    column = QuasiColumn("c", hierarchy, np.ones(1000, dtype=np.int64))
    assert Ambiguity().full(10, (column,) * 100) == pytest.approx(1e300)
    with pytest.raises(SpecError, match="103 quasi columns"):
        Ambiguity().full(10, (column,) * 103)
