"""What one release tells by itself, by a formula and by all that is done for several."""

from fractions import Fraction

from hypothesis import given, settings

from shoal.audits.attacks.series.series import alone, together
from tests.audits.attacks.series.small import arrays
from tests.audits.attacks.series.test_posteriors import series
from tests.oracles.worlds import Release, Where


@settings(max_examples=300, deadline=None)
@given(series())
def test_a_release_alone_tells_what_its_classes_show(drawn: tuple[list[Release], list[Where]]) -> None:
    histories, shown, _ = arrays(*drawn)
    for j, parted in enumerate(histories.parted):
        if parted:
            for share in (Fraction(1, 3), Fraction(1, 2), Fraction(1)):
                formula = alone(histories, shown[j], j, share)
                assert (formula == together(histories, shown, [j], share)).all()
