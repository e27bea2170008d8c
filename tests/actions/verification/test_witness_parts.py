"""Which figures of a certificate a proven bound derives."""

from fractions import Fraction
from types import SimpleNamespace
from typing import cast

from shoal.actions.verification.raw_table import RawTable
from shoal.actions.verification.witness import places_of
from shoal.releases.claims.figures import ROUNDED


def derived(bound: float | None, found: Fraction | None) -> tuple[str, ...]:
    return places_of(cast(RawTable, SimpleNamespace(certificate={"loss": {"bound": bound}})), found)


def test_a_bound_is_derived_if_it_is_no_more_than_what_is_proven() -> None:
    assert derived(1.0, None) == ()
    assert derived(None, Fraction(1)) == ("loss.witness",)
    assert derived(1.0, Fraction(1)) == ("loss.witness", "loss.bound", "loss.ratio")
    assert derived(float(1 + Fraction(ROUNDED) / 2), Fraction(1)) == ("loss.witness", "loss.bound", "loss.ratio")
    assert derived(1.01, Fraction(1)) == ("loss.witness",)
