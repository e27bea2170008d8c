from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.foundation.errors import SpecError
from shoal.measures import BalancedLm, Lm
from tests.measures.build import build
from tests.measures.oracle import PlainRelease
from tests.measures.tables import patient, releases


@patient
@given(release=releases(), gs=st.fractions(Fraction(1, 8), 1, max_denominator=8))
def test_cells_and_suppressed_records_are_weighed(release: PlainRelease, gs: Fraction) -> None:
    """The loss by `lm` is split into what is paid for suppressed records and for cells."""
    plain = build(release).loss(Lm()).total
    suppressed = release.suppressed * sum(column.weight for column in release.columns)
    cells, gone = min(2 * (1 - gs), Fraction(1)), min(2 * gs, Fraction(1))
    wanted = float(cells) * (plain - suppressed) + float(gone) * suppressed
    assert build(release).loss(BalancedLm(gs=gs)).total == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("gs", [0, 1.1])
def test_a_factor_out_of_range_is_refused(gs: float) -> None:
    with pytest.raises(SpecError, match="gs"):
        BalancedLm(gs=gs)
