"""Of all ways to remove records from a class, evening out its values is the best for every promise that says so."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from shoal.models import AlphaKAnonymity, EntropyLDiversity, FrequencyLDiversity
from shoal.models.model import SensitiveModel
from shoal.search.removal import evened
from tests.models.cases import histogram
from tests.models.universe import SENSITIVE

EVENED = [model for model in SENSITIVE if model.evened]
BLOCKS = ((5,), (3, 3), (6, 1), (4, 2, 1), (5, 5, 1), (3, 2, 2, 1), (1, 1, 1), (0, 4, 2), (2, 0, 0))


def left(counts: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return what may be left of a block, the most records first; nothing at last."""
    return sorted(product(*(range(count + 1) for count in counts)), key=lambda some: -sum(some))


def passing(models: tuple[SensitiveModel, ...], counts: tuple[int, ...]) -> bool:
    return any(counts) and all(model.passes(histogram([counts]))[0] for model in models)


@pytest.mark.parametrize("model", EVENED, ids=repr)
def test_the_fewest_records_are_removed_that_let_a_block_pass(model: SensitiveModel) -> None:
    for counts in BLOCKS:
        column = histogram([counts]).column
        found = tuple(evened((model,), column, np.array([counts]))[0].tolist())
        assert not any(found) or passing((model,), found)
        assert sum(found) == next(sum(some) for some in left(counts) if passing((model,), some) or not any(some))


def test_every_promise_that_looks_at_a_class_alone_can_be_evened_out() -> None:
    assert all(model.evened != model.relative for model in SENSITIVE)


def test_promises_on_one_column_are_evened_out_together() -> None:
    models = (FrequencyLDiversity(l=2, column="illness"), EntropyLDiversity(l=Fraction(5, 2), column="illness"))
    n_more = 0
    for counts in BLOCKS:
        column = histogram([counts]).column
        found = tuple(evened(models, column, np.array([counts]))[0].tolist())
        assert sum(found) == next(sum(some) for some in left(counts) if passing(models, some) or not any(some))
        n_more += any(sum(found) < evened((model,), column, np.array([counts]))[0].sum() for model in models)
    assert n_more > 0


def test_a_thousand_records_of_one_value_are_removed_at_once() -> None:
    counts = (4_000, 1_500, 700, 3)
    column = histogram([counts]).column
    model = EntropyLDiversity(l=Fraction(29, 10), column="illness")
    found = evened((model,), column, np.array([counts]))[0]
    assert passing((model,), tuple(found.tolist()))
    assert found.tolist() == [1354, 1353, 700, 3]


def test_only_what_a_promise_limits_is_removed() -> None:
    column = histogram([(2, 1, 1)]).column
    assert FrequencyLDiversity(l=2, column="illness").limited(column).tolist() == [True, True, True]
    for value, expected in ((None, [True, True, True]), ("2", [False, True, False]), ("none such", [False] * 3)):
        model = AlphaKAnonymity(alpha=Fraction(1, 2), k=1, column="illness", value=value)
        assert model.limited(column).tolist() == expected
