"""Promises on a sensitive column that count persons: each definition by hand, and what an attacker cannot do."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.foundation.errors import FieldError, SpecError
from shoal.models import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KEAnonymity,
    PSensitiveKAnonymity,
    RecursiveClDiversity,
    TCloseness,
)
from shoal.models.by_hand import classes_by_hand
from shoal.models.model import SensitiveModel
from shoal.tables.hierarchies import Hierarchy, Taxonomy
from tests.oracles.persons import VALUES, Class, Persons, closeness, holding, kept_by_hand, persons_of

TREE = Taxonomy(tree={"any": {"low": ["1", "2"], "high": ["3", "4"]}})
CLASSES = st.lists(
    st.lists(st.tuples(st.sampled_from(VALUES), st.sampled_from("abcde")), min_size=1, max_size=9),
    min_size=1,
    max_size=4,
)
COLUMNS = ("value", "id")


def hierarchy() -> Hierarchy:
    return TREE.build(VALUES, "value")


MODELS = st.one_of(
    st.builds(DistinctLDiversity, l=st.integers(1, 4), column=st.just("value"), entity=st.just("id")),
    st.builds(
        PSensitiveKAnonymity, p=st.integers(1, 4), k=st.integers(1, 4), column=st.just("value"), entity=st.just("id")
    ),
    st.builds(
        FrequencyLDiversity,
        l=st.fractions(1, 4, max_denominator=6),
        column=st.just("value"),
        entity=st.just("id"),
    ),
    st.builds(
        AlphaKAnonymity,
        alpha=st.fractions(Fraction(1, 6), 1, max_denominator=6),
        k=st.integers(1, 3),
        value=st.sampled_from([None, "2", "7"]),
        column=st.just("value"),
        entity=st.just("id"),
    ),
    st.builds(
        RecursiveClDiversity,
        c=st.fractions(Fraction(1, 6), 4, max_denominator=6),
        l=st.integers(1, 4),
        column=st.just("value"),
        entity=st.just("id"),
    ),
    st.builds(KEAnonymity, k=st.integers(1, 4), e=st.integers(0, 3), column=st.just("value"), entity=st.just("id")),
    st.builds(
        TCloseness,
        t=st.fractions(0, 1, max_denominator=12),
        distance=st.sampled_from(["equal", "ordered", "hierarchical"]),
        column=st.just("value"),
        entity=st.just("id"),
    ),
    st.builds(
        BetaLikeness,
        beta=st.fractions(Fraction(1, 6), 3, max_denominator=6),
        kind=st.sampled_from(["basic", "enhanced"]),
        column=st.just("value"),
        entity=st.just("id"),
    ),
    st.builds(
        DeltaDisclosure,
        delta=st.fractions(Fraction(1, 7), 3, max_denominator=7),
        column=st.just("value"),
        entity=st.just("id"),
    ),
)


@given(MODELS, CLASSES)
@settings(max_examples=600, deadline=None)
def test_every_class_is_judged_by_its_persons(model: SensitiveModel, classes: list[Class]) -> None:
    groups = classes_by_hand(classes, COLUMNS, orders={"value": VALUES}, hierarchies={"value": hierarchy()})
    persons = [persons_of(one) for one in classes]
    everybody = [held for one in persons for held in one]
    by_hand = [kept_by_hand(model, one, everybody) for one in persons]
    assert model.holds(groups).tolist() == by_hand
    reached = model.achieved(groups)
    strict = isinstance(model, RecursiveClDiversity | DeltaDisclosure)
    for name, asked in model.asked.items():
        assert name in reached
        if all(by_hand) and not strict and reached[name] != "infinite":
            better = name in ("l", "p", "k", "e")
            assert (
                float(reached[name]) >= float(asked) - 1e-9 if better else float(reached[name]) <= float(asked) + 1e-9
            )


@given(MODELS, CLASSES)
@settings(max_examples=200, deadline=None)
def test_one_record_for_each_person_is_the_promise_of_records(model: SensitiveModel, classes: list[Class]) -> None:
    numbered = [[(value, f"{i}") for i, (value, _) in enumerate(one)] for one in classes]
    groups = classes_by_hand(numbered, COLUMNS, orders={"value": VALUES}, hierarchies={"value": hierarchy()})
    plain = replace(model, entity=None)
    assert model.holds(groups).tolist() == plain.holds(groups).tolist()
    assert model.achieved(groups) == pytest.approx(plain.achieved(groups))


OF: dict[str, Any] = {"column": "value", "entity": "id"}


def judged(classes: list[Class], model: SensitiveModel) -> list[Persons]:
    """Return the persons of the classes that keep a promise."""
    groups = classes_by_hand(classes, COLUMNS, orders={"value": VALUES}, hierarchies={"value": hierarchy()})
    return [persons_of(one) for one, kept in zip(classes, model.holds(groups), strict=True) if kept]


@given(CLASSES, st.integers(2, 3))
@settings(max_examples=150, deadline=None)
def test_whatever_is_ruled_out_nobody_is_sure(classes: list[Class], l: int) -> None:  # noqa: E741
    for one in judged(classes, DistinctLDiversity(l=l, **OF)):
        assert all(holding(one, *some) < len(one) for some in itertools.combinations(VALUES, l - 1))
    for one in judged(classes, RecursiveClDiversity(c=2, l=l, **OF)):
        for ruled_out in itertools.combinations(VALUES, l - 2):
            left = [held for held in one if not held & set(ruled_out)]
            for guess in set(VALUES) - set(ruled_out):
                assert holding(left, guess) < 2 * (len(left) - holding(left, guess))


@given(CLASSES)
@settings(max_examples=150, deadline=None)
def test_beliefs_and_ranges_stay_within_the_promise(classes: list[Class]) -> None:
    everybody = [held for one in classes for held in persons_of(one)]
    t = Fraction(1, 3)
    for one in judged(classes, TCloseness(t=t, **OF)):
        for guess in VALUES:
            change = Fraction(holding(one, guess), len(one)) - Fraction(holding(everybody, guess), len(everybody))
            assert abs(change) <= t
    for one in judged(classes, KEAnonymity(k=1, e=2, **OF)):
        for low in range(1, 5):  # a range of less than 2: two numbers next to each other
            assert holding(one, str(low), str(low + 1)) < len(one)


@given(CLASSES, st.sampled_from(["equal", "ordered", "hierarchical"]))
@settings(max_examples=150, deadline=None)
def test_the_distance_that_is_reached_is_that_of_the_farthest_class(classes: list[Class], distance: Any) -> None:
    groups = classes_by_hand(classes, COLUMNS, orders={"value": VALUES}, hierarchies={"value": hierarchy()})
    everybody = [held for one in classes for held in persons_of(one)]
    farthest = max(closeness(persons_of(one), everybody, distance) for one in classes)
    assert TCloseness(t=1, distance=distance, **OF).achieved(groups) == pytest.approx({"t": float(farthest)})


@given(CLASSES)
@settings(max_examples=100, deadline=None)
def test_what_is_reached_is_kept_and_no_more(classes: list[Class]) -> None:
    groups = classes_by_hand(classes, COLUMNS, orders={"value": VALUES}, hierarchies={"value": hierarchy()})
    for model in (DistinctLDiversity(l=1, **OF), KEAnonymity(k=1, e=0, **OF)):
        for name, reached in model.achieved(groups).items():
            kept: dict[str, Any] = {name: reached}
            more: dict[str, Any] = {name: float(reached) + 1}
            assert replace(model, **kept).holds(groups).all()
            assert not replace(model, **more).holds(groups).all()


def test_a_hierarchy_of_the_star_alone_is_the_equal_distance() -> None:
    classes = [[("1", "a"), ("2", "a"), ("2", "b")], [("3", "c"), ("1", "d"), ("1", "e")]]
    star = Hierarchy.of_rows([(value, "*") for value in VALUES], "star")
    groups = classes_by_hand(classes, COLUMNS, orders={"value": VALUES}, hierarchies={"value": star})
    reached = [TCloseness(t=0, distance=kind, **OF).achieved(groups) for kind in ("equal", "hierarchical")]
    assert reached[0] == reached[1] != {"t": 0}


def test_joining_classes_may_break_what_counts_persons() -> None:
    apart = [[("flu", "ann"), ("cold", "bob")], [("cold", "bob"), ("flu", "cid")]]
    model = FrequencyLDiversity(l=2, column="value", entity="id")
    assert model.holds(classes_by_hand(apart, COLUMNS)).all()
    assert not model.holds(classes_by_hand([apart[0] + apart[1]], COLUMNS)).any()
    assert not model.monotone_without_suppression
    assert not model.monotone_with_suppression


def test_a_person_with_many_values_makes_no_class_diverse() -> None:
    many = [[("flu", "ann"), ("cold", "ann"), ("gout", "ann"), ("flu", "bob"), ("flu", "cid")]]
    groups = classes_by_hand(many, COLUMNS)
    assert DistinctLDiversity(l=3, column="value").holds(groups).all()
    assert DistinctLDiversity(l=2, column="value", entity="id").achieved(groups) == {"l": 1}  # all of them have flu


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: EntropyLDiversity(l=2, column="value", entity="id"), "one and the same"),
        (lambda: TCloseness(t=0, column="value", distance="matrix", distances="d.csv", entity="id"), "a matrix tells"),
        (lambda: DistinctLDiversity(l=2, column="value", entity="id", per="record"), "give one of them"),
        (lambda: DistinctLDiversity(l=2, column="value", entity="id", others="known"), "leave it out"),
        (lambda: DistinctLDiversity(l=2, column="value", entity="value"), "must not be 'column'"),
        (lambda: DistinctLDiversity(l=2, column="value", entity="id", members=2), "'members'"),
    ],
)
def test_what_is_not_defined_for_persons_is_refused(make: Callable[[], SensitiveModel], words: str) -> None:
    with pytest.raises((FieldError, SpecError), match=words):
        make()
