"""What charges are put to: the size of groups of different values, and which figures a proven bound derives."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any, cast

import pytest

from shoal.actions.verification.raw_table import RawTable
from shoal.actions.verification.witness import _dealt, places_of
from shoal.foundation.errors import CertificateError
from shoal.jobs.source import Source
from shoal.models import FrequencyLDiversity, KAnonymity
from shoal.models.model import PrivacyModel
from shoal.releases.claims.figures import ROUNDED


def source(*models: PrivacyModel) -> Source:
    promises = [SimpleNamespace(counted=lambda model=model: (model,)) for model in models]
    return cast(Source, SimpleNamespace(job=SimpleNamespace(require=promises)))


def frequent(l: Any, column: str = "ill", **more: Any) -> FrequencyLDiversity:  # noqa: E741  (the paper's letter)
    return FrequencyLDiversity(l=l, column=column, **more)


@pytest.mark.parametrize(
    ("models", "size"),
    [
        ((frequent(3),), 3),
        ((KAnonymity(k=9), frequent(2), frequent(5), frequent(3)), 5),
        ((frequent(2),), 2),
        ((frequent(Fraction(7, 2)),), 3),
        ((frequent(4, "pay"), frequent(3)), 3),
    ],
)
def test_groups_are_as_large_as_the_strictest_promise_on_the_column_makes_them(
    models: tuple[PrivacyModel, ...], size: int
) -> None:
    assert _dealt(source(*models), "ill") == size


@pytest.mark.parametrize(
    "models", [(), (KAnonymity(k=9),), (frequent(Fraction(3, 2)),), (frequent(3, "pay"),), (frequent(3, entity="who"),)]
)
def test_without_a_promise_there_are_no_groups_of_different_values(models: tuple[PrivacyModel, ...]) -> None:
    with pytest.raises(CertificateError, match="no promise makes such"):
        _dealt(source(*models), "ill")


def derived(bound: float | None, found: Fraction | None) -> tuple[str, ...]:
    return places_of(cast(RawTable, SimpleNamespace(certificate={"loss": {"bound": bound}})), found)


def test_a_bound_is_derived_if_it_is_no_more_than_what_is_proven() -> None:
    assert derived(1.0, None) == ()
    assert derived(None, Fraction(1)) == ("loss.witness",)
    assert derived(1.0, Fraction(1)) == ("loss.witness", "loss.bound", "loss.ratio")
    assert derived(float(1 + Fraction(ROUNDED) / 2), Fraction(1)) == ("loss.witness", "loss.bound", "loss.ratio")
    assert derived(1.01, Fraction(1)) == ("loss.witness",)
