"""Parameters are checked where they are written, as those of a job file are."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from shoal.clusters.distances import Number
from shoal.foundation.errors import SpecError
from shoal.measures import Stars
from shoal.models import KAnonymity, TCloseness
from shoal.search.algorithms import Mondrian
from shoal.tables.hierarchies import Intervals, Masking


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: KAnonymity(k=0), "KAnonymity: k is 0: .*greater than or equal to 1"),
        (lambda: KAnonymity(k=True), "k cannot be true or false"),
        (lambda: KAnonymity(k=0, entity=""), "k is 0: .*, and entity: "),
        (lambda: TCloseness(t=1.5, column="s"), "t is 1.5: .*less than or equal to 1"),
        (lambda: Mondrian(cut="mean"), "cut: .*'median' or 'loss'"),  # type: ignore[arg-type]
        (lambda: Masking(levels=0), "levels is 0"),
        (lambda: Number(unit=-1), "unit is -1"),
    ],
)
def test_what_is_not_allowed_fails_where_it_is_written(make: Callable[[], object], told: str) -> None:
    with pytest.raises(SpecError, match=told):
        make()


def test_what_is_allowed_is_read_as_in_a_job_file() -> None:
    assert TCloseness(t=0.1, column="s").t == Fraction(1, 10)
    assert TCloseness(t="1/3", column="s").t == Fraction(1, 3)  # type: ignore[arg-type]
    assert KAnonymity(k="5") == KAnonymity(k=5)  # type: ignore[arg-type]
    assert Intervals(widths=[5, 10]) == Intervals(widths=(5, 10))  # type: ignore[arg-type]
    assert Stars() == Stars()
