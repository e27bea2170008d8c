"""What every privacy model promises."""

import tomllib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from shoal.foundation.errors import SpecError
from shoal.models import MODELS, AlphaKAnonymity, DistinctLDiversity, PrivacyModel
from shoal.models.by_hand import classes_by_hand
from shoal.models.model import Measured, holding
from tests.models.cases import ORDER, PARAMETERS, WHOLE, Plain, grouping, models, releases
from tests.models.universe import PROMISES

ROOT = Path(__file__).parents[2]
every_model = pytest.mark.parametrize("name", MODELS.names)

# how a threshold that a release reaches compares with the one asked for
AT_LEAST = ("k", "l", "p", "e", "least")
AT_MOST = ("alpha", "t", "beta", "most")
BELOW = ("c", "delta")


def number(value: float | str) -> float:
    return float("inf") if value == "infinite" else float(value)


def meets(asked: Measured, achieved: Measured) -> bool:
    """Tell whether the thresholds that a release reaches are as strict as those asked for."""
    pairs = {name: (number(achieved[name]), number(wanted)) for name, wanted in asked.items()}
    return (
        all(reached >= wanted for name, (reached, wanted) in pairs.items() if name in AT_LEAST)
        and all(reached <= wanted for name, (reached, wanted) in pairs.items() if name in AT_MOST)
        and all(reached < wanted for name, (reached, wanted) in pairs.items() if name in BELOW)
    )


@every_model
def test_has_a_file_a_test_a_page_and_a_reference(name: str) -> None:
    model, file = MODELS[name], name.replace("-", "_")
    assert model.__module__ == f"shoal.models.{file}"
    assert model.__name__ == "".join(part.capitalize() for part in name.split("-"))
    assert (ROOT / "tests" / "models" / f"test_{file}.py").is_file()
    assert model.reference
    assert "monotone" in (model.__doc__ or "")


@every_model
def test_the_page_shows_a_promise_that_can_be_asked_for(name: str) -> None:
    page = (ROOT / "docs" / "models" / f"{name}.md").read_text(encoding="utf-8")
    (promise,) = tomllib.loads(page.partition("```toml\n")[2].partition("```")[0])["require"]
    assert promise.pop("model") == name
    assert TypeAdapter(MODELS[name]).validate_python(promise).parameters.items() >= promise.items()
    assert MODELS[name].reference.split(",")[0] in page
    assert page.startswith("# ")


@every_model
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_monotone_means_that_joining_passing_classes_passes(name: str, data: st.DataObject) -> None:
    model, groups = data.draw(models(name)), grouping(data.draw(releases(max_size=5)))
    held = model.holds(groups)
    if model.monotone and held.any():
        joined = groups.merged(np.where(held, 0, np.cumsum(~held)).astype(np.int32), 1 + int(np.sum(~held)))
        assert model.holds(joined)[0]


@every_model
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_monotone_with_suppression_means_that_joining_any_class_passes(name: str, data: st.DataObject) -> None:
    model, groups = data.draw(models(name)), grouping(data.draw(releases(max_size=5)))
    if model.monotone_with_suppression and model.holds(groups).any():
        joined = groups.merged(np.zeros(groups.n_classes, dtype=np.int32), 1)
        assert model.holds(joined).all()


@every_model
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_no_class_below_the_least_size_passes(name: str, data: st.DataObject) -> None:
    model, groups = data.draw(models(name)), grouping(data.draw(releases(max_size=5)))
    assert model.least_size >= 1
    assert (groups.sizes[model.holds(groups)] >= model.least_size).all()


@pytest.mark.parametrize(
    ("name", "values", "least"),
    [
        ("k-anonymity", {"k": 5}, 5),
        ("distinct-l-diversity", {"l": 3, "column": "illness"}, 3),
        ("entropy-l-diversity", {"l": 2.5, "column": "illness"}, 3),
        ("recursive-cl-diversity", {"c": 2, "l": 4, "column": "illness"}, 4),
        ("frequency-l-diversity", {"l": 2.5, "column": "illness"}, 3),
        ("p-sensitive-k-anonymity", {"p": 4, "k": 3, "column": "illness"}, 4),
        ("k-e-anonymity", {"k": 1, "e": 0, "column": "illness"}, 1),
        ("k-e-anonymity", {"k": 1, "e": 0.5, "column": "illness"}, 2),
        ("k-e-anonymity", {"k": 4, "e": 0.5, "column": "illness"}, 4),
        ("alpha-k-anonymity", {"alpha": 0.5, "k": 6, "column": "illness"}, 6),
        ("t-closeness", {"t": 0.1, "column": "illness"}, 1),
        ("k-map", {"k": 7, "population": "people.csv"}, 1),
        ("k-map-estimate", {"k": 20, "fraction": 0.1}, 5),
        ("average-risk", {"most": 0.1}, 1),
    ],
)
def test_the_least_size_is_what_the_parameters_imply(name: str, values: dict[str, Any], least: int) -> None:
    assert MODELS[name](**values).least_size == least


