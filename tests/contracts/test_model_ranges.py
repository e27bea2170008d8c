"""What is known of a class while the release is not: it fails only if no release of such shares lets it pass."""

from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.models import MODELS
from shoal.models.model import SensitiveModel, ShareRanges
from tests.models.cases import histogram
from tests.models.universe import SENSITIVE, TABLES, Counts, classes_of, kept

LARGE, FEWER = (3, 2, 2, 1), ((2, 0, 2, 1), (3, 2, 1, 1), (1, 2, 2, 1))
every_promise = pytest.mark.parametrize("model", SENSITIVE, ids=repr)


def ranges(*tables: Counts) -> ShareRanges:
    """Return the least and the largest share of sets of values in some tables."""
    shares = np.array([np.array(table) / sum(table) for table in tables])

    def of(sets: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        found = shares @ sets.T
        return found.min(axis=0), found.max(axis=0)

    return of


def known(model: SensitiveModel, table: Counts, shares: ShareRanges) -> dict[Counts, bool]:
    """Return which classes of a table may pass."""
    classes = classes_of(table)
    return dict(zip(classes, model.may_pass(histogram(classes, table), shares).tolist(), strict=True))


def looser(model: SensitiveModel) -> SensitiveModel:
    """Return a promise that is kept a little sooner: what is rounded may pass."""
    mine = [field.name for field in fields(model) if field.name in ("t", "beta", "delta")]
    more: dict[str, Any] = {name: getattr(model, name) + Fraction(1, 10**6) for name in mine}
    return model if more.get("t", 0) > 1 else replace(model, **more)


@every_promise
def test_beside_a_known_release_a_class_may_pass_if_it_passes(model: SensitiveModel) -> None:
    said = model.relative and getattr(model, "distance", "") != "matrix"
    for table in TABLES:
        passing, nearly = kept(model, table), kept(looser(model), table)
        for counts, may in known(model, table, ranges(table)).items():
            assert passing[counts] <= may <= (nearly[counts] or not said), (table, counts)


@every_promise
def test_a_class_that_passes_beside_one_release_may_pass(model: SensitiveModel) -> None:
    for other in FEWER:
        may = known(model, LARGE, ranges(LARGE, other))
        for table in (LARGE, other):
            assert all(may[counts] for counts, passes in kept(model, table).items() if passes), (other, table)


def test_where_a_value_may_vanish_nothing_is_said_of_the_ordered_distance() -> None:
    for model in SENSITIVE:
        if getattr(model, "distance", "") == "ordered":
            assert all(known(model, LARGE, ranges(LARGE, FEWER[0])).values())


def test_every_kind_that_compares_with_the_release_is_tried() -> None:
    kinds = [member for member in MODELS if member.relative and issubclass(member, SensitiveModel)]
    assert len(kinds) == len({type(model) for model in SENSITIVE if model.relative}) > 2
