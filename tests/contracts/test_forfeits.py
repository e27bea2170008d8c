"""What a class forfeits is lost in every refinement, and for some models no more could be said."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import ClassVar, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.models import MODELS, BetaLikeness, DeltaDisclosure, FrequencyLDiversity, TCloseness
from shoal.models.model import SensitiveModel
from tests.models.cases import grouping, histogram, models, releases
from tests.models.universe import SENSITIVE, TABLES, classes_of

Counts = tuple[int, ...]
RELATIVE = [model.name for model in MODELS if model.relative]
ON_VALUES = [model.name for model in MODELS if issubclass(model, SensitiveModel)]


def below(counts: Counts, at_most: int) -> list[Counts]:
    """Return all counts that come from taking some records away."""
    parts = product(*(range(count + 1) for count in counts))
    return [part for part in parts if sum(counts) - sum(part) <= at_most]


def least_lost(model: SensitiveModel, counts: Counts, tables: list[Counts]) -> int:
    """Return the fewest records to take from a class so that the rest passes beside some table that has it."""
    lost = [sum(counts)]
    for left in below(counts, sum(counts) - 1):
        for table in tables:
            inside = all(few <= many for few, many in zip(left, table, strict=True))
            if inside and model.passes(histogram([left], table))[0]:
                lost.append(sum(counts) - sum(left))
    return min(lost)


@pytest.mark.parametrize("name", ON_VALUES)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_no_fewer_records_will_do(name: str, data: st.DataObject) -> None:
    model = cast(SensitiveModel, data.draw(models(name)))
    counts = data.draw(st.tuples(*[st.integers(0, 3)] * 3).filter(any))
    others = data.draw(st.tuples(*[st.integers(0, 3)] * 3))
    table = tuple(map(sum, zip(counts, others, strict=True)))
    suppressed = data.draw(st.integers(0, 2))
    share = Fraction(suppressed, sum(table))
    tables = [part for part in below(table, suppressed) if any(part)]
    forfeited = int(model.forfeited(histogram([counts], table), share)[0])
    # the class's own losses count against the table's, so a class may lose more than may be suppressed
    assert forfeited <= least_lost(model, counts, [*tables, *([table] if table not in tables else [])])


@pytest.mark.parametrize("name", ON_VALUES)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_no_class_of_fewer_records_passes(name: str, data: st.DataObject) -> None:
    model = cast(SensitiveModel, data.draw(models(name)))
    table = data.draw(st.tuples(*[st.integers(0, 4)] * 3).filter(any))
    suppressed = data.draw(st.integers(0, 2))
    blocks, share = histogram([table]), Fraction(suppressed, sum(table))
    fewest = model.fewest_records(blocks.column, blocks.reference, share)
    for left in filter(any, below(table, suppressed)):
        for counts in filter(any, below(left, sum(left))):
            if sum(counts) < fewest:
                assert not model.passes(histogram([counts], left))[0], (left, counts)


@pytest.mark.parametrize(
    ("model", "fewest"),
    [
        # of ten values alike: three of 1/3 are 0.7 too much, five of 1/5 are 0.5
        (TCloseness(t=Fraction(1, 2), column="illness"), 5),
        (TCloseness(t=Fraction(0), column="illness"), 10),
        (BetaLikeness(beta=Fraction(1), column="illness"), 5),
        (DeltaDisclosure(delta=Fraction(1), column="illness"), 10),
        (FrequencyLDiversity(l=Fraction(3), column="illness"), 1),
    ],
    ids=repr,
)
def test_how_few_records_may_have_near_shares(model: SensitiveModel, fewest: int) -> None:
    blocks = histogram([(1,) * 10])
    assert model.fewest_records(blocks.column, np.full(10, 7), Fraction(0)) == fewest


@settings(deadline=None, max_examples=60)
@given(counts=st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(any))
def test_a_limit_of_frequency_is_told_exactly(counts: Counts) -> None:
    model = FrequencyLDiversity(l=Fraction(2), column="illness")
    assert int(model.forfeited(histogram([counts]), Fraction(0))[0]) == least_lost(model, counts, [counts])


@pytest.mark.parametrize("name", MODELS.names)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_a_refinement_suppresses_what_its_classes_forfeit(name: str, data: st.DataObject) -> None:
    model, fine = data.draw(models(name)), grouping(data.draw(releases(max_size=6)))
    target = np.array(data.draw(st.lists(st.integers(0, 2), min_size=fine.n_classes, max_size=fine.n_classes)))
    _, target = np.unique(target, return_inverse=True)
    coarse = fine.merged(target.astype(np.int32), int(target.max(initial=0)) + 1)
    kept = np.ones(fine.n_classes, dtype=np.bool_)
    while kept.any() and not (holds := model.holds(fine.only(kept).own_totals())).all():
        kept[np.flatnonzero(kept)[~holds]] = False
    lost = np.bincount(target, weights=np.where(kept, 0, fine.sizes)).astype(np.int64)
    if kept.any():
        assert (model.forfeits(coarse, Fraction(int(lost.sum()), fine.n_records)) <= lost).all()


@pytest.mark.parametrize("name", RELATIVE)
@settings(deadline=None, max_examples=12)
@given(data=st.data())
def test_every_choice_of_finer_classes_suppresses_what_their_classes_forfeit(name: str, data: st.DataObject) -> None:
    model, fine = cast(SensitiveModel, data.draw(models(name))), grouping(data.draw(releases(max_classes=6)))
    target = np.array(data.draw(st.lists(st.integers(0, 2), min_size=fine.n_classes, max_size=fine.n_classes)))
    _, target = np.unique(target, return_inverse=True)
    coarse = fine.merged(target.astype(np.int32), int(target.max()) + 1)
    for bits in product([False, True], repeat=fine.n_classes):
        kept = np.array(bits)
        if kept.any() and model.holds(fine.only(kept).own_totals()).all():
            lost = np.bincount(target, weights=np.where(kept, 0, fine.sizes)).astype(np.int64)
            assert (model.forfeits(coarse, Fraction(int(lost.sum()), fine.n_records)) <= lost).all()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotMonotone(FrequencyLDiversity):
    """A promise of which nothing is known."""

    monotone: ClassVar[bool] = False


@pytest.mark.parametrize("model", [*SENSITIVE, NotMonotone(l=2, column="illness")], ids=repr)
@pytest.mark.parametrize("share", [Fraction(0), Fraction(1, 10)], ids=str)
def test_a_model_that_says_no_more_forfeits_by_its_algebra(model: SensitiveModel, share: Fraction) -> None:
    blocks = histogram(classes_of(TABLES[0]), TABLES[0])
    one = int(model.monotone and (share == 0 or not model.relative))
    failing = np.where(model.passes(blocks), 0, blocks.sizes if model.absorbing else one)
    assert SensitiveModel.forfeited(model, blocks, share).tolist() == failing.tolist()