SPOILED: Mapping[str, tuple[dict[str, Any], Plain]] = {
    "entropy-l-diversity": ({"l": 2}, Plain([[("1", ""), ("2", "")], [("1", "")]])),
    "recursive-cl-diversity": ({"c": 2, "l": 2}, Plain([[("1", ""), ("2", "")], [("1", "")]])),
    "frequency-l-diversity": ({"l": 2}, Plain([[("1", ""), ("2", "")], [("1", "")]])),
    "alpha-k-anonymity": ({"alpha": 0.5, "k": 2}, Plain([[("1", ""), ("2", "")], [("1", "")]])),
    "t-closeness": ({"t": 0.1}, Plain([[("1", ""), ("2", "")], [("1", "")], [("2", "")] * 2])),
    "beta-likeness": ({"beta": 0.2}, Plain([[("1", ""), ("2", "")], [("1", "")], [("2", "")]])),
    "delta-disclosure": ({"delta": 0.2}, Plain([[("1", ""), ("2", "")], [("1", "")], [("2", "")]])),
    "delta-presence": (
        {"least": 0, "most": 0.5, "population": "people.csv"},
        Plain([[("1", "")], [("1", "")]], covered=[2, 1]),
    ),
}


@pytest.mark.parametrize("name", SPOILED)
def test_not_monotone_with_suppression_shows_in_a_case(name: str) -> None:
    values, plain = SPOILED[name]
    model = MODELS[name](**(values if "population" in values else {**values, "column": "illness"}))
    groups = grouping(plain)
    joined = groups.merged(
        np.minimum(np.arange(groups.n_classes) // 2, 1).astype(np.int32), (groups.n_classes + 1) // 2
    )
    assert not model.monotone_with_suppression
    assert model.holds(groups)[0]
    assert not model.holds(joined)[0]


def test_every_model_is_absorbing_or_has_such_a_case() -> None:
    assert {model.name for model in MODELS if not model.absorbing} - set(WHOLE) == set(SPOILED)


@pytest.mark.parametrize("name", WHOLE)
def test_a_promise_about_the_whole_release_may_break_where_a_class_is_suppressed(name: str) -> None:
    values: dict[str, Any] = {"most": Fraction(1, 4), **({"fraction": 1} if name == "population-uniqueness" else {})}
    model = MODELS[name](**values)
    groups = grouping(Plain([[("1", "")] * 7, [("1", "")]]))
    assert model.holds(groups).all()
    assert not model.holds(groups.only(np.array([False, True]))).any()
    assert not model.monotone_with_suppression


@every_model
@settings(deadline=None, max_examples=20)
@given(data=st.data())
def test_no_model_absorbs_classes_if_other_columns_are_known(name: str, data: st.DataObject) -> None:
    model = data.draw(models(name))
    assert model.monotone_with_suppression == (model.absorbing and getattr(model, "others", "ignored") == "ignored")


@every_model
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_the_order_of_classes_does_not_matter(name: str, data: st.DataObject) -> None:
    model, plain = data.draw(models(name)), data.draw(releases())
    order = data.draw(st.permutations(range(len(plain.classes))))
    other = Plain([plain.classes[i] for i in order], [plain.covered[i] for i in order], plain.outside)
    assert model.holds(grouping(other)).tolist() == model.holds(grouping(plain))[order].tolist()
    assert model.achieved(grouping(other)) == model.achieved(grouping(plain))


@every_model
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_a_class_holds_if_and_only_if_it_achieves_what_is_asked(name: str, data: st.DataObject) -> None:
    model, groups = data.draw(models(name)), grouping(data.draw(releases()))
    assert meets(model.asked, model.achieved(groups)) == model.holds(groups).all()
    for chosen in np.eye(groups.n_classes, dtype=np.bool_):
        alone = groups.only(chosen)
        assert meets(model.asked, model.achieved(alone)) == model.holds(alone)[0]


@every_model
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_what_is_not_relative_judges_a_class_by_itself(name: str, data: st.DataObject) -> None:
    model, groups = data.draw(models(name)), grouping(data.draw(releases()))
    if not model.relative:
        for chosen in np.eye(groups.n_classes, dtype=np.bool_):
            alone = groups.only(chosen).own_totals()
            assert model.holds(alone)[0] == model.holds(groups)[chosen][0]


@every_model
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_several_promises_hold_where_each_of_them_does(name: str, data: st.DataObject) -> None:
    wanted = (data.draw(models(name)), DistinctLDiversity(l=2, column="illness"))
    groups = grouping(data.draw(releases()))
    assert holding((), groups).all()
    assert holding(wanted, groups).tolist() == [
        all(both) for both in zip(*(m.holds(groups) for m in wanted), strict=True)
    ]


@every_model
@settings(deadline=None, max_examples=20)
@given(data=st.data())
def test_no_classes_break_no_promise(name: str, data: st.DataObject) -> None:
    model = data.draw(models(name))
    whole = grouping(data.draw(releases()))
    none = whole.only(np.zeros(whole.n_classes, dtype=np.bool_))
    assert model.holds(none).tolist() == []
    assert model.forfeits(none, Fraction(0)).tolist() == []
    most = {"k": {"k-map": none.outside["people.csv"], "k-e-anonymity": 4}.get(name, 0), "e": 6.0}
    most |= {"l": len(ORDER), "p": len(ORDER)}
    assert model.achieved(none) == {threshold: most.get(threshold, 0) for threshold in model.thresholds}


REFUSED: Mapping[str, list[tuple[dict[str, Any], int]]] = {
    "k-anonymity": [({"k": 0}, 1), ({"k": "many"}, 1), ({}, 1), ({"k": 2.5}, 1)],
    "distinct-l-diversity": [({"l": 0, "column": ""}, 2), ({"others": "maybe"}, 3)],
    "entropy-l-diversity": [({"l": 0.9, "column": ""}, 2), ({"l": float("nan"), "column": "x"}, 1), ({}, 2)],
    "recursive-cl-diversity": [({"c": 0, "l": 0, "column": ""}, 3), ({"c": float("inf"), "l": 1, "column": "x"}, 1)],
    "frequency-l-diversity": [({"l": "0.99", "column": ""}, 2), ({"l": "two", "column": "x"}, 1)],
    "p-sensitive-k-anonymity": [({"p": 0, "k": 0, "column": ""}, 3)],
    "k-e-anonymity": [({"k": 0, "e": -1, "column": ""}, 3), ({"k": 2, "e": "wide", "column": "x"}, 1)],
    "alpha-k-anonymity": [({"alpha": 0, "k": 0, "column": ""}, 3), ({"alpha": 1.1, "k": 1, "column": "x"}, 1)],
    "t-closeness": [
        ({"t": -0.1, "column": "", "distance": "far"}, 3),
        ({"t": 1.1, "column": "x"}, 1),
        ({"t": 0.1, "column": "x", "distance": "matrix"}, 1),
        ({"t": 0.1, "column": "x", "distances": "distances.csv"}, 1),
    ],
    "beta-likeness": [({"beta": 0, "column": "", "kind": "best"}, 3)],
    "delta-disclosure": [({"delta": 0, "column": ""}, 2)],
    "k-map": [({"k": 0, "population": ""}, 2)],
    "delta-presence": [
        ({"least": -1, "most": 2, "population": ""}, 3),
        ({"least": 0.5, "most": 0.4, "population": "people.csv"}, 1),
    ],
    "k-map-estimate": [({"k": 0, "fraction": 0, "significance": 0, "estimator": "best"}, 4), ({"k": 10_001}, 2)],
    "average-risk": [({"most": 0}, 1), ({"most": 1.1}, 1), ({}, 1)],
    "sample-uniqueness": [({"most": -1}, 1), ({"most": 1.1}, 1)],
    "population-uniqueness": [({"most": 2, "fraction": 0, "estimator": "best"}, 3), ({"most": 0.1}, 1)],
}


@every_model
def test_parameters_out_of_range_are_refused_all_at_once(name: str) -> None:
    for values, errors in REFUSED[name]:
        with pytest.raises(ValidationError) as caught:
            TypeAdapter(MODELS[name]).validate_python(values)
        assert caught.value.error_count() == errors
        with pytest.raises((SpecError, ValueError, TypeError)):  # in Python too; some cases lack a parameter
            MODELS[name](**values)


@every_model
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_a_job_file_gives_the_same_model(name: str, data: st.DataObject) -> None:
    model = data.draw(models(name))
    adapter: TypeAdapter[PrivacyModel] = TypeAdapter(MODELS[name])
    assert adapter.json_schema()["type"] == "object"
    again = adapter.validate_python(model.parameters)
    assert again.parameters == model.parameters
    assert again == model


@pytest.mark.parametrize("model", PROMISES, ids=repr)
def test_what_is_asked_is_told_as_plain_numbers(model: PrivacyModel) -> None:
    for name, told in model.asked.items():
        value = getattr(model, name)
        assert told == value if isinstance(value, int) else told == float(value)
        assert isinstance(told, int) == isinstance(value, int)
        assert isinstance(told, int | float)


def test_a_float_is_the_decimal_that_was_written() -> None:
    model = AlphaKAnonymity(alpha=0.1, k=2, column="illness")
    assert model.alpha == Fraction(1, 10)
    assert model.parameters == {"alpha": 0.1, "k": 2, "column": "illness", "others": "ignored"}


@every_model
def test_a_column_that_is_not_sensitive_is_refused(name: str) -> None:
    if "column" in PARAMETERS[name]:
        values: dict[str, Any] = dict.fromkeys(MODELS[name].thresholds, 1)
        if name == "recursive-cl-diversity":
            values["l"] = 2
        with pytest.raises(SpecError, match="'income' is not a sensitive column"):
            MODELS[name](**{**values, "column": "income"}).holds(classes_by_hand([["a"]]))
